"""Rows of the thirteen tasks, against the made library written down pair by pair."""

from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date, timedelta
from itertools import combinations

import numpy as np
import pytest

from claimlight.lab.training.patembed import bloom, mining
from claimlight.lab.training.patembed.domains import Domain, relation
from claimlight.lab.training.patembed.families import Families, Part
from claimlight.lab.training.patembed.mining import MiningRules
from claimlight.lab.training.patembed.selection import ClassSource, SelectionRules, select
from claimlight.tasks import TaskContext
from claimlight.text.patenteb import TaskName
from claimlight.training.documents.corpus import TrainingCorpus
from claimlight.types import ClassSymbol, Scheme
from tests.core.lab.training import patembed_world as world
from tests.fakes import library

SMALL = SelectionRules(min_class=5)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Inventions, and what was read of their library."""
    items = world.inventions(200)
    with world.corpus(tmp_path_factory.mktemp("library"), items) as corpus:
        return items, Families.read(corpus, TaskContext()), corpus.ids


@pytest.fixture(scope="module")
def selection(made):
    return select(made[1], SMALL)


@pytest.fixture(scope="module")
def linked(made):
    """For each invention those that it cites or that cite it."""
    found = defaultdict(set)
    for item in made[0]:
        for cited in item.cites:
            found[item.number].add(cited)
            found[cited].add(item.number)
    return found


def labels_of(families, number, source="ipc"):
    return [families.labels[place] for place in getattr(families, source).at(number).tolist()]


def test_a_family_is_read_once_with_all_that_its_publications_say(made):
    items, families, _ = made
    assert len(families) == len(items)
    for item in items:
        twice = item.number % 5 == 0
        assert labels_of(families, item.number) == ([item.labels[0]] if twice else []) + list(item.labels)
        assert families.filed[item.number] == item.filed.toordinal()
        assert families.published[item.number] == (item.filed + timedelta(days=540)).toordinal()
        assert set(families.cites.at(item.number).tolist()) == set(item.cites)
        assert families.has(Part.PROBLEM)[item.number] == (item.style == "japanese")
        assert families.has(Part.SOLUTION)[item.number] == (item.style == "japanese")
        assert families.has(Part.EFFECT)[item.number] == (item.style == "russian")
        assert families.has(Part.SUBSTANCE)[item.number] == (item.style == "russian")


def test_the_fullest_publication_stands_for_its_family(made):
    items, families, ids = made
    # Of two publications only the second has claims.
    publications = [item.number for item in items for _ in range(2 if item.number % 5 == 0 else 1)]
    last = {number: int(ids[place]) for place, number in enumerate(publications)}
    assert families.documents.tolist() == [last[item.number] for item in items]


def test_of_publications_with_the_same_parts_the_first_stands_for_the_family(tmp_path):
    whole = world.patents(world.inventions(5))[-1]
    again = replace(whole, publication=replace(whole.publication, kind="B1"))
    green = ClassSymbol(Scheme.CPC, "Y02E 10/50")
    cpc = (green, ClassSymbol(Scheme.CPC, "F24S 10/10"))
    library(tmp_path / "library", [replace(whole, classes=cpc), replace(again, classes=())]).close()
    with TrainingCorpus.open(tmp_path / "library") as corpus:
        families = Families.read(corpus, TaskContext())
        assert families.documents.tolist() == corpus.ids[:1].tolist()
        assert len(corpus.ids) == 2
    # Section Y tags what stands elsewhere already.
    assert families.labels == ("F24",)
    assert families.cpc.at(0).tolist() == [0]


def test_links_are_read_both_ways(made, linked):
    for item in made[0]:
        assert set(made[1].linked(item.number).tolist()) == linked[item.number]


def test_what_was_read_can_be_kept(made):
    again = Families.from_arrays(made[1].arrays())
    assert again.labels == made[1].labels
    for name, array in again.arrays().items():
        np.testing.assert_array_equal(array, made[1].arrays()[name])


NEAR = {
    TaskName.RETRIEVAL_IN: ({Domain.IN}, {Domain.FULL_MIX, Domain.PART_MIX}),
    TaskName.RETRIEVAL_OUT: ({Domain.OUT}, {Domain.OUT}),
    TaskName.RETRIEVAL_MIXED: ({Domain.FULL_MIX, Domain.PART_MIX}, {Domain.PART_MIX}),
}


@pytest.mark.parametrize("name", NEAR)
def test_triplets_keep_the_domains_and_the_links_of_the_task(made, selection, linked, name):
    items = made[0]
    near, far = NEAR[name]
    rows = mining.triplets(selection, name, MiningRules(), 42, TaskContext())

    def related(one, other):
        return relation(set(items[one].labels), set(items[other].labels))

    for query, positive, negative in rows.families.tolist():
        assert positive in linked[query]
        assert related(query, positive) in near
        assert negative not in linked[query]
        assert negative != query
        assert related(query, negative) in far
    # No positive is missed: every linked pair of the relation is a row, where the library has a negative.
    expected = {
        (one, other)
        for one in range(len(items))
        for other in linked[one]
        if related(one, other) in near
        and any(
            related(one, item) in far and item not in linked[one] for item in range(len(items)) if item != one
        )
    }
    counts = Counter(one for one, _ in expected)
    whole = {(one, other) for one, other in expected if counts[one] <= 10}
    found = {(query, positive) for query, positive, _ in rows.families.tolist()}
    assert whole <= found <= expected
    assert len(found) == len(rows) > 20
    assert max(Counter(rows.families[:, 0].tolist()).values()) <= 10


def test_a_query_gives_no_more_than_the_rules_allow(selection):
    rules = MiningRules(positives=3, triplets=2)
    rows = mining.triplets(selection, TaskName.RETRIEVAL_MIXED, rules, 42, TaskContext())
    assert Counter(rows.families[:, 0].tolist()).most_common(1)[0][1] == 2
    rules = MiningRules(positives=1, triplets=10)
    rows = mining.triplets(selection, TaskName.RETRIEVAL_MIXED, rules, 42, TaskContext())
    assert Counter(rows.families[:, 0].tolist()).most_common(1)[0][1] == 1


def test_the_seed_decides(selection):
    def mined(seed):
        return mining.triplets(
            selection, TaskName.RETRIEVAL_OUT, MiningRules(), seed, TaskContext()
        ).families.tolist()

    assert mined(1) == mined(1)
    assert mined(1) != mined(2)


@pytest.mark.parametrize(
    ("name", "style"),
    [
        (TaskName.TITLE2FULL, None),
        (TaskName.PROBLEM2FULL, "japanese"),
        (TaskName.PROBLEM2SOLUTION, "japanese"),
        (TaskName.EFFECT2FULL, "russian"),
        (TaskName.EFFECT2SUBSTANCE, "russian"),
    ],
)
def test_fragment_tasks_take_the_families_that_have_them(made, selection, name, style):
    rows = mining.parts(selection, name, MiningRules(), 42)
    able = [item.number for item in made[0] if style in (None, item.style)]
    assert rows.families[:, 0].tolist() == able


def test_classes_are_dominant_ones(made, selection):
    items, families, _ = made
    rows = mining.classes(selection, MiningRules(), 42)
    # All symbols of a family stand once, but for families of two publications, so the first one leads.
    assert [families.labels[label] for label in rows.labels] == [item.labels[0] for item in items]
    assert rows.families[:, 0].tolist() == list(range(len(items)))
    fewer = mining.classes(selection, MiningRules(examples=50), 42)
    assert len(fewer) == 50
    shares = Counter(rows.labels.tolist())
    for label, count in Counter(fewer.labels.tolist()).items():
        assert abs(count - shares[label] / 4) <= len(shares)


def test_directions_say_who_cites_whom(made, selection):
    items = made[0]
    rows = mining.directions(selection, MiningRules(), 42)
    for (one, other), label in zip(rows.families.tolist(), rows.labels.tolist(), strict=True):
        citing, cited = (one, other) if label else (other, one)
        assert cited in items[citing].cites
    assert len(rows) == sum(len(item.cites) for item in items)
    assert int(rows.labels.sum()) == (len(rows) + 1) // 2


def test_families_that_cite_each_other_have_no_direction(tmp_path):
    items = world.inventions(12)
    both = [items[0].__class__(**{**vars(items[0]), "cites": (1,)})]
    both += [items[1].__class__(**{**vars(items[1]), "cites": (0,)})]
    rest = [item.__class__(**{**vars(item), "cites": (0,) if item.number == 5 else ()}) for item in items[2:]]
    with world.corpus(tmp_path / "library", both + rest) as corpus:
        families = Families.read(corpus, TaskContext())
    rows = mining.directions(select(families, SelectionRules(min_class=1)), MiningRules(), 42)
    assert {frozenset(pair) for pair in rows.families.tolist()} == {frozenset((0, 5))}


@pytest.mark.parametrize("name", [TaskName.PARA_PROBLEM, TaskName.PARA_SOLUTION])
def test_paraphrases_are_linked_or_far_apart(made, selection, linked, name):
    items = made[0]
    rows = mining.paraphrases(selection, name, MiningRules(), 42, TaskContext())
    positive = [pair for pair, label in zip(rows.families.tolist(), rows.labels, strict=True) if label]
    negative = [pair for pair, label in zip(rows.families.tolist(), rows.labels, strict=True) if not label]
    expected = {
        (one, other)
        for one, other in combinations(range(len(items)), 2)
        if other in linked[one]
        and set(items[one].labels) == set(items[other].labels)
        and items[one].style == items[other].style == "japanese"
    }
    assert {tuple(pair) for pair in positive} == expected
    for one, other in negative:
        assert not set(items[one].labels) & set(items[other].labels)
        assert other not in linked[one]
        assert items[one].style == items[other].style == "japanese"
    assert len({frozenset(pair) for pair in negative}) == len(negative)
    assert len(positive) / len(rows) == pytest.approx(0.14, abs=0.01)


def test_where_far_pairs_run_out_the_share_of_positives_stays(made, selection):
    rows = mining.paraphrases(selection, TaskName.PARA_PROBLEM, MiningRules(share=0.01), 42, TaskContext())
    assert 0 < rows.labels.mean() < 0.02
    assert len({frozenset(pair) for pair in rows.families.tolist()}) == len(rows)


def counted(items, number, until):
    """Families that cite one, published by a day."""
    published = [item.filed + timedelta(days=540) for item in items if number in item.cites]
    return sum(day <= until for day in published)


def test_bloom_ranks_citations_inside_a_domain(made, selection):
    items = made[0]
    last = max(item.filed for item in items) + timedelta(days=540)
    rows = bloom.blooms(selection, MiningRules(), 42)
    label = dict(zip(rows.families[:, 0].tolist(), rows.labels.tolist(), strict=True))
    seen = Counter(rows.labels.tolist())
    assert seen[bloom.Bloom.EARLY]
    assert seen[bloom.Bloom.LATE]
    assert seen[bloom.Bloom.NORMAL]
    for domain in world.CLASSES:
        own = [item.number for item in items if item.labels[0] == domain]
        soon = {n: counted(items, n, min(items[n].filed + timedelta(days=1826), last)) for n in own}
        ever = {n: counted(items, n, last) for n in own}
        early = {n for n in own if soon[n] >= np.quantile([*soon.values()], 0.9) and soon[n]}
        late = {
            n
            for n in own
            if n not in early
            and ever[n] >= np.quantile([*ever.values()], 0.9)
            and ever[n]
            and soon[n] <= np.quantile([*soon.values()], 0.1)
        }
        assert {n for n in own if label.get(n) == bloom.Bloom.EARLY} == early
        assert {n for n in own if label.get(n) == bloom.Bloom.LATE} == late
        normal = {n for n in own if label.get(n) == bloom.Bloom.NORMAL}
        assert len(normal) == min(max(len(early), len(late)), len(own) - len(early) - len(late))


def test_bloom_looks_no_further_than_its_cut_off(made, selection):
    cutoff = date(2005, 1, 1)
    rows = bloom.blooms(selection, MiningRules(), 42, cutoff=cutoff)
    items = made[0]
    assert all(items[number].filed < cutoff for number in rows.families[:, 0].tolist())
    assert len(rows) < len(bloom.blooms(selection, MiningRules(), 42))
    named = rows.families[rows.labels == bloom.Bloom.EARLY][:, 0].tolist()
    assert all(counted(items, number, cutoff) for number in named)


def test_rules_choose_families(made):
    items, families, _ = made
    later = select(families, SelectionRules(min_class=5, from_year=2000))
    assert later.kept.tolist() == [item.number for item in items if item.filed.year >= 2000]
    cited = Counter(number for item in items for number in item.cites)
    often = select(families, SelectionRules(min_class=5, min_cited=3))
    assert often.kept.tolist() == [item.number for item in items if cited[item.number] >= 3]
    sizes = Counter(item.labels[0] for item in items)
    large = sorted(sizes.values())[-2]
    found = select(families, SelectionRules(min_class=large))
    assert found.kept.tolist() == [item.number for item in items if sizes[item.labels[0]] >= large]
    assert not found.nothing


def test_where_no_family_takes_part_it_is_said_why(made):
    families = made[1]
    none = select(families, SelectionRules(source=ClassSource.CPC, min_class=1))
    assert len(none.kept) == 0
    assert "none has a class by cpc" in none.nothing
    assert len(select(families, SelectionRules(source=ClassSource.EITHER, min_class=1)).kept) == len(families)
    none = select(families, SelectionRules())
    assert "the largest class is " in none.nothing
    assert "params.min_class (now 100)" in none.nothing
    rules = MiningRules()
    assert len(mining.triplets(none, TaskName.RETRIEVAL_IN, rules, 1, TaskContext())) == 0
    assert len(mining.paraphrases(none, TaskName.PARA_PROBLEM, rules, 1, TaskContext())) == 0
    assert len(mining.directions(none, rules, 1)) == len(bloom.blooms(none, rules, 1)) == 0
    assert len(mining.classes(none, rules, 1)) == len(mining.parts(none, TaskName.TITLE2FULL, rules, 1)) == 0
