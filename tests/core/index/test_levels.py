"""Sections on one level: what a kind of section has in common decides no ranking."""

from dataclasses import replace

import numpy as np
import pytest
from index_fakes import DIM, RECIPE, Passage, corpus, segment, vectors

from claimlight.index import manifest as manifests
from claimlight.index.generation import Generation
from claimlight.index.sections import SectionKind
from claimlight.index.writer import IndexWriter
from claimlight.settings import IndexSettings
from claimlight.tasks import TaskContext

V = 12
TOWARDS = 3.0 * np.eye(DIM)[0]
"""What descriptions have in common, and queries with them."""


def leaning(*documents, seed=4):
    """Documents with a passage of each of their kinds; descriptions lean towards one direction."""
    rng = np.random.default_rng(seed)
    found = []
    for number, kinds in enumerate(documents, 1):
        passages = [Passage(number, 10 * number + kind, V, rng) for kind in kinds]
        for passage, kind in zip(passages, kinds, strict=True):
            pooled = rng.standard_normal(DIM) + (TOWARDS if kind is SectionKind.DESCRIPTION else 0.0)
            passage.kind, passage.pooled = kind, (pooled / np.linalg.norm(pooled)).astype(np.float32)
        found.append(passages)
    return found


def indexed(folder, documents, share):
    with IndexWriter(folder) as writer:
        writer.start(RECIPE, dim=DIM, centers=V)
        writer.commit(segment(documents, V), last_document=len(documents))
        writer.build_graph(IndexSettings(section_level=share), TaskContext())
    return Generation.open(folder)


@pytest.mark.parametrize("exact", [False, True])
def test_documents_with_an_abstract_only_do_not_stand_behind_the_others(tmp_path, exact):
    whole = (SectionKind.ABSTRACT, SectionKind.DESCRIPTION)
    documents = leaning(*(whole[: 1 + n % 2] for n in range(1000)))
    query = (TOWARDS + vectors(1)[0]).astype(np.float32)
    described = {}
    for share in (0.0, 1.0):
        generation = indexed(tmp_path / f"{share}", documents, share)
        found = generation.search_dense(query, 100, ef=400, exact=exact)
        described[share] = np.mean([hit.document % 2 == 0 for hit in found])
    assert described[0.0] > 0.9
    assert 0.4 < described[1.0] < 0.85, "two sections against one"


def test_levels_do_not_reorder_sections_of_one_kind(tmp_path):
    documents = leaning(*[(SectionKind.DESCRIPTION,)] * 200, *[(SectionKind.ABSTRACT,)] * 30)
    orders = []
    for share in (0.0, 0.5, 1.0):
        hits = indexed(tmp_path / f"{share}", documents, share).search_dense(vectors(1)[0], 230, exact=True)
        orders.append([hit.document for hit in hits if hit.document <= 200])
    assert len(orders[0]) == 200
    assert orders[0] == orders[1] == orders[2]


def test_a_library_of_one_kind_has_no_level(tmp_path):
    generation = indexed(tmp_path / "index", leaning(*[(SectionKind.DESCRIPTION,)] * 50), 1.0)
    assert not np.any(generation.manifest.levels.array())


def test_few_sections_are_hardly_moved(tmp_path):
    many = indexed(tmp_path / "many", leaning(*[(SectionKind.ABSTRACT, SectionKind.DESCRIPTION)] * 400), 1.0)
    few = indexed(tmp_path / "few", leaning(*[(SectionKind.ABSTRACT, SectionKind.DESCRIPTION)] * 4), 1.0)
    moved = [np.linalg.norm(found.manifest.levels.array()[SectionKind.DESCRIPTION]) for found in (many, few)]
    assert moved[1] < moved[0] / 5


def test_another_level_builds_the_graph_anew(tmp_path):
    with IndexWriter(tmp_path / "index") as writer:
        writer.start(RECIPE, dim=DIM, centers=V)
        writer.commit(segment(corpus(60, seed=1), V), last_document=60)
        writer.build_graph(IndexSettings(section_level=0.0), TaskContext())
        first = writer.manifest
        assert not np.any(first.levels.array())
        writer.build_graph(IndexSettings(section_level=1.0), TaskContext())
        assert writer.manifest.graph != first.graph
        assert np.any(writer.manifest.levels.array())
        last = writer.manifest
    assert Generation.open(tmp_path / "index").manifest == last


def test_an_index_without_levels_is_searched_as_it_was_made(tmp_path):
    """An earlier program wrote none; the next run of the indexer adds them."""
    folder = tmp_path / "index"
    plain = indexed(folder, corpus(60, seed=1), 0.0)
    expected = plain.search_dense(vectors(1)[0], 20)
    manifests.publish(folder, replace(plain.manifest, levels=None), manifests.CURRENT)
    generation = Generation.open(folder)
    assert generation.manifest.levels is None
    assert generation.search_dense(vectors(1)[0], 20) == expected
    with IndexWriter(folder) as writer:
        writer.start(RECIPE, dim=DIM, centers=V)
        writer.build_graph(IndexSettings(), TaskContext())
        assert writer.manifest.levels.share == IndexSettings().section_level
