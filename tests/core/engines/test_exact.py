"""The engine in memory keeps the contract that it is the reference of, and ranks by plain products."""

import numpy as np
import pytest
from backend_contract import BackendContract
from engine_fakes import DIM, batch, dense_query, schema

from claimlight import codec
from claimlight.engines.checks import CHECKS, CheckError, compare, prepare
from claimlight.engines.exact import ExactBackend
from claimlight.engines.workload import FILTERS, Workload
from claimlight.errors import BugError, EngineError
from claimlight.index.backend import (
    ALL,
    Found,
    Leg,
    PartFilter,
    class_tokens,
    documents_of,
    passage_offsets,
    passage_parts,
    section_kinds,
    section_parts,
)


class _Kept(ExactBackend):
    """An engine that forgets nothing when it is closed, and has one store for each index."""

    stores: dict[str, dict[bool, list]] = {}  # noqa: RUF012 - emptied by each test
    schemas: dict[str, object] = {}  # noqa: RUF012

    def ensure(self, schema, *, create=False):
        self._schema = self.schemas.get(schema.name)
        super().ensure(schema, create=create)
        self.schemas[schema.name] = schema
        self._blocks = self.stores.setdefault(schema.name, {True: [], False: []})


@pytest.fixture(scope="module")
def open_backend():
    _Kept.stores, _Kept.schemas = {}, {}
    return _Kept


class TestExact(BackendContract):
    pass


def test_a_dense_score_is_the_product():
    backend, some = ExactBackend(), batch(range(1, 9))
    backend.ensure(schema(), create=True)
    backend.upsert(some)
    query = dense_query()
    found = backend.search(Leg.DENSE, query, ALL, 100)
    products = some.sections.vectors.astype(np.float64) @ query.astype(np.float64)
    order = np.argsort(-products)
    assert found.parts.tolist() == some.sections.parts[order].tolist()
    np.testing.assert_allclose(found.scores, products[order], rtol=1e-12)
    assert query.shape == (DIM,)


def test_brute_force_over_batches_is_brute_force_over_all():
    work = Workload(70, passages=3, dim=8, centers=60, stems=90, batch_documents=30)
    backend = ExactBackend()
    backend.ensure(work.schema("work"), create=True)
    for some in work.batches():
        backend.upsert(some)
    filters = FILTERS | {
        "documents": PartFilter(documents=np.arange(3, 70, 4)),
        "the rest": PartFilter(without=np.arange(1, 40), claims=True),
    }
    queries = list(work.queries(2))
    for name, found in work.exact(queries, filters, 15).items():
        for query, best in zip(queries, found, strict=True):
            for leg in Leg:
                compare(best[leg], backend.search(leg, query[leg], filters[name], 15), f"{leg}, {name}")
    assert len(found[0][Leg.DENSE]) == 15


def test_part_ids_say_what_they_are_of():
    documents = np.array([1, 7, (1 << 36) + 5])
    parts = passage_parts(documents, np.array([0, 262_143, 9]), np.array([0, 255, 3]))
    assert documents_of(parts).tolist() == documents.tolist()
    assert passage_offsets(parts).tolist() == [0, 262_143, 9]
    sections = section_parts(documents, np.array([0, 1, 2], dtype=np.uint8))
    assert documents_of(sections).tolist() == documents.tolist()
    assert section_kinds(sections).tolist() == [0, 1, 2]
    with pytest.raises(BugError):
        passage_parts(documents, np.array([1 << 18, 0, 0]), np.array([0, 0, 0]))


def test_class_tokens_are_the_levels_of_a_symbol():
    assert class_tokens("cpc", "B62K 25/04") == ("cpc:B", "cpc:B62", "cpc:B62K", "cpc:B62K 25")
    assert class_tokens("ipc", "H04L") == ("ipc:H", "ipc:H04", "ipc:H04L")
    assert class_tokens("cpc", "H") == ("cpc:H",)


class _Forgetful(_Kept):
    """An engine that gives one hit too few."""

    def search(self, leg, vector, allowed, k):
        found = super().search(leg, vector, allowed, k)
        return Found(found.parts[:-1], found.scores[:-1])


class _Swapping(_Kept):
    """An engine that gives the best two in the wrong order."""

    def search(self, leg, vector, allowed, k):
        found = super().search(leg, vector, allowed, k)
        order = np.arange(len(found))
        order[:2] = order[:2][::-1]
        return Found(found.parts[order], np.sort(found.scores)[::-1])


class _Keeping(_Kept):
    """An engine that removes nothing."""

    def delete(self, documents):
        pass


@pytest.mark.parametrize(
    ("wrong", "says"),
    [(_Forgetful, "hits instead of"), (_Swapping, "another part has rank"), (_Keeping, "removed document")],
)
def test_the_checks_find_an_engine_that_breaks_the_contract(wrong, says):
    _Kept.stores, _Kept.schemas = {}, {}
    prepare(wrong)
    said = []
    for check in CHECKS:
        try:
            check.run(wrong)
        except CheckError as error:
            said.append(str(error))
    assert any(says in each for each in said)


def test_nothing_is_found_before_the_index_is_made():
    with pytest.raises(EngineError):
        ExactBackend().search(Leg.DENSE, dense_query(), ALL, 1)
    with pytest.raises(EngineError, match="no index"):
        ExactBackend().ensure(schema())


def test_a_schema_is_the_same_to_the_letter_when_it_was_stored():
    given = schema(length_exponent=1)
    assert codec.encode(codec.decode(type(given), codec.encode(given))) == codec.encode(given)
