"""Paraphrases by a language model: what is taken of an answer, what is kept, and how it is drawn."""

import sqlite3
import threading

import pytest

from claimlight.errors import InputError, ResourceError, TaskCancelled
from claimlight.lab.training.views import paraphrase
from claimlight.lab.training.views.paraphrase import (
    INSTRUCTION,
    Paraphraser,
    Rewriting,
    Share,
    fingerprint,
    usable,
)
from claimlight.lab.training.views.paraphrase_store import ParaphraseStore
from claimlight.tasks import TaskContext
from claimlight.types import Progress

LONG = "A valve is opened by a lever, and a damper that holds oil lets it shut only slowly again."
SOURCE = "The valve has a lever and a damper."


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (LONG, LONG),
        (f"<think>\nHow would I say that.\n</think>\n\n{LONG}", LONG),
        (f"Here is the rewritten abstract:\n{LONG}", LONG),
        (f"Sure! Here is a version in other words:\n\n\"{LONG}\"", LONG),
        (f"**Abstract:** {LONG}", LONG),
        (f"Rewritten abstract: {LONG}", LONG),
        (f"{LONG} The lid is made of", LONG),
        (LONG.replace(", ", ",\n  "), LONG),
        ("A valve opens.", ""),
        ("", ""),
        ("<think> The answer never comes and comes and comes " + "and comes " * 20, ""),
        (LONG.upper(), LONG.upper()),
    ],
)  # fmt: skip
def test_what_is_taken_of_an_answer(answer: str, expected: str):
    assert usable(answer, SOURCE) == expected


def test_the_source_over_again_is_no_paraphrase():
    assert usable(LONG.upper(), LONG.replace(" ", "  ")) == ""


def test_a_sentence_that_stands_alone_and_unfinished_is_kept():
    unfinished = LONG.removesuffix(".")
    assert usable(unfinished, SOURCE) == unfinished


def keys(count: int) -> list[bytes]:
    return [number.to_bytes(16, "big") for number in range(count)]


def test_what_was_written_first_stays(tmp_path):
    first = ParaphraseStore.open(tmp_path / "deep" / "p.db")
    second = ParaphraseStore.open(tmp_path / "deep" / "p.db")
    one, two, three = keys(3)
    assert first.add({one: "eins", two: ""}) == {one: "eins", two: ""}
    assert second.add({one: "uno", three: "tre"}) == {one: "eins", three: "tre"}
    assert first.get([three, two, one]) == {one: "eins", two: "", three: "tre"}
    assert first.get(keys(1200)) == {one: "eins", two: "", three: "tre"}


def test_two_writers_at_once_lose_nothing(tmp_path):
    path = tmp_path / "p.db"
    ParaphraseStore.open(path)
    kept: list[dict[bytes, str]] = []

    def write(name: str) -> None:
        store = ParaphraseStore.open(path)
        kept.extend(store.add({key: name}) for key in keys(20))

    writers = [threading.Thread(target=write, args=(name,)) for name in ("a", "b", "c")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    final = ParaphraseStore.open(path).get(keys(20))
    assert len(final) == 20
    assert all(final[key] == text for told in kept for key, text in told.items())


def test_another_file_is_told_and_left(tmp_path):
    path = tmp_path / "p.db"
    path.write_bytes(b"no database at all " * 100)
    with pytest.raises(ResourceError, match="Delete the file"):
        ParaphraseStore.open(path)
    assert path.read_bytes().startswith(b"no database")


class Model:
    """Answers with the text behind its seed, and counts how it is asked."""

    def __init__(self):
        self.batches: list[int] = []

    def answers(self, texts, *, seeds):
        self.batches.append(len(texts))
        return [
            f"Seed {seed} rewrites: {text} And adds some words of its own to them."
            for text, seed in zip(texts, seeds, strict=True)
        ]


@pytest.fixture
def folder(tmp_path):
    """Looks like a language model; never loaded."""
    place = tmp_path / "model"
    place.mkdir()
    (place / "config.json").write_text("{}")
    (place / "model.safetensors").write_bytes(b"weights")
    return place


@pytest.fixture
def asked(monkeypatch):
    model = Model()
    monkeypatch.setattr(paraphrase.LanguageModel, "load", lambda *_, **__: model)
    return model


def abstracts(count: int) -> list[str]:
    return [f"Abstract number {number} of a valve that has a lever and a damper." for number in range(count)]


def test_each_abstract_is_asked_for_once_in_the_life_of_a_file(tmp_path, folder, asked):
    some = Rewriting(folder, batch=4)
    events = []
    first = Paraphraser(some, tmp_path / "work", seed=1).of(abstracts(10), TaskContext(events.append))
    assert asked.batches == [4, 4, 2]
    assert [event.done for event in events if isinstance(event, Progress)] == [0, 4, 8]
    again = Paraphraser(some, tmp_path / "work", seed=1)
    assert again.of([abstracts(10)[7], *abstracts(3), abstracts(10)[7]], TaskContext()) == [
        first[7], *first[:3], first[7]]  # fmt: skip
    assert asked.batches == [4, 4, 2]
    assert again.of(abstracts(12), TaskContext())[:10] == first
    assert asked.batches == [4, 4, 2, 2]


def test_the_answer_to_a_text_does_not_depend_on_its_batch(tmp_path, folder, asked):
    whole = Paraphraser(Rewriting(folder, batch=8), tmp_path / "a", seed=1).of(abstracts(8), TaskContext())
    alone = Paraphraser(Rewriting(folder, batch=1), tmp_path / "b", seed=1)
    assert [alone.of([text], TaskContext())[0] for text in reversed(abstracts(8))] == whole[::-1]
    assert len({text.split()[1] for text in whole}) == 8
    other = Paraphraser(Rewriting(folder, batch=8), tmp_path / "a", seed=2).of(abstracts(8), TaskContext())
    assert not set(other) & set(whole)


def test_processes_write_a_share_each_and_read_the_others(tmp_path, folder, monkeypatch):
    models = {}

    def load(*_, **__):
        return models.setdefault(threading.current_thread().name, Model())

    monkeypatch.setattr(paraphrase.LanguageModel, "load", load)
    found = {}

    def run(number: int) -> None:
        made = Paraphraser(Rewriting(folder, batch=4), tmp_path, seed=1, share=Share(number, 3))
        found[number] = made.of(abstracts(30), TaskContext())

    processes = [threading.Thread(target=run, args=(number,), name=str(number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert found[0] == found[1] == found[2]
    asked = [sum(model.batches) for model in models.values()]
    assert sum(asked) == 30
    assert len(asked) == 3
    assert found[0] == Paraphraser(Rewriting(folder), tmp_path / "alone", seed=1).of(
        abstracts(30), TaskContext()
    )


def test_a_share_that_nobody_writes_is_written_in_the_end(tmp_path, folder, asked):
    alone = Share(0, 2, patience=0)
    made = Paraphraser(Rewriting(folder, batch=50), tmp_path, seed=1, share=alone)
    assert all(made.of(abstracts(20), TaskContext()))
    assert sum(asked.batches) == 20
    assert len(asked.batches) == 2


def test_a_stopped_run_keeps_what_was_written(tmp_path, folder, asked):
    context = TaskContext(lambda event: context.cancel() if event.done >= 4 else None)
    some = Rewriting(folder, batch=2)
    with pytest.raises(TaskCancelled):
        Paraphraser(some, tmp_path, seed=1).of(abstracts(9), context)
    assert asked.batches == [2, 2, 2]
    Paraphraser(some, tmp_path, seed=1).of(abstracts(9), TaskContext())
    assert sum(asked.batches) == 9
    with sqlite3.connect(next(tmp_path.glob("paraphrases-*.db"))) as connection:
        assert connection.execute("SELECT count(*) FROM paraphrase").fetchone() == (9,)
    connection.close()


def test_another_model_question_or_seed_has_a_file_of_its_own(folder):
    plain = Rewriting(folder)
    prints = [
        fingerprint(plain, 1),
        fingerprint(plain, 2),
        fingerprint(Rewriting(folder, instruction="Shorten this."), 1),
        fingerprint(Rewriting(folder, temperature=0.2), 1),
        fingerprint(Rewriting(folder, top_p=0.5), 1),
        fingerprint(Rewriting(folder, most_tokens=64), 1),
    ]
    same = fingerprint(Rewriting(folder, batch=2, device="cuda"), 1)
    assert same == prints[0]
    (folder / "model.safetensors").write_bytes(b"Weights")
    prints.append(fingerprint(plain, 1))
    assert len(set(prints)) == len(prints)


def test_a_folder_without_weights_is_told(tmp_path, folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="safetensors weights are needed"):
        Paraphraser(Rewriting(folder), tmp_path, seed=1)
    assert "Rewrite" in INSTRUCTION
