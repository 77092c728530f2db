"""The map of a library: made from its index, kept in it, enlarged with it, drawn."""

from __future__ import annotations

import shutil
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest

from claimlight.errors import InputError
from claimlight.index.files import MAP_NAME
from claimlight.services.library.library import Library, remove_documents
from claimlight.services.maps import drawing, library_map
from claimlight.services.maps.library_map import map_library
from claimlight.tasks import TaskContext


@pytest.fixture
def own(sample_engine, tmp_path):
    """A copy of the indexed sample."""
    library, _ = sample_engine
    shutil.copytree(library.folder, tmp_path / "L")
    with Library.open(tmp_path / "L") as opened:
        yield opened


@pytest.fixture
def laid_out(monkeypatch):
    """How often documents are laid out."""
    calls = []
    real = library_map.projection.lay_out

    def counted(vectors, context):
        calls.append(len(vectors))
        return real(vectors, context)

    monkeypatch.setattr(library_map.projection, "lay_out", counted)
    return calls


def test_every_indexed_document_is_on_the_map_once_and_the_map_is_kept(own, laid_out):
    found = map_library(own, TaskContext())
    info = own.info()
    assert len(found.points) == info.indexed_documents > 20
    assert found.waiting == info.documents - info.indexed_documents
    assert found.generation == info.generation
    assert {each.section for each in found.points} <= set(drawing.SECTIONS)
    assert all(each.publication and each.title for each in found.points[:5])
    assert map_library(own, TaskContext()) == found
    assert len(laid_out) == 1
    map_library(own, TaskContext(), again=True)
    assert len(laid_out) == 2


def _pretend(own, **changes):
    """Write the map as if it were that of another state of the index."""
    path = own.folder / "index" / MAP_NAME
    kept = library_map._read(path)
    values = {name: getattr(kept, name) for name in kept.__slots__} | changes
    assert library_map._write(path, library_map._Kept(**values)) == ""
    return kept


def test_later_documents_are_placed_and_the_others_stay(own, laid_out):
    before = map_library(own, TaskContext())
    kept = library_map._read(own.folder / "index" / MAP_NAME)
    few = len(kept.documents) - 3
    _pretend(
        own,
        generation="earlier/1",
        documents=kept.documents[:few],
        places=kept.places[:few],
        added=kept.added[:few],
    )
    after = map_library(own, TaskContext())
    assert after.points[:few] == before.points[:few]
    assert (after.added, len(after.points)) == (3, len(before.points))
    assert len(laid_out) == 1
    half = len(kept.documents) // 2
    _pretend(
        own,
        generation="earlier/1",
        documents=kept.documents[:half],
        places=kept.places[:half],
        added=kept.added[:half],
    )
    assert map_library(own, TaskContext()).added == 0
    assert len(laid_out) == 2, "so many were added that all are laid out again"


def test_a_map_of_another_encoder_or_a_damaged_one_is_made_again(own, laid_out):
    found = map_library(own, TaskContext())
    _pretend(own, generation="earlier/1", encoder="another")
    assert map_library(own, TaskContext()) == found
    path = own.folder / "index" / MAP_NAME
    path.write_bytes(path.read_bytes()[:-5])
    assert map_library(own, TaskContext()) == found
    assert len(laid_out) == 3


def test_removed_documents_are_not_on_the_map(own):
    first = map_library(own, TaskContext()).points[0]
    remove_documents(own, [first.publication])
    found = map_library(own, TaskContext())
    assert first.patent not in {each.patent for each in found.points}


def test_without_an_index_the_next_step_is_told(tmp_path):
    with Library.create(tmp_path / "L") as empty, pytest.raises(InputError, match="claimlight index"):
        map_library(empty, TaskContext())


def test_the_vector_of_a_document_is_that_of_its_sections(own):
    from claimlight.index.generation import Generation

    generation = Generation.open(own.folder / "index")
    ids, vectors = library_map.document_vectors(generation, TaskContext())
    assert ids.tolist() == generation.document_ids().tolist()
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)
    sections = generation.section_vectors()
    mine = sections.documents == ids[7]
    levels = generation.manifest.levels.array()[sections.kinds[mine]]
    mean = (sections.vectors[mine].astype(np.float32) - levels).sum(axis=0)
    assert np.allclose(vectors[7], mean / np.linalg.norm(mean), atol=1e-3)


def test_table_and_pictures_have_every_point_and_the_legend(own):
    found = map_library(own, TaskContext())
    rows = drawing.map_table(found).splitlines()
    assert rows[0] == "publication,title,section,x,y"
    assert len(rows) == 1 + len(found.points)
    svg = ElementTree.fromstring(drawing.map_svg(found))
    name = "{http://www.w3.org/2000/svg}"
    titles = [each.text for each in svg.iter(f"{name}title")]
    assert f"{found.points[0].publication} {found.points[0].title}" in titles
    legend = [each.text for each in svg.iter(f"{name}text")]
    assert legend == [f"{section}  {count:,}" for section, count in drawing.count_sections(found)]
    picture = drawing.map_png(found)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture[16:24] == (1170).to_bytes(4, "big") + (1000).to_bytes(4, "big")
    begin = picture.index(b"IDAT") + 4
    lines = zlib.decompress(picture[begin : picture.index(b"IEND") - 8])
    pixels = np.frombuffer(lines, dtype=np.uint8).reshape(1000, 1 + 3 * 1170)[:, 1:].reshape(1000, 1170, 3)
    for section, _ in drawing.count_sections(found):
        ink = np.array(list(bytes.fromhex(drawing.COLOURS[section][1:])), dtype=np.uint8)
        assert (pixels == ink).all(axis=2).sum() > 20
