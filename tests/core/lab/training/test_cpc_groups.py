"""Contrastive pairs down to the subgroup: thin labels, negatives under one parent, a loss that falls."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from claimlight.errors import InputError
from claimlight.lab.training.mining.cpc_pairs import Labels, label_pairs
from claimlight.training.params import Params
from claimlight.training.task import TaskSource
from claimlight.training.tasks import make_task
from claimlight.types import ClassSymbol, Scheme
from tests.core.lab.training import classified_library as made

GROUPS = ("1/00", "1/02", "3/00", "3/10")


def documents(count=48):
    """Each has one subgroup of a subclass; its words say the class, and one of them the subgroup."""
    rng = random.Random(4)
    found = []
    for number in range(count):
        label = made.CLASSES[number // len(GROUPS) % 3]
        group = GROUPS[number % len(GROUPS)]
        patent = made.document(number, [label], rng=rng)
        symbol = ClassSymbol(Scheme.CPC, f"{label}B {group}")
        found.append(replace(patent, classes=(symbol,)))
    return found


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    with made.corpus(tmp_path_factory.mktemp("groups") / "library", documents()) as opened:
        yield opened


def task_of(corpus, folder, **params):
    from claimlight.tasks import TaskContext

    source = TaskSource(corpus, Params(params, "test"), seed=3, work=folder, context=TaskContext())
    return make_task("cpc", source)


def symbols_of(corpus, task):
    """The symbols of both documents of each pair, and whether they belong together."""
    by_text = {}
    for number in corpus.ids.tolist():
        document = corpus.read([number], description=False)[0]
        by_text[task._text(document)] = document
    found = []
    whole = task.batch(0, task.examples)
    classes = corpus.classes()
    from claimlight.training.documents.class_index import Level

    for left, right, label in zip(*whole.columns, whole.labels, strict=True):
        pair = [
            next(iter(classes.of(by_text[text].id, Scheme.CPC, Level.SUBGROUP))) for text in (left, right)
        ]
        found.append((*pair, label))
    return found


@pytest.mark.parametrize(("level", "length"), [("main-group", 1), ("subgroup", 2)])
def test_pairs_share_a_group_or_do_not(level, length, corpus, tmp_path):
    task = task_of(corpus, tmp_path, level=level, pairs=6, negatives="parent")

    def group(symbol):
        return symbol.split("/")[0] if length == 1 else symbol

    seen = symbols_of(corpus, task)
    assert len(seen) == task.examples
    assert sum(label for *_, label in seen) == len(seen) / 2
    for left, right, label in seen:
        assert (group(left) == group(right)) == bool(label)
        # Four documents of each subgroup are enough to find every negative pair under the parent.
        assert left.split()[0] == right.split()[0]
        if length == 2:
            assert left.split("/")[0] == right.split("/")[0]


def test_negatives_of_the_section_leave_the_parent(corpus, tmp_path):
    task = task_of(corpus, tmp_path, level="subgroup", pairs=6)
    seen = symbols_of(corpus, task)
    assert any(left.split("/")[0] != right.split("/")[0] for left, right, label in seen if not label)


def test_a_label_that_is_too_thin_gives_no_pairs(corpus, tmp_path):
    every = task_of(corpus, tmp_path, level="subgroup", pairs=100)
    assert every.examples == 2 * 12 * 6  # twelve subgroups of four documents: six pairs and as many negative
    assert task_of(corpus, tmp_path, level="subgroup", pairs=100, least=4).examples == every.examples
    with pytest.raises(InputError, match="no pairs of cpc labels"):
        task_of(corpus, tmp_path, level="subgroup", pairs=100, least=5)


def thin(count=600, seed=2):
    """Each document has one or two of 3,000 labels: most labels have at most a document."""
    rng = random.Random(seed)
    sets = [set(rng.sample(range(3000), rng.choice((1, 2)))) | {rng.randrange(12)} for _ in range(count)]
    names = sorted({name for own in sets for name in own})
    members = {
        f"L{name:04}": np.array([place for place, own in enumerate(sets) if name in own], dtype=np.int64)
        for name in names
    }
    return Labels(members, np.arange(count)), sets


def test_thin_labels_among_thousands_keep_every_promise(monkeypatch):
    """Counted through or drawn: with a budget of few bytes most labels are drawn."""
    for budget in (1 << 25, 1 << 16):
        monkeypatch.setattr("claimlight.lab.training.mining.cpc_pairs._COMPARED", budget)
        labels, sets = thin()
        assert labels.width > 90
        for name, places in list(labels.members.items())[:200]:
            near = places[: len(places) // 2]
            pairs = label_pairs(labels, name, count=20, seed=1, near=near)
            most = len(places) * (len(places) - 1) // 2
            assert pairs.positive.sum() == (~pairs.positive).sum() == min(20, most)
            keys = {
                (min(a, b), max(a, b)) for a, b in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)
            }
            assert len(keys) == len(pairs)
            for a, b, together in zip(pairs.left, pairs.right, pairs.positive, strict=True):
                assert bool(sets[a] & sets[b]) == together


def test_the_label_above_is_asked_first():
    """A's negatives are all of ``near`` as long as it has some, then of the rest."""
    members = {"A": np.arange(6), "B": np.arange(6, 8), "C": np.arange(8, 40)}
    labels = Labels(members, np.arange(40))
    few = label_pairs(labels, "A", count=5, seed=0, near=np.arange(8))
    assert set(few.right[~few.positive].tolist()) <= {6, 7}
    many = label_pairs(labels, "A", count=15, seed=0, near=np.arange(8))
    own = many.right[~many.positive]
    assert (own < 8).sum() == 12
    assert len(own) == 15


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_loss_falls_in_three_steps(corpus, tmp_path):
    """One batch, three times: an epoch of the recipe on a few pairs."""
    torch = pytest.importorskip("torch", reason="needs claimlight[train]")
    pytest.importorskip("accelerate", reason="needs claimlight[train]")
    from claimlight.tasks import TaskContext
    from claimlight.training.recipes.recipe_file import load
    from claimlight.training.run.folder import read_events
    from claimlight.training.run.loop import train

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        changes = [
            "run.precision=fp32", "run.epochs=3", "optimizer.lr=5e-3", "optimizer.warmup=0",
            "task.cpc.params.prompt=", "task.cpc.batch=48", "task.cpc.params.pairs=2",
            "task.cpc.params.replay=0.0",
        ]  # fmt: skip
        train(
            load("cpc-subgroup", changes), corpus, tmp_path / "run", TaskContext(),
            checkpoint=made.checkpoint(tmp_path / "start", hidden=32), device="cpu",
        )  # fmt: skip
    finally:
        torch.set_num_threads(before)
    losses = [event.loss for event in read_events(tmp_path / "run" / "events.jsonl")]
    assert len(losses) == 3
    assert losses[0] > losses[1] > losses[2]
