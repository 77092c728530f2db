"""Triplets mined from invented citations, checked by the words of the paper over plain sets of families."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from claimlight.errors import InputError, ResourceError
from claimlight.lab.training.mining import triplets as mining
from claimlight.lab.training.mining.triplets import Skip, TripletPlan, mine
from claimlight.store.citation_walk import CitationWalk, Cited, WalkPlan
from claimlight.tasks import TaskContext
from claimlight.training.documents.corpus import TrainingCorpus
from claimlight.training.params import Params
from claimlight.training.task import TaskSource
from claimlight.training.tasks import make_task
from claimlight.types import Note, Scheme
from tests.core.lab.papers.paecter.paecter_world import World, cited, made, random_world
from tests.fakes import library


@pytest.fixture(scope="module")
def patents():
    return random_world(5, queries=24)


@pytest.fixture(scope="module")
def corpus(patents, tmp_path_factory):
    folder = tmp_path_factory.mktemp("triplets") / "lib"
    library(folder, patents).close()
    with TrainingCorpus.open(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def mined(corpus):
    return mine(corpus, TripletPlan(), TaskContext())


def named(corpus, rows):
    number = {item.id: item.number for item in corpus.read(corpus.ids)}
    return [tuple(number[item] for item in row) for row in rows.tolist()]


def check(world, row, *, hard):
    """One triplet by the rules of sections 2.2 to 2.4."""
    own, answer, wrong = (world.family[name] for name in row)
    direct = world.cites(own)
    beyond = {there for family in direct for there in world.cites(family)} - direct - {own}
    letters = {c for here, there, text in world.links if (here, there) == (own, answer) for c in text}
    assert letters & set("XYIA"), "a positive is cited with one of these letters"
    assert wrong in world.ever_cited()
    assert wrong not in direct | {own}
    relatives = {name for name, label in world.family.items() if label == wrong}
    days = {world.by_name[name].published for name in relatives}
    day = world.by_name[row[0]].published
    if hard:
        assert wrong in beyond
        assert world.classes(wrong)
        assert min(days) < day
    else:
        assert wrong not in beyond
        assert world.classes(wrong) & world.classes(own)
        assert any(day.replace(year=day.year - 5) <= other < day for other in days)
    for name in row:
        text = world.by_name[name].abstracts
        assert text
        assert text[0].language == "en", "a relative stands in for what has no English abstract"


def test_every_triplet_obeys_the_paper(corpus, mined, patents):
    world = World(patents)
    rows = named(corpus, mined.rows)
    assert len(rows) > 30
    for row, hard in zip(rows, mined.hard.tolist(), strict=True):
        check(world, row, hard=hard)


def test_five_of_each_focal_hard_ones_first(mined):
    focals = mined.rows[:, 0].reshape(-1, 5)
    assert (focals == focals[:, :1]).all()
    assert len(np.unique(focals[:, 0])) == len(focals)
    hard = mined.hard.reshape(-1, 5)
    assert (hard.sum(axis=1) <= 2).all()
    assert (hard[:, :1] >= hard[:, 1:2]).all()
    assert not hard[:, 2:].any()
    assert hard.any()
    negatives = mined.rows[:, 2].reshape(-1, 5)
    assert all(len(set(row)) == 5 for row in negatives.tolist()), "negatives are drawn without replacement"


def test_positives_are_drawn_with_replacement(corpus, mined):
    repeated = [len(set(row)) < 5 for row in mined.rows[:, 1].reshape(-1, 5).tolist()]
    assert any(repeated)


@pytest.mark.parametrize("tries", [mining._TRIES, 0])
def test_easy_negatives_are_drawn_with_equal_chances(corpus, mined, monkeypatch, tries):
    """One by one, and out of the list of all."""
    monkeypatch.setattr(mining, "_TRIES", tries)
    graph = corpus.citations(unread=True)
    readable = mining._StandIns(graph, frozenset(corpus.with_abstract().tolist()))
    walk = CitationWalk(graph, WalkPlan())
    miner = mining._Miner(walk, readable, TripletPlan())
    focals = (graph.documents[item] for item in set(mined.rows[:, 0].tolist()))
    focal = max(focals, key=lambda item: (len(walk.classes(item.id)), item.id))
    chances = Counter(graph.documents[item].family for item in walk.easy(focal.id) if readable.best(item))
    drawn = Counter()
    rng = np.random.default_rng(7)
    for _ in range(1500):
        (found,) = miner._easy(focal, 1, rng)
        drawn[corpus.family(found)] += 1
    assert set(drawn) == set(chances)
    for family, count in chances.items():
        expected = 1500 * count / chances.total()
        assert abs(drawn[family] - expected) < 4.5 * expected**0.5


def test_the_same_seed_draws_the_same_from_another_order(corpus, mined, patents, tmp_path):
    library(tmp_path / "lib", patents[::-1]).close()
    with TrainingCorpus.open(tmp_path / "lib") as turned:
        again = mine(turned, TripletPlan(), TaskContext())
        assert named(turned, again.rows) == named(corpus, mined.rows)
        other = mine(turned, TripletPlan(seed=1), TaskContext())
    assert other.rows.tolist() != again.rows.tolist()


def test_focals_are_split_and_what_they_cite_is_not(corpus, mined):
    train, held = corpus.held_out(0.3, seed=2)
    parts = [mine(part, TripletPlan(), TaskContext()) for part in (train, held)]
    rows = [{tuple(row) for row in part.rows.tolist()} for part in parts]
    assert not rows[0] & rows[1]
    assert rows[0] | rows[1] == {tuple(row) for row in mined.rows.tolist()}, "no triplet is lost by the split"
    assert all(rows)
    for part, own in zip(rows, (train, held), strict=True):
        families = {own.family(item) for item in own.ids.tolist()}
        assert {corpus.family(row[0]) for row in part} <= families


def test_reasons_add_up(corpus, mined, patents):
    asked = sum(item.publication.country == "EP" for item in patents)
    skipped = dict(mined.skipped)
    assert list(skipped) == list(Skip)
    assert sum(skipped.values()) + len(mined.rows) // 5 <= asked
    assert skipped[Skip.CITATIONS]
    few = mine(corpus, TripletPlan(focals=3), TaskContext())
    assert few.rows.tolist() == mined.rows[:15].tolist()
    none = mine(corpus, TripletPlan(walk=WalkPlan(offices=frozenset({"JP"}))), TaskContext())
    assert none.rows.shape == (0, 3)
    assert sum(count for _, count in none.skipped) == 0


def test_other_rules_than_the_papers(corpus):
    any_office = WalkPlan(offices=frozenset(), cited=Cited.ANY, ever_cited=False, scheme=Scheme.CPC)
    found = mine(corpus, TripletPlan(walk=any_office, each=3, hard=3), TaskContext())
    assert found.rows.shape[0] % 3 == 0
    assert found.hard.reshape(-1, 3).sum() > 0
    with pytest.raises(InputError, match="cpc or ipc"):
        mine(corpus, TripletPlan(walk=replace(any_office, scheme=Scheme.OTHER)), TaskContext())


def test_a_relative_stands_in_by_the_order_of_offices(tmp_path):
    def one(country, number, kind, *, day=date(2010, 1, 1), **more):
        return made((country, number, kind), "lamp", classes=("A61B 5/00",), published=day, **more)

    beyond = [one("US", f"70000{n}", "A", day=date(2000, 1, 1)) for n in range(4)]
    cites = [cited(("US", f"70000{n}", "A"), "") for n in range(4)]
    patents = [
        *beyond,
        one("DE", "600001", "A1", language="de", citations=cites, priority="P1"),
        one("FR", "500001", "A1", priority="P1"),
        one("US", "800001", "A1", priority="P1"),
        one("EP", "1000002", "A1", citations=cites[:2]),
        *(one("EP", f"11000{n}", "A1") for n in range(8)),
        # Those that could be easy negatives were cited by somebody.
        one("EP", "1200000", "A1", citations=[cited(("EP", f"11000{n}", "A1")) for n in range(8)]),
        one(
            "EP", "1300000", "A1", day=date(2012, 1, 1),
            citations=[cited(("DE", "600001", "A1"), "X"), cited(("EP", "1000002", "A1"), "A")],
        ),
    ]  # fmt: skip
    library(tmp_path / "lib", patents).close()
    with TrainingCorpus.open(tmp_path / "lib") as opened:
        assert "DE600001A1" not in [item.number for item in opened.read(opened.ids)]
        rows = named(opened, mine(opened, TripletPlan(each=5), TaskContext()).rows)
    assert {row[0] for row in rows} == {"EP1300000A1"}
    assert {row[1] for row in rows} == {"US800001A1", "EP1000002A1"}
    assert {row[2] for row in rows[:2]} <= {f"US70000{n}A" for n in range(4)}


def source(corpus, folder, told=None, **params):
    context = TaskContext((lambda event: told.append(event)) if told is not None else lambda event: None)
    return TaskSource(corpus, Params(params, "toy.toml"), 42, folder, context)


def test_the_task_shows_titles_and_abstracts(corpus, mined, tmp_path):
    told = []
    task = make_task("triplets", source(corpus, tmp_path, told))
    assert task.examples == len(mined.rows)
    assert task.columns == 3
    notes = [item.text for item in told if isinstance(item, Note)]
    assert len(notes) == 1
    assert notes[0].startswith(f"{len(mined.rows)} triplets of {len(mined.rows) // 5} focal patents")
    batches = [task.batch(step, 7) for step in range(len(mined.rows) // 7)]
    seen = Counter(row for batch in batches for row in zip(*batch.columns, strict=True))
    documents = {item.id: item for item in corpus.read(np.unique(mined.rows))}
    text = {item: f"{found.title} [SEP] {found.abstract}" for item, found in documents.items()}
    expected = Counter(tuple(text[item] for item in row) for row in mined.rows.tolist())
    assert not seen - expected
    assert sum(seen.values()) == len(batches) * 7


def test_what_was_mined_is_kept_by_plan_and_library(corpus, tmp_path, monkeypatch):
    first = make_task("triplets", source(corpus, tmp_path))
    room = sys.modules["claimlight.lab.training.tasks.triplets"]
    monkeypatch.setattr(room, "mine", lambda *_: pytest.fail("mined again"))
    again = make_task("triplets", source(corpus, tmp_path))
    assert again.batch(3, 8).columns == first.batch(3, 8).columns
    monkeypatch.undo()
    make_task("triplets", source(corpus, tmp_path, each=3))
    make_task("triplets", source(corpus.held_out(0.3, seed=2).train, tmp_path))
    files = sorted(tmp_path.glob("*.npy"))
    assert len(files) == 3
    for path in files:
        path.write_bytes(b"torn")
    with pytest.raises(ResourceError, match="remove it"):
        make_task("triplets", source(corpus, tmp_path))


def test_a_library_without_such_citations_gives_none(corpus, tmp_path):
    task = make_task("triplets", source(corpus, tmp_path, offices=["JP"]))
    assert task.examples == 0
    assert task.batch(0, 4).columns == ((), (), ())


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"filed_from": "someday"}, "1985-01-01"),
        ({"filed_to": 1985}, "1985-01-01"),
        ({"cited": "often"}, "category"),
        ({"hard": 6}, "at most 5"),
        ({"scheme": "other"}, "cpc"),
    ],
)
def test_what_can_not_be_is_said(corpus, tmp_path, params, message):
    with pytest.raises(InputError, match=message):
        make_task("triplets", source(corpus, tmp_path, **params))
