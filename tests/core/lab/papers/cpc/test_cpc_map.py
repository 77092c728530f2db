"""The map by section: its figures against scikit-learn, and files that are the same again."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import silhouette_score
from sklearn.neighbors import NearestNeighbors

from claimlight.errors import InputError
from claimlight.lab.papers.cpc.section_map import NEIGHBOURS, draw_map, lay_out, separation


@pytest.fixture
def drawn():
    rng = np.random.default_rng(5)
    sections = rng.choice(["A", "G", "H"], size=90, p=[0.5, 0.3, 0.2]).tolist()
    centers = {name: rng.normal(size=16) for name in "AGH"}
    vectors = np.array([centers[name] + 1.2 * rng.normal(size=16) for name in sections], dtype=np.float32)
    return vectors, sections


def test_separation_is_that_of_scikit_learn(drawn):
    vectors, sections = drawn
    found = {item.name: item for item in separation(vectors, sections)}
    expected = silhouette_score(vectors, sections, metric="cosine")
    assert found["silhouette"].value == pytest.approx(expected, abs=1e-5)
    model = NearestNeighbors(n_neighbors=NEIGHBOURS + 1, metric="cosine", algorithm="brute").fit(vectors)
    near = model.kneighbors(vectors, return_distance=False)[:, 1:]
    labels = np.array(sections)
    pure = (labels[near] == labels[:, None]).mean()
    assert found["purity"].value == pytest.approx(pure)
    assert found["purity"].value > found["by chance"].value
    shares = np.unique(labels, return_counts=True)[1]
    assert found["by chance"].value == pytest.approx((shares * (shares - 1)).sum() / (90 * 89))


def test_the_only_document_of_a_section_has_no_silhouette(drawn):
    vectors, sections = drawn
    labels = [*sections[:-1], "D"]
    found = {item.name: item for item in separation(vectors, labels)}
    assert found["silhouette"].value == pytest.approx(
        silhouette_score(vectors, labels, metric="cosine"), abs=1e-5
    )


def test_a_map_is_written_and_is_the_same_again(drawn, tmp_path):
    vectors, sections = drawn
    places = [lay_out(vectors, sections, seed=1) for _ in range(2)]
    np.testing.assert_array_equal(places[0].places, places[1].places)
    files = [draw_map(item, tmp_path / str(number)) for number, item in enumerate(places)]
    assert [path.name for path in files[0]] == ["sections.png", "sections.svg"]
    for one, other in zip(*files, strict=True):
        assert one.read_bytes() == other.read_bytes()
    text = files[0][1].read_text(encoding="utf-8")
    for name in "AGH":
        assert f"{name} ({sections.count(name)})" in text


def test_too_little_for_a_map(drawn):
    vectors, sections = drawn
    with pytest.raises(InputError, match="at least 20 documents"):
        lay_out(vectors[:5], sections[:5], seed=1)
    with pytest.raises(InputError, match="two sections"):
        separation(vectors[:5], ["A"] * 5)
