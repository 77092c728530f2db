import numpy as np
import pytest

from claimlight.errors import InputError
from claimlight.evaluation.judgements import JudgedFamilies, Judgements
from claimlight.index.sections import SectionKind
from claimlight.lab.diagnostics.embedding.ranking import recall, section_mix
from claimlight.lab.diagnostics.embedding.sets import pairs_of, read_vectors
from claimlight.tasks import TaskContext

NONE = JudgedFamilies({})


def written(path, **arrays):
    np.savez(path, **arrays)
    return path


@pytest.fixture
def plain(tmp_path):
    """A query that is a document as well, one that is not, and three more documents of one section."""
    vectors = np.array([[1.0, 0.0], [1.0, 0.1], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9], [0.5, 0.5]])
    ids = np.array(["A", "Q", "A", "B", "C", "D"])
    queries = np.array([True, True, False, False, False, False])
    return written(tmp_path / "v.npz", vectors=vectors, ids=ids, queries=queries)


def test_a_query_may_have_the_name_of_a_document(plain):
    found = read_vectors("mine", plain, NONE)
    assert found.names == ("A", "Q", "A", "B", "C", "D")
    assert found.asked.tolist() == [True, True, False, False, False, False]
    assert found.places(asking=True)["A"] == 0
    assert found.places(asking=False)["A"] == 2
    assert "Q" not in found.places(asking=False)
    assert found.places(asking=True)["B"] == 3
    assert found.families[0] == found.families[2]
    assert len(set(found.families[1:].tolist())) == 5
    assert found.kinds == (SectionKind.ABSTRACT,)


def test_pairs_are_of_citing_and_cited_rows(plain):
    judged = Judgements(
        {"A": {"B": 1, "C": 0, "gone": 1}, "Q": {"A": 1, "D": 2}, "no": {"A": 1}, "B": {"C": 1}}
    )
    rows, groups = pairs_of(read_vectors("mine", plain, NONE), judged, SectionKind.ABSTRACT)
    assert rows.tolist() == [[0, 3], [1, 2], [1, 5], [3, 4]]
    assert len(set(groups.tolist())) == 3
    assert groups[1] == groups[2]


def test_pairs_inside_a_family_are_left_out(plain):
    found = read_vectors("mine", plain, JudgedFamilies({"Q": "x", "D": "x"}))
    rows, _ = pairs_of(found, Judgements({"Q": {"A": 1, "D": 1}}), SectionKind.ABSTRACT)
    assert rows.tolist() == [[1, 2]]


def test_recall_leaves_out_the_family_and_the_queries(tmp_path):
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((220, 5))
    names = np.array([f"d{place}" for place in range(220)])
    queries = np.arange(220) < 6
    families = JudgedFamilies({"d0": "f", "d200": "f"})
    found = read_vectors(
        "mine", written(tmp_path / "v.npz", vectors=vectors, ids=names, queries=queries), families
    )
    judged = Judgements({f"d{n}": {f"d{m}": 1 for m in range(10 + n, 220, 7)} for n in range(6)})
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = []
    for n in range(6):
        order = sorted(range(6, 220), key=lambda m: -(unit[n] @ unit[m]))
        allowed = [f"d{m}" for m in order if not (n == 0 and m == 200)][:100]
        relevant = judged.relevant(f"d{n}")
        expected.append(len(relevant & set(allowed)) / len(relevant))
    assert recall(found, judged, SectionKind.ABSTRACT, TaskContext()) == pytest.approx(expected)
    assert 0 < min(expected) < max(expected) < 1


def test_mix_of_the_sections_that_documents_are_found_by(tmp_path, monkeypatch):
    monkeypatch.setattr("claimlight.lab.diagnostics.embedding.ranking.DEPTH", 2)
    east, north = [1.0, 0.0], [0.0, 1.0]
    rows = {
        ("A", "claims"): east,
        ("A", "abstract"): north,
        ("B", "claims"): [1.0, 0.1],
        ("B", "description"): [1.0, 0.2],
        ("C", "abstract"): [1.0, 0.4],
        ("C", "claims"): north,
        ("D", "description"): [0.2, 1.0],
    }
    path = written(
        tmp_path / "v.npz",
        vectors=np.array(list(rows.values())),
        ids=np.array([name for name, _ in rows]),
        sections=np.array([section for _, section in rows]),
    )
    found = read_vectors("mine", path, NONE)
    shares = section_mix(found, SectionKind.CLAIMS, TaskContext())
    # A and B: the other by its claims, C by its abstract. C: A by its abstract, D by its description.
    assert shares == pytest.approx(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0.5, 0, 0.5]]))
    # Vector by vector, A's two nearest are both B's.
    each = section_mix(found, SectionKind.CLAIMS, TaskContext(), each=True)
    assert each[0] == pytest.approx([0, 0.5, 0.5])
    kin = read_vectors("mine", path, JudgedFamilies({"A": "x", "B": "x"}))
    assert section_mix(kin, SectionKind.CLAIMS, TaskContext())[0] == pytest.approx([0.5, 0, 0.5])


GOOD = {"vectors": np.ones((3, 2)), "ids": np.array(["a", "b", "c"])}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"vectors": None}, "has no array 'vectors'; it holds ids"),
        ({"vectors": np.ones(3)}, r"must be numbers of shape \[n, d\]"),
        ({"vectors": np.array([["x", "y"]] * 3)}, r"must be numbers of shape"),
        ({"ids": np.array(["a", "b"])}, r"'ids' has the shape \(2,\), but there are 3 vectors"),
        ({"sections": np.array(["abstract", "claims", "title"])}, "no section 'title'"),
        ({"queries": np.zeros(4, dtype=bool)}, r"'queries' has the shape \(4,\)"),
        ({"ids": np.array(["a", "b", "a"])}, "mine: a document has two vectors of one section"),
    ],
)
def test_files_that_are_not_as_they_should_be(tmp_path, change, told):
    arrays = {key: value for key, value in (GOOD | change).items() if value is not None}
    with pytest.raises(InputError, match=told):
        read_vectors("mine", written(tmp_path / "v.npz", **arrays), NONE)


@pytest.mark.parametrize("body", [b"", b"PK\x03\x04 and no more", b"words"])
def test_what_is_no_npz_file(tmp_path, body):
    path = tmp_path / "v.npz"
    path.write_bytes(body)
    with pytest.raises(InputError, match=r"v\.npz can't be read as an \.npz file"):
        read_vectors("mine", path, NONE)


def test_pickled_arrays_are_refused(tmp_path):
    path = written(tmp_path / "v.npz", vectors=np.ones((1, 2)), ids=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InputError, match="plain arrays"):
        read_vectors("mine", path, NONE)
