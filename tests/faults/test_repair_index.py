"""A damaged index is used as far as it is sound, and only what was damaged is encoded again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from claimlight.index import manifest
from claimlight.index.generation import Generation
from claimlight.index.lock import WriterLock
from claimlight.services.indexing import maintenance
from claimlight.services.library.library import Library
from claimlight.services.repair import diagnosis
from claimlight.settings import change
from claimlight.tasks import TaskContext
from tests.core.services.library.importing_fakes import source, take
from tests.faults.repairing import COUNT, SETTINGS, index, make, repair


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("made") / "Library")


@pytest.fixture(autouse=True)
def _same_model(request, monkeypatch):
    """The settings name the shipped package, and these indexes were made with words."""
    if "another_model" not in request.node.name:
        monkeypatch.setattr(diagnosis, "is_outdated", lambda *_: False)


@pytest.fixture
def folder(made, tmp_path):
    return Path(shutil.copytree(made, tmp_path / "Library"))


def live(folder: Path):
    found = manifest.read(folder / "index", manifest.read_pointer(folder / "index"))
    return folder / "index" / found.generation, found


def finding(folder: Path, settings=SETTINGS, *, thorough=True):
    found = diagnosis.examine(settings, folder, TaskContext(), thorough=thorough)
    return next(item for item in found.findings if item.subject == "index of the library")


def flip(path: Path, at: float = 0.6) -> None:
    body = bytearray(path.read_bytes())
    body[int(at * (len(body) - 1))] ^= 16
    path.write_bytes(body)


def documents(folder: Path) -> set[int]:
    return set(Generation.open(folder / "index").document_ids().tolist())


def answers(folder: Path):
    generation = Generation.open(folder / "index")
    return generation.passages, generation.df.tolist(), sorted(generation.document_ids().tolist())


def test_any_damaged_segment_is_left_out_and_its_documents_are_encoded_again(folder, made):
    before = answers(folder)
    place, found = live(folder)
    assert len(found.segments) >= 2
    for number, segment in enumerate(found.segments):
        shutil.rmtree(folder)
        shutil.copytree(made, folder)
        names = sorted((place / segment.name).glob("*.npy"), key=lambda path: -path.stat().st_size)
        flip(names[number % 3])
        result, results = repair(folder)
        assert result.steps[0].key == "index"
        assert all(item.done for item in results)
        kept = folder / "index.damaged-1" / segment.name
        assert kept.is_dir()
        lost = segment.documents
        again = live(folder)[1]
        if segment.part.value == "description":
            assert documents(folder) == set(range(1, COUNT + 1))
            assert Generation.open(folder / "index").claims_only.size == lost
            report = index(folder)
            assert (report.documents, report.full_text) == (0, lost)
        else:
            assert len(again.uncut) == lost
            assert len(documents(folder)) == COUNT - lost
            assert finding(folder).advice == "Run `claimlight index`."
            index(folder)
        assert answers(folder) == before
        with Library.open(folder) as library:
            maintenance.verify(library, TaskContext())
            assert library.info().waiting == 0
        assert live(folder)[1].uncut == ()


@pytest.mark.parametrize("damage", ["flipped", "cut", "gone"])
def test_a_damaged_graph_is_built_again_without_encoding(folder, damage):
    place, found = live(folder)
    graph = place / found.graph.file.name
    if damage == "flipped":
        flip(graph)
    elif damage == "cut":
        graph.write_bytes(graph.read_bytes()[:-100])
    else:
        graph.unlink()
    result, results = repair(folder)
    assert [step.key for step in result.steps] == ["graph"]
    assert results[0].done
    assert not Generation.open(folder / "index").notes
    assert finding(folder).ok
    assert finding(folder).advice == ""


@pytest.mark.parametrize("damage", ["pointer", "pointer gone", "manifest", "manifest gone"])
def test_a_lost_commit_is_found_again(folder, damage):
    place, found = live(folder)
    before = answers(folder)
    pointer, newest = folder / "index" / "CURRENT", place / manifest.manifest_name(found.commit)
    target = newest if damage.startswith("manifest") else pointer
    if damage.endswith("gone"):
        target.unlink()
    else:
        target.write_bytes(b"{" + target.read_bytes()[:40])
    with Library.open(folder) as library:
        assert library.info().indexed_documents == 0
    result, results = repair(folder)
    assert result.steps[0].key == "index"
    assert all(item.done for item in results)
    # The manifest has a copy, so nothing is encoded again.
    assert answers(folder) == before
    report = index(folder)
    assert (report.documents, report.full_text) == (0, 0)
    assert answers(folder) == before
    assert finding(folder).advice == ""


def test_an_index_older_than_its_database_is_named_with_the_command(folder):
    take(folder, source(folder.with_name("more.xml"), COUNT + 3))
    found = finding(folder, thorough=False)
    assert (found.ok, found.state) == (True, "3 documents are not in it")
    assert found.advice == "Run `claimlight index`."
    index(folder)
    assert finding(folder).advice == ""


def test_an_index_of_another_model_is_named_and_left_alone(folder):
    """Row 29: the shipped package is not the one of the index."""
    found = finding(folder)
    assert found.ok
    assert (
        f"built with the model package {live(folder)[1].recipe.encoder}, which is not the one" in found.state
    )
    assert "`claimlight index --rebuild`" in found.advice
    assert diagnosis.examine(SETTINGS, folder, TaskContext()).steps == ()


def test_an_index_that_is_being_written_is_left_alone(folder):
    place, found = live(folder)
    flip(next((place / found.segments[0].name).glob("*.npy")))
    with WriterLock(folder / "index"):
        _, results = repair(folder)
    assert not results[0].done
    assert "is being indexed" in results[0].said[0]
    assert not (folder / "index.damaged-1").exists()


def test_an_index_of_a_newer_program_is_left_alone(folder):
    place, found = live(folder)
    path = place / manifest.manifest_name(found.commit)
    manifest.publish(folder / "index", change_format(found), "CURRENT")
    assert path.exists()
    told = finding(folder)
    assert not told.ok
    assert "index format 99" in told.state
    assert diagnosis.examine(SETTINGS, folder, TaskContext()).steps == ()


def change_format(found):
    from dataclasses import replace

    return replace(found, format=99)


def test_an_index_of_which_nothing_is_left_is_moved_away_whole(folder):
    for path in (folder / "index").rglob("manifest*"):
        path.write_bytes(b"")
    _, results = repair(folder)
    assert results[0].done
    assert (folder / "index.damaged-1" / "CURRENT").exists()
    assert Generation.open(folder / "index") is None
    assert index(folder).documents == COUNT


def test_a_setting_of_another_number_of_centers_does_not_stop_a_repair(folder):
    place, found = live(folder)
    flip(place / found.graph.file.name)
    settings = change(SETTINGS, "centers.top_k_document", 1)
    result = diagnosis.examine(settings, folder, TaskContext(), thorough=True)
    (done,) = diagnosis.repair(result, settings, TaskContext())
    assert done.done
