"""What was encoded and not committed: found again by its texts, and never trusted otherwise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from indexing_fakes import NumberCorpus, WordEncoder, build, says, settings, stack

from claimlight.errors import TaskCancelled
from claimlight.index.generation import Generation
from claimlight.index.segments import NAMES
from claimlight.index.writer import CHECKPOINT, IndexWriter
from claimlight.services.indexing import checkpoint, encoding, indexing
from claimlight.services.indexing.indexing import build_index
from claimlight.services.library.rates import Rate
from claimlight.store.values import StoredPassage
from claimlight.tasks import TaskContext
from claimlight.types import IndexDepth, PassageId, PatentId, Progress, Section

BIG, PASSAGES = 5, 40


class OneBigDocument(NumberCorpus):
    """Document 5 has a description of many batches."""

    def document(self, number):
        made = super().document(number)
        if number != BIG:
            return made
        big = [
            StoredPassage(
                PassageId(9000 + n), PatentId(number), Section.DETAILED, "", "en", f"w{n} w{n + 1} is"
            )
            for n in range(PASSAGES)
        ]
        passages = (*made.passages[:1], *big)
        last = replace(passages[-1], text=self.changes.get("last", passages[-1].text))
        return replace(made, passages=(*passages[:-1], last))


class Counting(WordEncoder):
    """Counts the texts it reads, and stops its run at one of them."""

    def __init__(self, stop_at=None, how=None):
        super().__init__()
        self.read, self.stop_at, self.how = [], stop_at, how

    def encode(self, inputs, context):
        for item, made in zip(inputs, super().encode(inputs, context), strict=True):
            self.read.append(item.text)
            if self.stop_at is not None and len(self.read) == self.stop_at:
                self.how(context)
            yield made


class Killed(BaseException):
    """Stands for kill -9: nothing of the run is executed any more."""


def kill(_):
    raise Killed


def cancel(_):
    raise TaskCancelled


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """About five passages of the big document in a batch, saved after each."""
    monkeypatch.setattr(encoding, "BATCH_CHARACTERS", 60)
    monkeypatch.setattr(indexing, "COMMIT_SECONDS", 0.0)


def content(folder):
    """Every array of every segment, and the graph."""
    generation = Generation.open(folder)
    arrays = [
        (segment.part, name, np.asarray(getattr(segment.arrays, name)).tolist())
        for segment in generation.segments
        for name in NAMES
    ]
    return arrays, generation.manifest.graph.file.sha256


def files(folder):
    return list(folder.rglob(f"{CHECKPOINT}*"))


def interrupted(folder, corpus, *, at, how=kill):
    """A run that ends when the encoder has read so many texts."""
    encoder = Counting(at, how)
    with pytest.raises((Killed, TaskCancelled)):
        build(folder, corpus, tools=stack(encoder))
    return encoder


def resumed(folder, corpus):
    encoder = Counting()
    build(folder, corpus, tools=stack(encoder))
    return encoder


@pytest.fixture
def calm(tmp_path):
    encoder = Counting()
    build(tmp_path / "calm", OneBigDocument(8), tools=stack(encoder))
    return content(tmp_path / "calm"), encoder.read


def inside(calm):
    """A place in the middle of the big document's description."""
    return next(n for n, text in enumerate(calm[1], 1) if text.startswith("w20 w21 "))


def test_a_kill_inside_a_document_costs_the_batch_at_work(tmp_path, calm):
    corpus = OneBigDocument(8)
    first = interrupted(tmp_path / "index", corpus, at=inside(calm))
    assert len(files(tmp_path / "index")) == 1
    again = resumed(tmp_path / "index", corpus)
    assert content(tmp_path / "index") == calm[0], "identical to the bit"
    twice = set(first.read[-30:]) & set(again.read)
    assert len(twice) <= 6, "one batch was at work"
    assert not any(text.startswith("w3 w4 ") for text in again.read)
    assert not files(tmp_path / "index")


def test_kills_one_after_the_other_add_up(tmp_path, calm):
    corpus, begin = OneBigDocument(8), inside(calm)
    interrupted(tmp_path / "index", corpus, at=begin - 12)
    interrupted(tmp_path / "index", corpus, at=8)
    interrupted(tmp_path / "index", corpus, at=8)
    again = resumed(tmp_path / "index", corpus)
    assert len(again.read) < 40
    assert content(tmp_path / "index") == calm[0]


@pytest.mark.parametrize("at", [9, 33, 52])
def test_cancelling_loses_nothing_but_the_batch_at_work(tmp_path, calm, monkeypatch, at):
    """In both passes, also between documents that are complete and not committed."""
    monkeypatch.setattr(indexing, "COMMIT_SECONDS", 1000.0)
    corpus = OneBigDocument(8)
    first = interrupted(tmp_path / "index", corpus, at=at, how=cancel)
    again = resumed(tmp_path / "index", corpus)
    assert len(first.read) + len(again.read) <= len(calm[1]) + 8
    assert says(tmp_path / "index") == says(tmp_path / "calm")
    assert not files(tmp_path / "index")


def test_a_resumed_run_counts_what_the_earlier_one_did(tmp_path, monkeypatch):
    """Of the whole library; what is in the checkpoint is no work of this run."""
    folder, corpus = tmp_path / "index", OneBigDocument(8)
    build(folder, OneBigDocument(4))
    interrupted(folder, corpus, at=30)
    assert files(folder)
    with IndexWriter(folder) as writer:
        tools = stack()
        writer.start(tools.recipe(settings()), dim=tools.encoder.dim, centers=len(tools.vocabulary))
        whole, left = sum(writer.describable().values()), sum(writer.waiting().values())
    assert PASSAGES < left < whole
    left_out = []
    monkeypatch.setattr(Rate, "leave_out", lambda _, count: left_out.append(count))
    events = []
    build(folder, corpus, context=TaskContext(events.append))
    second = [event for event in events if isinstance(event, Progress) and event.stage == "full text"]
    shown = [(event.done, event.total) for event in second]
    assert {total for _, total in shown} == {whole}
    assert min(done for done, _ in shown) > whole - left
    assert shown[-1] == (whole, whole)
    assert 0 < sum(left_out) < PASSAGES
    events.clear()
    build(folder, OneBigDocument(10), context=TaskContext(events.append))
    first = [event for event in events if isinstance(event, Progress) and event.stage == "index"]
    assert (first[-1].done, first[-1].total) == (10, 10)
    assert min(event.done for event in first) > 8


def test_a_damaged_checkpoint_is_ignored(tmp_path, calm):
    folder = tmp_path / "index"
    interrupted(folder, OneBigDocument(8), at=inside(calm))
    (path,) = files(folder)
    body, recipe = path.read_bytes(), repr(Generation.open(folder).recipe)
    assert checkpoint._read(path, recipe).batches
    flipped = body[:-200] + bytes([body[-200] ^ 1]) + body[-199:]
    for damaged in (body[:-1], body[:99], b"", b"no checkpoint", b"0" * 64 + body[64:], flipped):
        path.write_bytes(damaged)
        assert not checkpoint._read(path, recipe).batches
    again = resumed(folder, OneBigDocument(8))
    assert any(text.startswith("w3 w4 ") for text in again.read)
    assert content(folder) == calm[0]
    assert not files(folder)


def test_a_checkpoint_that_is_no_file_is_no_fault(tmp_path, calm):
    interrupted(tmp_path / "index", OneBigDocument(8), at=inside(calm))
    (path,) = files(tmp_path / "index")
    path.unlink()
    path.mkdir()
    resumed(tmp_path / "index", OneBigDocument(8))
    assert content(tmp_path / "index") == calm[0]


def test_a_pickle_is_not_read(tmp_path):
    body = checkpoint.BytesIO()
    np.savez(body, keys=np.array([print], dtype=object))
    made = checkpoint._digest("recipe", body.getvalue()) + b"\n" + body.getvalue()
    (tmp_path / CHECKPOINT).write_bytes(made)
    assert checkpoint.Checkpoint(tmp_path, "recipe", every_seconds=1.0).resume() == ()


def test_a_changed_text_is_encoded_again(tmp_path, calm):
    """The batches of the other texts are used; the batch with the new one is not."""
    interrupted(tmp_path / "index", OneBigDocument(8), at=inside(calm) + 18)
    changed = OneBigDocument(8, changes={"last": "w1 w1 w2 changed"})
    again = resumed(tmp_path / "index", changed)
    assert "w1 w1 w2 changed" in again.read
    build(tmp_path / "fresh", changed)
    assert content(tmp_path / "index") == content(tmp_path / "fresh")


def test_another_encoder_does_not_use_it(tmp_path, calm):
    folder, corpus = tmp_path / "index", OneBigDocument(8)
    interrupted(folder, corpus, at=inside(calm))
    (path,) = files(folder)
    recipe = Generation.open(folder).recipe
    assert checkpoint._read(path, repr(recipe)).batches
    assert not checkpoint._read(path, repr(replace(recipe, encoder="words-2"))).batches


def test_a_full_disk_does_not_stop_the_run(tmp_path, calm, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "write_atomically", refuse)
    build(tmp_path / "index", OneBigDocument(8))
    assert content(tmp_path / "index") == calm[0]


def test_a_document_that_is_begun_is_completed_first(tmp_path, calm):
    """Also if the order would choose others, and new documents come before it."""
    folder = tmp_path / "index"
    interrupted(folder, OneBigDocument(8), at=inside(calm))

    class Last:
        def limit(self, waiting):
            return dict(waiting)

        def sorted(self, waiting):
            return sorted(waiting, key=lambda number: (number == BIG, number))

    encoder = Counting()
    build_index(
        folder,
        OneBigDocument(12),
        stack=stack(encoder),
        settings=settings(),
        context=TaskContext(),
        order=Last(),
    )
    assert not any(text.startswith("w3 w4 ") for text in encoder.read)
    assert Generation.open(folder).claims_only.tolist() == []
    assert not files(folder)


def test_a_quick_run_keeps_what_a_description_has_begun(tmp_path, calm):
    folder, corpus = tmp_path / "index", OneBigDocument(8)
    interrupted(folder, corpus, at=inside(calm))
    build_index(
        folder,
        corpus,
        stack=stack(),
        settings=settings(),
        context=TaskContext(),
        depth=IndexDepth.CLAIMS,
    )
    assert len(files(folder)) == 1
    again = resumed(folder, corpus)
    assert not any(text.startswith("w3 w4 ") for text in again.read)
    assert not files(folder)
