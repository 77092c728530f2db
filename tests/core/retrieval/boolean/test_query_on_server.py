"""Query lines on a shared library: the same documents as in a file, for the same lines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("psycopg")
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimlight.errors import QueryError, TaskCancelled
from claimlight.retrieval import catalogue as catalogues
from claimlight.retrieval.boolean import plan
from claimlight.retrieval.boolean import wildcards as boolean_words
from claimlight.retrieval.boolean.canonical import format_canonical
from claimlight.retrieval.boolean.complete import complete
from claimlight.retrieval.boolean.evaluate import count_terms, evaluate
from claimlight.retrieval.boolean.marks import find_marks
from claimlight.retrieval.boolean.parser import parse
from claimlight.store import Store, postgres
from claimlight.store.postgres import text_index, vectors
from claimlight.tasks import TaskContext
from tests.core.retrieval.boolean.naive import evaluate_naively
from tests.core.retrieval.boolean.query_cases import MEMBERS, Members, close, corpora, near, plain, queries
from tests.core.retrieval.boolean.test_query_evaluation import CASES, few_documents
from tests.core.store.postgres.with_words import empty, push_words

pytestmark = pytest.mark.loopback
some = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@pytest.fixture(scope="module")
def server_store(postgres_server, tmp_path_factory) -> Iterator[Store]:
    """One library for all tests; each makes it empty first."""
    folder = tmp_path_factory.mktemp("server")
    address = postgres_server.empty_library(folder / "made")
    with postgres.connect(address, folder / "shared", read_only=False) as opened:
        yield opened


@pytest.fixture
def shared_few(server_store, library_of) -> Iterator[tuple[Store, Store]]:
    """Two documents on the server, and in a file."""
    empty(server_store)
    with library_of(few_documents()) as file:
        push_words(file, server_store)
        yield server_store, file


def check(store: Store, documents, node) -> None:
    found = evaluate(node, store, catalogues.load(store), Members(), TaskContext())
    expected = evaluate_naively(node, documents, MEMBERS)
    assert found.ids.tolist() == sorted(expected), format_canonical(node)


@given(corpora(), st.lists(queries, min_size=3, max_size=6))
@some
def test_server_is_naive(server_store, library_of, patents, nodes) -> None:
    empty(server_store)
    with library_of(patents) as file:
        push_words(file, server_store)
        for node in nodes:
            check(server_store, plain(file), node)


@given(corpora(close), st.lists(near, min_size=3, max_size=6))
@some
def test_nearness_is_naive_on_the_server(server_store, library_of, patents, nodes) -> None:
    empty(server_store)
    with library_of(patents) as file:
        push_words(file, server_store)
        for node in nodes:
            check(server_store, plain(file), node)


@given(
    corpora(),
    st.lists(queries | near, min_size=3, max_size=6),
    st.sampled_from([1, 2, 255]),
    st.sampled_from([90, 180, 10**6]),
    st.sampled_from([2, 4, 200]),
)
@settings(parent=some, max_examples=20)
def test_server_is_naive_within_small_limits(
    server_store, library_of, patents, nodes, places, size, letters
) -> None:
    """Rows without places, rows without words, shortened words; few words at once."""
    empty(server_store)
    with library_of(patents) as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "_MOST_PLACES", places)
        patch.setattr(vectors, "_MOST_BYTES", size)
        patch.setattr(vectors, "_MOST_KEY_BYTES", letters)
        for module in (vectors, text_index):
            patch.setattr(module, "KEY_LETTERS", letters)
        patch.setattr(text_index, "_MOST_BETWEEN", 1)
        patch.setattr(plan, "MAX_WORDS", letters)
        push_words(file, server_store)
        for node in nodes:
            check(server_store, plain(file), node)


def test_what_lines_find_on_the_server(shared_few) -> None:
    shared, file = shared_few
    catalogue, other = catalogues.load(shared), catalogues.load(file)
    for line, expected in CASES:
        found = evaluate(parse(line), shared, catalogue, Members(), TaskContext())
        assert found.ids.tolist() == expected, line
        assert found.terms == evaluate(parse(line), file, other, Members(), TaskContext()).terms, line


def test_completions_and_marks_are_those_of_the_file(shared_few) -> None:
    shared, file = shared_few
    for begun in ("dam", "valv", "flu", "state-of", '"val', "damper.", "motor A"):
        assert complete(shared, begun, len(begun)) == complete(file, begun, len(begun))
    line = parse('damp$2 ADJ9 valve OR wheel.as. OR "state of the art" OR PD>1990')
    for document in (1, 2):
        marks = find_marks(line, shared, document, None, TaskContext())
        assert marks == find_marks(line, file, document, None, TaskContext())


def test_too_many_texts_are_refused_with_their_number_and_place(shared_few, monkeypatch) -> None:
    shared, _ = shared_few
    monkeypatch.setattr(text_index.PostgresTextIndex, "most_open", 0)
    catalogue = catalogues.load(shared)
    with pytest.raises(QueryError, match=r"^\d texts would have to be read .* more than 0\.") as told:
        evaluate(parse("damper AND (valve NOT WITH fluid)"), shared, catalogue, None, TaskContext())
    assert told.value.column > 1
    # PostgreSQL decides these.
    assert evaluate(parse("valve"), shared, catalogue, None, TaskContext()).ids.tolist() == [1, 2]
    assert evaluate(parse('"fluid damper"'), shared, catalogue, None, TaskContext()).ids.tolist() == [1]


def test_too_many_words_are_refused_on_the_server(shared_few, monkeypatch) -> None:
    shared, _ = shared_few
    monkeypatch.setattr(boolean_words, "MAX_EXPANSION", 2)
    with pytest.raises(QueryError, match=r"damp\$ matches 4 words"):
        evaluate(parse("damp$"), shared, catalogues.load(shared), None, TaskContext())


def test_a_cancelled_line_stops_on_the_server(shared_few) -> None:
    shared, _ = shared_few
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        evaluate(parse("damper ADJ3 valve"), shared, catalogues.load(shared), None, context)


def test_terms_are_counted_on_the_server(shared_few) -> None:
    shared, file = shared_few
    line = parse("(damp$2 ADJ3 valve).clm. OR $sorbers OR nowhere OR muller.in.")
    counts = [
        count_terms(line, store, catalogues.load(store), None, TaskContext()) for store in (shared, file)
    ]
    assert counts[0] == counts[1]


def test_an_empty_shared_library_answers(server_store) -> None:
    empty(server_store)
    catalogue = catalogues.load(server_store)
    for line in ("damper", "a ADJ3 b", "NOT a", "$x", "a NOT WITH b", "x.in."):
        assert evaluate(parse(line), server_store, catalogue, None, TaskContext()).ids.tolist() == []
