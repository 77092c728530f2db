"""Sets drawn from invented citations, checked by the words of the paper over plain pairs of patents."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date

import pytest

from claimlight.errors import InputError
from claimlight.lab.papers.paecter.build import BuildPlan, Cited, build
from claimlight.tasks import TaskContext
from claimlight.types import Origin, Scheme
from tests.core.lab.papers.paecter.paecter_world import World, cited, made, random_world
from tests.fakes import library

SMALL = BuildPlan(positives=2, hard=3, easy=3)


def drawn(folder, patents, plan=SMALL, **more):
    with library(folder, patents) as held:
        return build(held, plan, TaskContext(), **more)


def told(built):
    return {item.name: item.number for item in built.counts}


@pytest.mark.parametrize("seed", range(3))
def test_sets_follow_the_rules_of_the_paper(tmp_path, seed):
    patents = random_world(seed)
    built = drawn(tmp_path / "lib", patents)
    assert built.sets
    world = World(patents)
    for item in built.sets:
        world.check(item)
    counts = told(built)
    assert counts["sets"] == len(built.sets)
    assert sum(list(counts.values())[2:]) == counts["looked at"] == counts["families that may be queries"]
    names = {name for item in built.sets for name in (item.query, *item.candidates)}
    assert {text.name for text in built.texts} == names
    assert all(text.body.startswith("A ") for text in built.texts)


def test_the_seed_decides_and_the_order_of_import_does_not(tmp_path):
    patents = random_world(1, queries=12)
    first = drawn(tmp_path / "1", patents)
    assert len(first.sets) > 3
    shuffled = random.Random(7).sample(patents, len(patents))
    assert drawn(tmp_path / "2", shuffled) == first
    other = drawn(tmp_path / "3", patents, replace(SMALL, seed=43))
    assert {item.query for item in other.sets} == {item.query for item in first.sets}
    assert other.sets != first.sets
    fewer = drawn(tmp_path / "4", patents, replace(SMALL, count=2))
    assert fewer.sets == first.sets[:2]
    assert told(fewer)["looked at"] < told(first)["looked at"]


def test_families_left_out_are_nowhere(tmp_path):
    patents = random_world(1, queries=12)
    first = drawn(tmp_path / "1", patents)
    gone = {first.sets[0].query, first.sets[1].positives[0], first.sets[2].negatives[0], "EP1"}
    again = drawn(tmp_path / "2", patents, without=gone)
    families = World(patents).family
    left = {families[name] for item in again.sets for name in (item.query, *item.candidates)}
    assert left
    assert not left & {families[name] for name in gone - {"EP1"}}


NEAR = [("EP", str(1_000_000 + n), "A1") for n in range(4)]
FAR = [("US", str(5_000_000 + n), "A") for n in range(4)]
BESIDE = [("US", str(6_000_000 + n), "A") for n in range(3)]
TWO = (cited(NEAR[0], "X"), cited(NEAR[1], "A"))
YEAR = date(2012, 1, 1)
PLAN = BuildPlan(positives=2, hard=2, easy=3, filed_from=date(2012, 1, 1))


def one_query(*citations, near=FAR, beside=YEAR, **more):
    """One application filed in 2012 over four patents that cite ``near``, with three beside it in its class.

    Another of that year has no class, so it makes no set; what it cites was ever cited.
    """
    patents = [made(item, "lamp", citations=map(cited, near), published=YEAR) for item in NEAR]
    patents += [made(item, "kettle", published=YEAR) for item in FAR]
    patents += [made(item, "kettle", published=beside) for item in BESIDE]
    other = made(("EP", "2000000", "A1"), "spout", citations=map(cited, (*BESIDE, *FAR)), classes=())
    more = {"published": date(2013, 6, 1), **more}
    query = made(("EP", "3000000", "A1"), more.pop("text", "lamp"), citations=citations, **more)
    return [replace(item, filed=date(2012, 6, 1)) for item in (query, other)] + patents


def outcome(tmp_path, patents, plan=PLAN):
    """The reasons why the two applications of 2012 made no set."""
    counts = told(drawn(tmp_path / "lib", patents, plan))
    assert counts["families that may be queries"] == counts["looked at"] == 2
    return {name: number for name, number in list(counts.items())[2:] if number}


def test_a_query_that_has_everything_makes_a_set(tmp_path):
    built = drawn(tmp_path / "lib", one_query(*TWO), PLAN)
    (item,) = built.sets
    assert item.query == "EP3000000A1"
    assert set(item.positives) == {"EP1000000A1", "EP1000001A1"}
    assert set(item.negatives[:2]) < {"US5000000A", "US5000001A", "US5000002A", "US5000003A"}
    assert set(item.negatives[2:]) == {"US6000000A", "US6000001A", "US6000002A"}
    assert {text.name: text.body for text in built.texts}[item.query] == "A lamp with part 3000000."


CLASSLESS = {"without a class": 1}


@pytest.mark.parametrize(
    ("patents", "reason"),
    [
        (one_query(*TWO, classes=()), "class"),
        (one_query(TWO[0]), "citations"),
        (one_query(TWO[0], cited(NEAR[1], "D")), "citations"),
        (one_query(cited(NEAR[0], "A"), cited(NEAR[1], "A")), "citations"),
        (one_query(cited(NEAR[0], "cited by examiner"), cited(NEAR[1], "")), "citations"),
        (one_query(*TWO, near=FAR[:1]), "others"),
        (one_query(*TWO, text=""), "English"),
        (one_query(*TWO, language="de"), "English"),
        (one_query(*TWO, beside=date(2008, 5, 31)), "easy"),
        (one_query(*TWO, beside=date(2013, 6, 1)), "easy"),
        (one_query(*TWO, cited(BESIDE[0], "D")), "easy"),
        (one_query(*TWO, cited(FAR[0]), cited(FAR[1])), "sets"),
        (one_query(*TWO, beside=date(2008, 6, 1)), "sets"),
        (one_query(*TWO, scheme=Scheme.IPC), "class"),
    ],
)
def test_what_a_query_lacks_is_told(tmp_path, patents, reason):
    found = outcome(tmp_path, patents)
    if reason == "class":
        assert found == {"without a class": 2}
    else:
        (name,) = set(found) - set(CLASSLESS)
        assert reason in name
        assert found["without a class"] == found[name] == 1


def test_without_hard_negatives_the_cited_need_cite_nothing(tmp_path):
    assert outcome(tmp_path, one_query(*TWO, near=()), replace(PLAN, hard=0)) == {**CLASSLESS, "sets": 1}


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (replace(PLAN, positives=3), "with too few positives"),
        (replace(PLAN, hard=5), "with too few hard negatives"),
        (replace(PLAN, easy=4), "with too few easy negatives"),
        (replace(PLAN, years=1), "with too few easy negatives"),
        (replace(PLAN, easy=0, hard=4), "sets"),
        (replace(PLAN, easy=3, hard=0), "sets"),
        (replace(PLAN, hard=1), "sets"),
    ],
)
def test_what_is_asked_for_decides(tmp_path, plan, reason):
    assert outcome(tmp_path, one_query(*TWO), plan) == {**CLASSLESS, reason: 1}


def test_citations_without_letters_count_where_asked(tmp_path):
    by = [cited(NEAR[0], "cited by examiner", Origin.EXAMINER), cited(NEAR[1], "", Origin.EXAMINER)]
    told_by = [by[0], cited(NEAR[1], "", Origin.APPLICANT)]
    for number, (citations, cited_by, expected) in enumerate(
        [
            (by, Cited.CATEGORY, "with too few citations that count"),
            (by, Cited.EXAMINER, "sets"),
            (told_by, Cited.EXAMINER, "with too few citations that count"),
            (told_by, Cited.ANY, "sets"),
        ]
    ):
        plan = replace(PLAN, cited=cited_by)
        assert outcome(tmp_path / str(number), one_query(*citations), plan) == {**CLASSLESS, expected: 1}


def test_a_query_without_a_filing_day_counts_by_its_publication(tmp_path):
    query, *others = one_query(*TWO)
    for number, (day, many) in enumerate([(date(2013, 6, 1), 2), (date(2011, 6, 1), 1)]):
        patents = [replace(query, filed=None, published=day), *others]
        assert told(drawn(tmp_path / str(number), patents, PLAN))["looked at"] == many


def test_other_offices_years_and_schemes(tmp_path):
    patents = one_query(*TWO)
    assert told(drawn(tmp_path / "1", patents, replace(PLAN, offices=frozenset({"US"}))))["looked at"] == 0
    assert told(drawn(tmp_path / "2", patents, replace(PLAN, offices=frozenset())))["looked at"] == 2
    assert told(drawn(tmp_path / "3", patents, replace(PLAN, filed_from=date(2012, 6, 2))))["looked at"] == 0
    assert told(drawn(tmp_path / "4", patents, replace(PLAN, filed_to=date(2012, 5, 31))))["looked at"] == 0
    ipc = [
        replace(item, classes=tuple(replace(symbol, scheme=Scheme.IPC) for symbol in item.classes))
        for item in patents
    ]
    assert outcome(tmp_path / "5", ipc, replace(PLAN, scheme=Scheme.IPC)) == {**CLASSLESS, "sets": 1}


@pytest.mark.parametrize(("late", "reason"), [(NEAR[1], "citations"), (FAR[0], "hard")])
def test_nothing_is_younger_than_its_query(tmp_path, late, reason):
    patents = [
        replace(item, published=date(2014, 1, 1)) if str(item.publication) == "".join(late) else item
        for item in one_query(*TWO)
    ]
    (name,) = set(outcome(tmp_path, patents, replace(PLAN, hard=4))) - set(CLASSLESS)
    assert reason in name


def test_negatives_that_nobody_cited_only_where_asked(tmp_path):
    patents = [item for item in one_query(*TWO) if str(item.publication) != "EP2000000A1"]
    assert told(drawn(tmp_path / "1", patents, PLAN))["with too few hard negatives"] == 1
    built = drawn(tmp_path / "2", patents, replace(PLAN, ever_cited=False))
    (item,) = built.sets
    assert {"".join(target) for target in (*BESIDE, *NEAR[2:])} > set(item.negatives[2:])


@pytest.mark.parametrize(
    "more", [{"count": 0}, {"positives": 0}, {"years": 0}, {"hard": -1}, {"hard": 0, "easy": 0}]
)
def test_numbers_that_make_no_set_are_refused(tmp_path, more):
    with pytest.raises(InputError):
        drawn(tmp_path / "lib", [], replace(SMALL, **more))
    with pytest.raises(InputError, match="cpc or ipc"):
        drawn(tmp_path / "other", [], replace(SMALL, scheme=Scheme.OTHER))
