"""Indexing: complete, incremental, resumable after any kill, and the same however it was stopped."""

import hashlib
import json
import os
import random
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from indexing_fakes import DeepCorpus, NumberCorpus, WordEncoder, build, says, settings, stack

from claimlight import codec
from claimlight.errors import ResourceError, TaskCancelled
from claimlight.index import files, verify
from claimlight.index import manifest as manifests
from claimlight.index.generation import Generation
from claimlight.index.segments import NAMES, SegmentPart
from claimlight.index.writer import CHECKPOINT, IndexWriter
from claimlight.services.indexing import encoding, indexing
from claimlight.services.indexing.encoding import choose_passages
from claimlight.services.library.rates import Rate
from claimlight.settings import CenterSettings
from claimlight.store.values import StoredDocument, StoredPassage
from claimlight.tasks import TaskContext
from claimlight.types import Committed, Note, PassageId, PatentId, Progress, PublicationNumber, Section


def digest(folder):
    """Everything the index says, segment by segment."""
    generation = Generation.open(folder)
    total = hashlib.sha256()
    for segment in generation.segments:
        for name in NAMES:
            array = np.ascontiguousarray(getattr(segment.arrays, name))
            total.update(f"{name} {array.dtype} {array.shape}".encode())
            total.update(array.tobytes())
    graph = generation.manifest.graph
    return total.hexdigest(), len(generation.segments), generation.documents, graph.file.sha256


def test_every_document_is_indexed_and_told(tmp_path):
    events = []
    report = build(tmp_path / "index", NumberCorpus(30), context=TaskContext(events.append))
    generation = Generation.open(tmp_path / "index")
    assert generation.document_ids().tolist() == list(range(1, 31))
    assert report.documents == 30
    assert report.passages == generation.passages == sum(len(NumberCorpus(30).document(n).passages)
                                                         for n in range(1, 31))  # fmt: skip
    assert report.generation == generation.name
    described = sum(
        any(item.section is Section.DETAILED for item in NumberCorpus(30).document(n).passages)
        for n in range(1, 31)
    )
    assert report.full_text == described
    told = [event for event in events if isinstance(event, Committed)]
    assert [event.documents for event in told if event.stage == "index"] == [8, 16, 24, 30]
    assert [event.documents for event in told if event.stage == "full text"] == [8, 16, described]
    progress = [event for event in events if isinstance(event, Progress)]
    assert [event.done for event in progress if event.stage == "index"][-1] == 30
    assert [event.done for event in progress if event.stage == "full text"][-1] >= described
    assert not len(generation.claims_only)
    assert {name for name, _ in report.stages} == {"encode", "assign", "write", "merge", "dense"}


def test_what_is_committed_is_live_at_once(tmp_path):
    seen = []

    def look(event):
        if isinstance(event, Committed):
            seen.append((event.documents, Generation.open(tmp_path / "index").documents))

    build(tmp_path / "index", NumberCorpus(20), context=TaskContext(look))
    assert seen == [(8, 8), (16, 16), (20, 20), (8, 20), (15, 20)]


def test_a_second_run_adds_nothing(tmp_path):
    build(tmp_path / "index", NumberCorpus(20))
    before = digest(tmp_path / "index")
    report = build(tmp_path / "index", NumberCorpus(20))
    assert report.documents == 0
    assert digest(tmp_path / "index") == before


def test_new_documents_are_appended_and_old_ones_removed(tmp_path):
    folder = tmp_path / "index"
    build(folder, NumberCorpus(20))
    build(folder, NumberCorpus(26, gone=[3, 9], version=2))
    generation = Generation.open(folder)
    expected = [n for n in range(1, 27) if n not in (3, 9)]
    assert generation.document_ids().tolist() == expected
    fresh = tmp_path / "fresh"
    build(fresh, NumberCorpus(26, gone=[3, 9]))
    assert np.array_equal(generation.df, Generation.open(fresh).df)
    query = np.array([1, 5, 9], dtype=np.int32)
    weights = np.array([0.5, 0.6, 0.7], dtype=np.float32)
    scoring = generation.scoring(CenterSettings())
    one = generation.all_passages(scoring.query(query, weights), scoring.norm)
    two = Generation.open(fresh).all_passages(scoring.query(query, weights), scoring.norm)
    assert dict(zip(one.passages, one.scores, strict=True)) == dict(
        zip(two.passages, two.scores, strict=True)
    )


def test_one_bad_document_costs_one_document(tmp_path):
    events = []
    corpus = NumberCorpus(20, changes={7: "this is poison", 12: "poison too"})
    build(tmp_path / "index", corpus, context=TaskContext(events.append))
    generation = Generation.open(tmp_path / "index")
    # The last passage of 7 is a claim, that of 12 is of its description.
    assert generation.document_ids().tolist() == [n for n in range(1, 21) if n != 7]
    assert (generation.manifest.skipped, generation.manifest.unread) == ((7,), (12,))
    assert generation.claims_only.tolist() == [12]
    notes = [event.text for event in events if isinstance(event, Note)]
    assert notes == ["EP7 is not in the index: not a number",
                     "The description of EP12 is not in the index: not a number"]  # fmt: skip
    assert generation.last_document == 20
    assert build(tmp_path / "index", corpus).full_text == 0, "what failed is not tried at every run"


def test_a_bad_passage_late_in_a_long_document_takes_all_of_it(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "BATCH_CHARACTERS", 20)
    build(tmp_path / "index", NumberCorpus(12, changes={5: "a poison"}))
    assert 5 not in Generation.open(tmp_path / "index").document_ids()


def test_an_encoder_that_fails_on_everything_stops_the_run(tmp_path):
    class Poisoned(NumberCorpus):
        def document(self, number):
            made = super().document(number)
            return replace(made, passages=tuple(replace(item, text="poison") for item in made.passages))

    corpus = Poisoned(40)
    with pytest.raises(ResourceError, match="in a row"):
        build(tmp_path / "index", corpus)


def test_long_documents_are_encoded_in_parts(tmp_path, monkeypatch):
    build(tmp_path / "whole", NumberCorpus(20))
    monkeypatch.setattr(encoding, "BATCH_CHARACTERS", 30)
    build(tmp_path / "parts", NumberCorpus(20))
    whole, parts = (Generation.open(tmp_path / name).segments[0].arrays for name in ("whole", "parts"))
    for name in NAMES:
        # A product of another shape may round the last bit of a weight; nothing else may differ.
        allowed = 1 if name.endswith("code") else 0
        one, two = (np.asarray(getattr(item, name)) for item in (whole, parts))
        assert np.abs(one.astype(float) - two.astype(float)).max() <= allowed, name


def test_many_segments_are_merged_on_the_way(tmp_path):
    most = 0

    def look(event):
        nonlocal most
        if isinstance(event, Committed):
            most = max(most, len(Generation.open(tmp_path / "index").segments))

    build(tmp_path / "index", NumberCorpus(120), per_segment=2, context=TaskContext(look))
    assert most <= 2 * 16, "claims and descriptions are merged separately"
    assert len(Generation.open(tmp_path / "index").segments) <= 2 * 3
    build(tmp_path / "once", NumberCorpus(120), per_segment=200)
    assert np.array_equal(Generation.open(tmp_path / "index").df, Generation.open(tmp_path / "once").df)


def child(folder, count):
    root = Path(__file__).resolve().parents[4]
    path = [str(root / "core"), str(root)]
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("indexing_fakes.py")), str(folder), str(count)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
    )


def run_and_kill(folder, count, *, stage, lines, delay):
    """Kill a run some time after so many commits of a pass.

    Returns whether it was still running, and what it had reported as committed in each pass.
    """
    committed = Counter()
    with child(folder, count) as process:
        for line in process.stdout:
            told, _, documents = line.strip().partition(":")
            committed[told] = int(documents)
            seen = told == stage
            lines -= seen
            if seen and lines <= 0:
                break
        sleep(delay)
        process.kill()
        for line in process.stdout:
            told, _, documents = line.strip().partition(":")
            if documents:
                committed[told] = int(documents)
        process.wait()
    return process.returncode != 0, committed


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.variants) for n in (1, 2))])
def test_kill_minus_9_loses_nothing_that_was_reported(tmp_path, monkeypatch, seed):
    """Killed at random moments of both passes, the index says in the end what it would have said at once."""
    count = 48
    monkeypatch.setattr(encoding, "BATCH_CHARACTERS", 400)
    corpus = DeepCorpus(count)
    build(tmp_path / "calm", corpus)
    calm = says(tmp_path / "calm")
    random.seed(seed)
    kills = Counter()
    for number in range(12):
        folder = tmp_path / f"killed-{number}"
        before = Counter()
        for stage in ("index", "index", "full text", "full text"):
            lines, delay = random.randint(1, 2), random.uniform(0.0, 0.08)
            killed, committed = run_and_kill(folder, count, stage=stage, lines=lines, delay=delay)
            kills[stage] += killed
            before += committed
            generation = Generation.open(folder)
            assert generation.documents >= before["index"]
            assert generation.documents - len(generation.claims_only) >= before["full text"]
        build(folder, corpus)
        assert says(folder) == calm
        assert not [path for path in folder.rglob("*") if path.suffix == ".tmp" or path.name == CHECKPOINT]
        if min(kills["index"], kills["full text"]) >= 5:
            break
    assert kills["index"] >= 5
    assert kills["full text"] >= 5


@pytest.mark.slow
def test_a_kill_during_a_rebuild_leaves_the_old_index(tmp_path):
    folder = tmp_path / "index"
    build(folder, NumberCorpus(20))
    old = Generation.open(folder).name
    other = stack(fingerprint="words-2")
    other.encoder.fingerprint = "words-2"

    class Killed(BaseException):
        pass

    def stop(event):
        if isinstance(event, Committed) and event.documents == 16:
            raise Killed

    with pytest.raises(Killed):
        build(folder, NumberCorpus(20), rebuild=True, tools=other, context=TaskContext(stop))
    assert Generation.open(folder).name == old
    report = build(folder, NumberCorpus(20), rebuild=True, tools=other)
    assert report.documents == 4
    assert Generation.open(folder).recipe.encoder == "words-2"


def test_cancelling_is_quick_and_clean(tmp_path):
    """The encoder is stopped between two texts; what was committed stays."""
    after = []

    class Counting(WordEncoder):
        def encode(self, inputs, context):
            for item in super().encode(inputs, context):
                after.append(context.cancelled)
                yield item

    context = TaskContext(lambda event: context.cancel() if isinstance(event, Committed) else None)
    with pytest.raises(TaskCancelled):
        build(tmp_path / "index", NumberCorpus(5000), context=context, tools=stack(Counting()))
    assert sum(after) <= 1, "a text that was at work may end, and no other begins"
    assert [thread.name for thread in threading.enumerate() if thread.name == "encoding"] == []
    assert Generation.open(tmp_path / "index").documents == 8
    build(tmp_path / "index", NumberCorpus(20))
    build(tmp_path / "calm", NumberCorpus(20))
    assert digest(tmp_path / "index") == digest(tmp_path / "calm")


def test_an_unexpected_fault_of_the_encoder_reaches_the_caller(tmp_path):
    class Broken(WordEncoder):
        def encode(self, inputs, context):
            raise ZeroDivisionError
            yield

    with pytest.raises(ZeroDivisionError):
        build(tmp_path / "index", NumberCorpus(20), tools=stack(Broken()))


def test_a_damaged_segment_is_refused_and_rebuilt(tmp_path):
    folder = tmp_path / "index"
    build(folder, NumberCorpus(20))
    generation = Generation.open(folder)
    target = generation.folder / generation.manifest.segments[0].name / "posting_words.npy"
    body = bytearray(target.read_bytes())
    body[-1] ^= 1
    target.write_bytes(body)
    with pytest.raises(ResourceError, match=r"posting_words.*--rebuild"):
        Generation.open(folder)
    with pytest.raises(ResourceError, match="--rebuild"):
        build(folder, NumberCorpus(20))
    build(folder, NumberCorpus(20), rebuild=True)
    assert Generation.open(folder).documents == 20


def test_another_encoder_needs_a_rebuild(tmp_path):
    build(tmp_path / "index", NumberCorpus(5))
    other = stack(fingerprint="words-2")
    with pytest.raises(ResourceError, match=r"(?s)words-2.*words-1"):
        build(tmp_path / "index", NumberCorpus(5), tools=other)
    other.encoder.fingerprint = "words-2"
    with pytest.raises(ResourceError, match=r"(?s)words-1.*words-2"):
        build(tmp_path / "index", NumberCorpus(5), tools=other)


def test_no_room_is_said_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_free", lambda _: 1 << 20)
    with pytest.raises(ResourceError, match="not enough disk space"):
        build(tmp_path / "index", NumberCorpus(5))


def test_an_empty_library_gives_an_empty_index(tmp_path):
    report = build(tmp_path / "index", NumberCorpus(0))
    assert report.documents == 0
    assert Generation.open(tmp_path / "index").documents == 0


def test_verification_is_remembered_across_runs(tmp_path):
    build(tmp_path / "index", NumberCorpus(10))
    generation = Generation.open(tmp_path / "index")
    assert (generation.folder / verify.STAMPS).exists()


def document(*passages, language=""):
    stored = tuple(
        StoredPassage(PassageId(n), PatentId(1), section, "", lang, text)
        for n, (section, lang, text) in enumerate(passages, 1)
    )
    return StoredDocument(PatentId(1), PublicationNumber("EP", "1"), language, stored)


def chosen(*passages, language=""):
    return [item.id for item in choose_passages(document(*passages, language=language))]


def test_english_is_taken_where_there_is_english():
    claims = [(Section.CLAIMS, "de", "a"), (Section.CLAIMS, "en", "b"), (Section.CLAIMS, "fr", "c")]
    assert chosen(*claims, language="de") == [2]
    assert chosen(claims[0], claims[2], language="de") == [1]
    assert chosen(claims[0], claims[2], language="it") == [1]


def test_each_section_is_looked_at_on_its_own():
    assert chosen(
        (Section.ABSTRACT, "en", "a"), (Section.CLAIMS, "de", "b"), (Section.DETAILED, "de", "c"),
        language="de",
    ) == [1, 2, 3]  # fmt: skip


def test_a_title_alone_stands_for_an_abstract():
    fronts = [(Section.TITLE, "de", "a"), (Section.ABSTRACT, "en", "a\nb")]
    assert chosen(*fronts, language="de") == [2]
    assert chosen(fronts[0], (Section.CLAIMS, "en", "c"), language="de") == [1, 2]


def test_an_unknown_language_is_the_document_s():
    assert chosen((Section.CLAIMS, "", "a"), (Section.CLAIMS, "en", "b"), language="de") == [2]
    assert chosen((Section.CLAIMS, "", "a"), (Section.DETAILED, "", "b")) == [1, 2]


def test_blank_passages_are_left_out():
    assert chosen((Section.CLAIMS, "en", " \n"), (Section.CLAIMS, "en", "b")) == [2]


def whole_index(folder, corpus):
    """An index as programs before format 5 made it: every segment holds whole documents."""
    tools = stack()
    with IndexWriter(folder) as writer:
        writer.start(tools.recipe(settings()), dim=tools.encoder.dim, centers=len(tools.vocabulary))
        run = indexing._Run(writer, tools, settings(), TaskContext())
        shown = indexing._Documents(Rate("index", 1, "documents", TaskContext()))
        for end in run._add(corpus, 0, encoding.choose_all, shown):
            run._commit(partial(writer.commit, last_document=end.last_document))
        run.tidy()
    pointer = manifests.read_pointer(folder)
    raw = codec.plain(replace(manifests.read(folder, pointer), format=4))
    raw.pop("unread")
    for segment in raw["segments"]:
        assert segment.pop("part") == "whole"
    body = (json.dumps(raw) + "\n").encode()
    (folder / pointer.generation / manifests.manifest_name(pointer.commit)).write_bytes(body)
    current = {**codec.plain(pointer), "sha256": hashlib.sha256(body).hexdigest()}
    (folder / manifests.CURRENT).write_text(json.dumps(current), encoding="utf-8")


def test_an_index_of_whole_documents_grows_in_both_passes(tmp_path):
    folder = tmp_path / "index"
    whole_index(folder, DeepCorpus(12))
    assert Generation.open(folder).claims_only.tolist() == []
    before = says(folder)
    report = build(folder, DeepCorpus(30))
    assert (report.documents, report.full_text) == (18, 18)
    build(tmp_path / "fresh", DeepCorpus(30))
    assert says(folder) == says(tmp_path / "fresh")
    assert before[1:] == (12, sum(len(DeepCorpus(12).document(n).passages) for n in range(1, 13)))
    parts = {item.part for item in Generation.open(folder).manifest.segments}
    assert parts == {SegmentPart.WHOLE, SegmentPart.CLAIMS, SegmentPart.DESCRIPTION}
    build(folder, DeepCorpus(30, gone=[3, 20], version=2))
    build(tmp_path / "less", DeepCorpus(30, gone=[3, 20]))
    assert says(folder)[1:] == says(tmp_path / "less")[1:]
    assert np.array_equal(Generation.open(folder).df, Generation.open(tmp_path / "less").df)
