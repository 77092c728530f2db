"""What stands for a document: its vector, or its cosines with official titles."""

from __future__ import annotations

import numpy as np
import pytest

from claimlight.encoders import EncoderInput
from claimlight.errors import InputError
from claimlight.evaluation.classification.documents import ClassifiedDocument, Part
from claimlight.evaluation.vectors import encode_pooled
from claimlight.lab.diagnostics.probes import ProbeKind
from claimlight.lab.papers.cpc.features import (
    CHUNK,
    CHUNKS,
    Feature,
    FeatureSource,
    VectorFile,
    features,
    read_titles,
    split_chunks,
)
from claimlight.tasks import TaskContext
from claimlight.types import Section
from tests.core.lab.papers.cpc.cpc_world import TITLES
from tests.fakes import FakeEncoder

DENSE = [Feature.VECTORS, Feature.TAXONOMY, Feature.CLASSES]
DOCUMENTS = [
    ClassifiedDocument("kettle", "Kettle", "A spout with a lid.", ("A handle.",), ("A47J",)),
    ClassifiedDocument("antenna", "Antenna", "A dipole.", (), ("H01Q",)),
]


@pytest.fixture
def titles(tmp_path):
    path = tmp_path / "titles.tsv"
    path.write_text(TITLES, encoding="utf-8")
    return path


def test_titles_of_sections_and_classes(titles, tmp_path):
    found = read_titles(titles)
    assert list(found.sections) == ["A", "B", "H"]
    assert list(found.classes) == ["A47", "A61", "B60", "B62", "H01", "H04"]
    assert found.classes["A61"] == "MEDICAL OR VETERINARY SCIENCE ; PULSE SENSOR CUFF PATIENT"
    assert found.texts(Feature.TAXONOMY)[0] == f"{found.classes['A47']}; {found.classes['A61']}"
    assert found.texts(Feature.CLASSES) == list(found.classes.values())
    folder = tmp_path / "folder"
    folder.mkdir()
    rows = TITLES.splitlines(keepends=True)
    (folder / "first.txt").write_bytes("".join(rows[:4]).replace("\n", "\r\n").encode())
    (folder / "second.txt").write_text("".join(rows[4:]), encoding="utf-8")
    (folder / "readme.md").write_text("not a list")
    assert read_titles(folder) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [("A\t\tNECESSITIES\nA47 FURNITURE\n", "line 2"), ("A01B\t\tSOIL\n", "no titles"), ("", "no titles")],
)
def test_a_file_that_is_no_list_of_titles(text, said, tmp_path):
    path = tmp_path / "titles.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_titles(path)


@pytest.mark.data
def test_the_official_list_has_what_the_papers_list_lacks(shared_data):
    found = read_titles(shared_data / "classification" / "cpc_titles_2022_08")
    assert "".join(found.sections) == "ABCDEFGHY"
    assert len(found.classes) == 136
    assert {"B99", "G12", "D10", "D21", "Y02", "Y10"} <= found.classes.keys()


def test_features_are_vectors_or_cosines_with_titles(titles):
    encoder = FakeEncoder()
    source = FeatureSource(lambda: encoder, tuple(Part), titles=titles)
    tables = features(DOCUMENTS, DENSE, source, TaskContext())
    assert [table.feature for table in tables] == DENSE
    vectors, sections, classes = (table.rows for table in tables)
    read = [EncoderInput(item.input(tuple(Part)).text, Section.ABSTRACT) for item in DOCUMENTS]
    np.testing.assert_array_equal(vectors, encode_pooled(encoder, read, TaskContext()))
    assert sections.shape == (2, 3)
    assert classes.shape == (2, 6)
    anchor = encode_pooled(
        encoder,
        [EncoderInput(read_titles(titles).texts(Feature.TAXONOMY)[2], Section.ABSTRACT)],
        TaskContext(),
    )[0]
    assert sections[1, 2] == pytest.approx(float(vectors[1] @ anchor), abs=1e-6)
    assert sections.argmax(axis=1).tolist() == [0, 2]
    assert classes.argmax(axis=1).tolist() == [0, 4]
    title_only = features(
        DOCUMENTS, [Feature.VECTORS], FeatureSource(lambda: encoder, (Part.TITLE,)), TaskContext()
    )
    expected = encode_pooled(encoder, [EncoderInput("Kettle", Section.ABSTRACT)], TaskContext())[0]
    np.testing.assert_array_equal(title_only[0].rows[0], expected)


def test_vectors_that_are_kept_are_not_encoded_again(titles, tmp_path):
    encoder = FakeEncoder()
    source = FeatureSource(lambda: encoder, tuple(Part), titles=titles, cache=tmp_path / "kept")
    first = features(DOCUMENTS, DENSE, source, TaskContext())
    encoded = encoder.encoded
    second = features(DOCUMENTS, DENSE, source, TaskContext())
    assert encoder.encoded == encoded == 2 + 3 + 6
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)


def test_vectors_of_a_file_go_by_name(titles, tmp_path):
    path = tmp_path / "vectors.npz"
    rows = np.arange(12, dtype=np.float16).reshape(3, 4)
    np.savez(path, ids=np.array(["antenna", "other", "kettle"]), vectors=rows)
    found = VectorFile(path).read(["kettle", "antenna"])
    assert found.tolist() == [[8, 9, 10, 11], [0, 1, 2, 3]]
    with pytest.raises(InputError, match="no vector of 2 documents, such as lamp"):
        VectorFile(path).read(["lamp", "kettle", "chair"])
    source = FeatureSource(FakeEncoder, vectors=VectorFile(path), titles=titles)
    with pytest.raises(InputError, match="4 dimensions and those of the titles 48"):
        features(DOCUMENTS, [Feature.TAXONOMY], source, TaskContext())
    sections = ["claims", "abstract", "abstract"]
    np.savez(path, ids=np.array(["kettle", "kettle", "antenna"]), vectors=rows, sections=np.array(sections))
    assert VectorFile(path).read(["kettle"]).tolist() == [[4, 5, 6, 7]]


def test_chunks_are_words_in_order_and_zeros_after_the_last(tmp_path):
    words = [f"word{number}" for number in range(CHUNK * CHUNKS + 5)]
    assert split_chunks(" ".join(words[: CHUNK + 2])) == [
        " ".join(words[:CHUNK]),
        " ".join(words[CHUNK : CHUNK + 2]),
    ]
    assert split_chunks(" ".join(words))[-1].endswith(words[CHUNK * CHUNKS - 1])
    documents = [
        ClassifiedDocument("long", "", " ".join(words[: 2 * CHUNK]), (), ("A47J",)),
        ClassifiedDocument("short", "", "A dipole.", (), ("H01Q",)),
    ]
    encoder = FakeEncoder()
    table = features(documents, [Feature.CHUNKS], FeatureSource(lambda: encoder), TaskContext())[0]
    assert table.rows.shape == (2, CHUNKS, encoder.dim)
    assert table.rows.any(axis=2).tolist() == [[True] * 2 + [False] * 6, [True] + [False] * 7]
    whole = encode_pooled(encoder, [EncoderInput("A dipole.", Section.ABSTRACT)], TaskContext())[0]
    np.testing.assert_array_equal(table.rows[1, 0], whole)


def test_words_are_weighed_by_the_documents_that_are_learned_from():
    """As scikit-learn weighs the learned ones; a word of the others alone is not known."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = ["kettle spout lid", "kettle lid spout", "kettle lid", "antenna dipole", "antenna kettle dipole"]
    documents = [
        ClassifiedDocument(text, text, "", (), ("A47J",)) for text in [*texts, *["radiator lid"] * 4]
    ]
    learned = np.arange(5)
    table = features(documents, [Feature.TFIDF], FeatureSource(FakeEncoder), TaskContext(), learned=learned)[
        0
    ]
    expected = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True, stop_words="english")
    expected.fit(texts)
    np.testing.assert_allclose(
        table.rows.toarray(), expected.transform([item.title for item in documents]).toarray(), rtol=1e-6
    )
    assert "radiator" not in expected.vocabulary_
    few = FeatureSource(FakeEncoder)
    with pytest.raises(InputError, match="too few words"):
        features(documents[:1], [Feature.TFIDF], few, TaskContext())


def test_which_probe_reads_which_features():
    assert [kind for kind in ProbeKind if Feature.CHUNKS.fits(kind)] == [ProbeKind.LSTM]
    assert {kind for kind in ProbeKind if Feature.TFIDF.fits(kind)} == {ProbeKind.LOGISTIC, ProbeKind.SVM}
    assert {kind for kind in ProbeKind if Feature.VECTORS.fits(kind)} == set(ProbeKind) - {ProbeKind.LSTM}


def test_taxonomy_needs_titles():
    with pytest.raises(InputError, match="--titles"):
        features(DOCUMENTS, [Feature.TAXONOMY], FeatureSource(FakeEncoder), TaskContext())
