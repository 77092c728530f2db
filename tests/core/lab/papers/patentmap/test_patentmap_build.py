"""Sets out of invented libraries: the choice of queries, documents like a text, who is in the pool."""

import json
import math
import random
from collections import Counter
from dataclasses import replace
from datetime import date

import pytest

from claimlight.cli.__main__ import run
from claimlight.errors import InputError
from claimlight.lab.papers.patentmap.build import BuildPlan, Positives, build
from claimlight.lab.papers.patentmap.choosing import SECTIONS, Candidate, Choice
from claimlight.lab.papers.patentmap.dataset import read_set
from claimlight.lab.papers.patentmap.similar import SimilarDocuments
from claimlight.store.tokens import tokenize
from claimlight.tasks import TaskContext
from claimlight.types import Citation, ClassSymbol, LocalText, Origin, PatentId, PublicationNumber, Scheme
from tests.fakes import library, patent

CLASSES = ("A47J 31/00", "B62K 3/00", "F16F 9/00", "F21S 2/00", "G01B 1/00")
WORDS = ("damper", "kettle", "lamp", "bicycle", "spout", "brake", "strut", "wheel", "handle", "frame")


def cited(target, category="X", origin=Origin.SEARCH):
    return Citation(PublicationNumber(*target), category=category, origin=origin)


def made(target, words, *, citations=(), classes=CLASSES[:1], filed=date(2009, 1, 2), language="en", **more):
    country, number, kind = target
    told = " ".join(words)
    built = patent(
        number,
        f"{words[0]} {number}",
        country=country,
        kind=kind,
        claims=[f"A {told}.", f"The {words[0]} of claim 1."],
        paragraphs=[f"Shown is a {told} {word}." for word in words],
        **more,
    )
    return replace(
        built,
        titles=(LocalText(f"{words[0]} {words[1]}", language),),
        abstracts=(LocalText(f"A {told}.", language),),
        language=language,
        filed=filed,
        citations=tuple(citations),
        classes=tuple(ClassSymbol(Scheme.IPC, symbol) for symbol in classes),
    )


def world(seed, *, queries=10, layer=50):
    """EP applications of 2021 over two layers of older patents that cite one another at random."""
    rng = random.Random(seed)
    far = [("US", str(5_000_000 + n), "A") for n in range(layer)]
    near = [("EP", str(1_000_000 + n), "A1") for n in range(layer)]
    top = [("EP", str(3_000_000 + n), "A1") for n in range(queries)]

    def words():
        return rng.sample(WORDS, 4)

    patents = [
        made(
            target,
            words(),
            classes=rng.sample(CLASSES, rng.randrange(3)),
            priority=f"far{rng.randrange(layer)}",
            language=rng.choice(["en", "en", "de"]),
        )
        for target in far
    ]
    patents += [
        made(
            target,
            words(),
            citations=[cited(item, "") for item in rng.sample(far, rng.randrange(6))],
            classes=rng.sample(CLASSES, rng.randrange(1, 3)),
            priority=f"near{rng.randrange(layer)}",
        )
        for target in near
    ]
    patents += [
        made(
            target,
            words(),
            citations=[
                cited(item, rng.choice(["X", "Y", "A", "D", "A,X"]))
                for item in (*rng.sample(near, rng.randrange(4)), *rng.sample(far, 2), *rng.sample(top, 1))
            ],
            classes=rng.sample(CLASSES, rng.randrange(1, 3)),
            filed=date(2021, rng.randrange(1, 13), 1),
        )
        for target in top
    ]
    return patents


SMALL = BuildPlan(count=6, similar=8, same_class=5, beyond=4)


def built(folder, patents, plan=SMALL):
    with library(folder, patents) as held:
        return build(held, plan, TaskContext())


def means(found):
    return {figure.name: figure.value for figure in found.report.rows[0].figures}


class World:
    """The rules once more, over plain sets of families."""

    def __init__(self, patents):
        self.by_name = {str(item.publication): item for item in patents}
        self.family = {
            name: item.priorities[0].number if item.priorities else name
            for name, item in self.by_name.items()
        }
        self.links = {
            (self.family[name], self.family[str(link.publication)], link.category)
            for name, item in self.by_name.items()
            for link in item.citations
        }

    def members(self, family):
        return [self.by_name[name] for name, label in self.family.items() if label == family]

    def cites(self, family):
        return {there for here, there, _ in self.links if here == family and there != family}

    def subclasses(self, family):
        return {symbol.symbol[:4] for item in self.members(family) for symbol in item.classes}

    def usable(self, family):
        return any(item.language == "en" for item in self.members(family))

    def positives(self, family):
        found = {}
        for here, there, letters in self.links:
            if here == family and there != family and set(letters) & set("XYA") and self.usable(there):
                found.setdefault(there, set()).update(letters)
        return {there: next(c for c in "XYA" if c in letters) for there, letters in found.items()}


@pytest.mark.parametrize("seed", range(4))
def test_a_set_follows_the_rules(tmp_path, seed):
    patents = world(seed)
    found, rules = built(tmp_path / "lib", patents), World(patents)
    data = found.data
    assert 1 <= len(data.queries) <= 6
    assert data.gold.keys() == data.queries.keys()
    pool = {rules.family[name]: name for name in data.documents}
    assert len(pool) == len(data.documents)
    allowed = set()
    for name in data.queries:
        own = rules.family[name]
        expected = rules.positives(own)
        assert {rules.family[item.cited]: item.category for item in data.gold[name]} == expected
        assert all(item.cited in data.documents for item in data.gold[name])
        direct = rules.cites(own) | {own}
        beyond = {there for family in direct - {own} for there in rules.cites(family)} - direct
        kin = {label for label in pool if rules.subclasses(label) & rules.subclasses(own)} - direct
        allowed |= set(expected) | beyond | kin
    assert all(rules.by_name[name].language == "en" for name in data.documents)
    # What is left came in as like the text of a query: no more than eight each.
    assert len(set(pool) - allowed) <= 8 * len(data.queries)
    own = means(found)
    assert own["cited"] == pytest.approx(sum(map(len, data.gold.values())) / len(data.queries))
    assert own["more like this"] == 8
    assert own["same subclass"] <= 5
    assert own["cited of cited"] <= 4
    counts = {item.name: item.number for item in found.report.counts}
    assert (counts["queries"], counts["documents"]) == (len(data.queries), len(data.documents))


def test_numbers_of_negatives_are_asked_for_one_by_one(tmp_path):
    patents = world(1)
    rules = World(patents)
    nothing = replace(SMALL, similar=0, same_class=0, beyond=0)
    only = built(tmp_path / "none", patents, nothing).data
    assert set(only.documents) == {item.cited for items in only.gold.values() for item in items}
    beyond = built(tmp_path / "beyond", patents, replace(nothing, beyond=99)).data
    for name in set(beyond.documents) - set(only.documents):
        family = rules.family[name]
        queries = [rules.family[query] for query in beyond.queries]
        assert any(
            family in {t for c in rules.cites(q) for t in rules.cites(c)} - rules.cites(q) for q in queries
        )
    kin = built(tmp_path / "kin", patents, replace(nothing, same_class=3))
    assert means(kin) == pytest.approx({**means(kin), "same subclass": 3, "more like this": 0})


def test_the_same_seed_builds_the_same_set_and_another_another(tmp_path):
    patents = world(2)
    plan = replace(SMALL, similar=0, same_class=3)
    first = built(tmp_path / "a", patents, plan)
    assert built(tmp_path / "b", patents, plan) == first
    other = built(tmp_path / "c", patents, replace(plan, seed=7)).data
    assert other.queries == first.data.queries
    assert other.documents.keys() != first.data.documents.keys()


def test_a_query_is_in_the_pool_by_its_own_name(tmp_path):
    """A query that another cites by its German relative is known by the query's own publication."""
    one, two = ("EP", "3000001", "A1"), ("EP", "3000002", "A1")
    relative, old = ("DE", "900", "A1"), ("US", "5", "A")
    patents = [
        made(relative, ("lamp", "frame"), priority="P"),
        made(one, ("lamp", "wheel"), citations=[cited(old)], filed=date(2021, 3, 1), priority="P"),
        made(two, ("lamp", "brake"), citations=[cited(relative)], filed=date(2021, 3, 1)),
        made(old, ("lamp", "spout")),
    ]
    data = built(tmp_path / "lib", patents).data
    assert set(data.queries) == {"EP3000001A1", "EP3000002A1"}
    assert [item.cited for item in data.gold["EP3000002A1"]] == ["EP3000001A1"]
    # The other query is like the first, and the German relative stands for nobody.
    assert set(data.documents) == {"EP3000001A1", "EP3000002A1", "US5A"}


@pytest.mark.parametrize(
    ("positives", "expected"),
    [("category", {"US1A"}), ("examiner", {"US1A", "US2A"}), ("any", {"US1A", "US2A", "US3A"})],
)
def test_which_citations_count(tmp_path, positives, expected):
    links = [
        cited(("US", "1", "A"), "X"),
        cited(("US", "2", "A"), "", Origin.EXAMINER),
        cited(("US", "3", "A"), "", Origin.APPLICANT),
    ]
    patents = [made(("US", str(n), "A"), ("lamp", "wheel")) for n in (1, 2, 3, 4)]
    patents.append(made(("EP", "9", "A1"), ("lamp", "frame"), citations=links, filed=date(2021, 3, 1)))
    data = built(tmp_path / "lib", patents, replace(SMALL, positives=Positives(positives))).data
    assert {item.cited for item in data.gold["EP9A1"]} == expected
    # What is cited, counted or not, is no negative of the same query.
    assert set(data.documents) == expected | {"US4A"}
    assert data.gold["EP9A1"][0].category == "X"


def test_texts_are_whole_and_cut_by_words(tmp_path):
    patents = world(3)
    whole = built(tmp_path / "a", patents, replace(SMALL, words=0)).data
    name, query = next(iter(whole.queries.items()))
    source = World(patents).by_name[name]
    assert query.title == source.titles[0].text
    assert query.abstract == source.abstracts[0].text
    assert query.claims == tuple(f"{claim.number}. {claim.text}" for claim in source.claims)
    assert query.description == tuple(item.text for item in source.description)
    cut = built(tmp_path / "b", patents, replace(SMALL, words=3)).data.queries[name]
    assert cut == query.cut(3)


def test_no_query_is_told_with_what_to_do(tmp_path):
    patents = world(1)
    for number, (plan, message) in enumerate(
        [
            (replace(SMALL, offices=frozenset({"JP"})), "no document of JP, filed from 2021-01-01"),
            (replace(SMALL, filed_from=date(2022, 1, 1)), "Widen --office"),
            (replace(SMALL, count=0), "one query at least"),
            (replace(SMALL, beyond=-1), "no number may be below 0"),
            (replace(SMALL, scheme=Scheme.OTHER), "ipc or cpc"),
        ]
    ):
        with pytest.raises(InputError, match=message):
            built(tmp_path / str(number), patents, plan)
    german = [replace(item, language="de", abstracts=(LocalText("Ein.", "de"),)) for item in patents]
    with pytest.raises(InputError, match="none has title, abstract and claims in English"):
        built(tmp_path / "german", german)


def chosen_plainly(candidates, count, balanced):
    """The greedy choice by its words, over all candidates each time."""
    covered, taken, counts = set(), [], Counter()
    left = list(candidates)
    while left and len(taken) < count:
        some = left
        if len(taken) < balanced:
            for letter in sorted(SECTIONS, key=lambda letter: (counts[letter], letter)):
                if some := [item for item in left if letter in item.sections]:
                    break
            some = some or left
        best = max(some, key=lambda item: len(item.second - covered))
        left.remove(best)
        taken.append(best)
        covered |= best.second
        counts.update(best.sections)
    return taken


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("balanced", [0, 8, 40])
def test_the_choice_against_a_plain_one(seed, balanced):
    rng = random.Random(seed)
    candidates = [
        Candidate(
            PatentId(number),
            frozenset(rng.sample("ABCDY", rng.randrange(3))),
            frozenset(rng.sample([f"f{n}" for n in range(40)], rng.randrange(9))),
        )
        for number in range(30)
    ]
    choice, found = Choice(candidates), []
    while len(found) < 20 and (item := choice.next(balanced=len(found) < balanced)) is not None:
        choice.take(item)
        found.append(item)
    assert found == chosen_plainly(candidates, 20, balanced)


def test_a_candidate_that_is_turned_down_covers_nothing():
    one = Candidate(PatentId(1), frozenset("A"), frozenset({"x", "y", "z"}))
    two = Candidate(PatentId(2), frozenset("A"), frozenset({"x", "y"}))
    three = Candidate(PatentId(3), frozenset("B"), frozenset({"w"}))
    choice = Choice([three, two, one])
    assert [choice.next(balanced=False) for _ in range(4)] == [one, two, three, None]
    choice = Choice([three, two, one])
    choice.take(one)
    assert choice.next(balanced=True) == three


def bm25(fields, asked):
    """Scores of FTS5's own formula, for documents as lists of fields as lists of passages of stems."""
    passages = [passage for document in fields for field in document for passage in field]
    average = sum(map(len, passages)) / len(passages)

    def score(passage):
        total = 0.0
        for word in asked:
            many = sum(word in other for other in passages)
            idf = max(math.log((len(passages) - many + 0.5) / (many + 0.5)), 1e-6)
            count = passage.count(word)
            total += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(passage) / average))
        return total

    return [sum(max(map(score, field), default=0.0) for field in document) for document in fields]


def test_likeness_is_the_sum_of_the_best_of_each_field(tmp_path):
    rng = random.Random(5)
    patents = [
        made(("EP", str(100 + n), "A1"), rng.sample(WORDS, rng.randrange(2, 6)), priority=f"p{n}")
        for n in range(12)
    ]
    asked = "A damper with a strut, a lamp and a wheel."
    with (
        library(tmp_path / "lib", patents) as held,
        SimilarDocuments.open(held, TaskContext()) as similar,
    ):
        scores = similar.scores(asked)
        ranked = list(similar.best(asked, without=[PatentId(3), PatentId(5)]))
        assert list(similar.best("...", without=[])) == []

    def stems(*texts):
        return [list(item) for item in tokenize(texts)]

    titles = [[stems(item.titles[0].text)] for item in patents]
    others = [
        [
            stems(f"{item.titles[0].text}\n{item.abstracts[0].text}"),
            stems(*(claim.text for claim in item.claims)),
            stems(*(paragraph.text for paragraph in item.description)),
        ]
        for item in patents
    ]
    words = [stem for (stem,) in tokenize(["damper", "strut", "lamp", "wheel"])]
    expected = [a + b for a, b in zip(bm25(titles, words), bm25(others, words), strict=True)]
    assert scores.tolist() == pytest.approx(expected)
    order = sorted(range(len(expected)), key=lambda place: (-expected[place], place))
    assert ranked == [place + 1 for place in order if place + 1 not in (3, 5) and expected[place] > 0]


def test_the_command_writes_what_run_reads(tmp_path, capsys):
    library(tmp_path / "lib", world(1)).close()
    command = ["lab", "patentmap", "build", "--library", str(tmp_path / "lib")]
    more = ("--data", str(tmp_path / "perf"), "--count", "4", "--similar", "6", "--same-class", "3")
    assert run([*command, *more, "--out", str(tmp_path / "o.json"), "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body == json.loads((tmp_path / "o.json").read_text())
    data = read_set(tmp_path / "perf", words=0)
    assert body["counts"]["documents"] == len(data.documents)
    assert body["counts"]["queries"] == len(data.queries) == 4
    assert run([*command, *more]) == 1
    assert "holds an evaluation set already" in " ".join(capsys.readouterr().err.split())
    told = ("--system", "bm25", "--measures", "R@100", "--json")
    assert run(["lab", "patentmap", "run", "--data", str(tmp_path / "perf"), *told]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["system"] for row in rows] == ["TA->TA bm25", "claims->all bm25"]
    assert run([*command, "--data", str(tmp_path / "b"), "--office", "jp"]) == 1
    assert "no document of JP" in " ".join(capsys.readouterr().err.split())
    any_office = ("--office", "any", "--positives", "any", "--filed-from", "2000-01-01")
    assert run([*command, "--data", str(tmp_path / "c"), *any_office, "--count", "30"]) == 0
    assert any(name.startswith("EP1") for name in read_set(tmp_path / "c").queries)
