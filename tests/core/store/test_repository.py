"""Reading a library."""

from __future__ import annotations

from datetime import date

import pytest

from claimlight.errors import InputError, TaskCancelled
from claimlight.store import Store, document_view, fulltext, repository, statistics, tokens
from claimlight.tasks import TaskContext
from claimlight.types import Citation, LocalText, Paragraph, PublicationNumber
from tests.core.store.asking import documents_with
from tests.core.store.invented import patent, week, write


def test_documents_after_walks_the_library(store: Store) -> None:
    write(store, *week(7))
    write(store, week(1)[0].__class__(PublicationNumber("EP", "1", "A1"), week(1)[0].source))
    seen = []
    last = 0
    while found := repository.read_documents_after(store, last, 3):
        assert len(found) <= 3
        for document in found:
            assert all(passage.patent == document.id for passage in document.passages)
            seen.append((document.publication.number, len(document.passages)))
        last = found[-1].id
    assert seen == [(str(2_000_000 + n), 14) for n in range(7)] + [("1", 0)]
    assert repository.count_documents(store) == 8


def test_documents_after_skips_what_was_replaced_in_between(store: Store) -> None:
    write(store, patent(1), patent(2), patent(3))
    write(store, patent(2, abstracts=(LocalText("a much fuller abstract than before", "en"),)))
    found = repository.read_documents_after(store, 0, 10)
    assert [item.publication.number for item in found] == ["1", "3", "2"]
    assert all(item.passages[0].text.startswith("Wheel") for item in found)


def test_many_ids_are_asked_for_in_chunks(store: Store) -> None:
    write(store, *week(40))
    ids = [document.id for document in repository.read_documents_after(store, 0, 100)]
    every = repository.read_passages_of(store, ids)
    flat = [passage for passages in every.values() for passage in passages]
    assert len(flat) == 40 * 14 > repository.CHUNK
    again = repository.read_passages(store, [passage.id for passage in reversed(flat)])
    assert sorted(again.values(), key=lambda item: item.id) == flat
    assert repository.read_passages(store, [10_000]) == {}  # type: ignore[list-item]
    assert set(repository.read_summaries(store, ids)) == set(ids)


@pytest.mark.parametrize(
    "text", ["EP1000000A1", "EP 1 000 000 A1", "EP1000000", "ep 01000000", "EP-1000000-A1", "EP1000000 A1"]
)
def test_find_in_any_spelling(store: Store, text: str) -> None:
    write(store, patent(999999), patent(1000000))
    assert repository.find(store, text) == 2


def test_find_without_kind_takes_the_latest(store: Store) -> None:
    granted = patent(publication=PublicationNumber("EP", "1000000", "B1"), published=date(2004, 1, 1))
    write(store, granted, patent())
    assert repository.find(store, "EP1000000") == 1
    assert repository.find(store, PublicationNumber("EP", "1000000", "A1")) == 2
    assert repository.find(store, "EP1000000B9") is None
    assert repository.find(store, "EP7") is None
    assert repository.find(store, "no number") is None


def test_a_number_that_ends_like_a_kind_code_is_found_by_the_name_it_is_shown_by(store: Store) -> None:
    named = patent(publication=PublicationNumber("XX", "D41D8"))
    write(store, named)
    found = repository.find(store, str(named.publication))
    assert found is not None
    assert repository.read_publications(store, [found]) == {found: named.publication}


def test_full_text_stems_and_folds(store: Store) -> None:
    write(store, patent(1), patent(2, description=(Paragraph("Die Dämpfer dämpfen"),)))
    assert len(documents_with(store, "damper")) == 5
    assert set(documents_with(store, "dampfen")) == {2}


def test_term_document_frequency(store: Store) -> None:
    write(store, patent())
    found = fulltext.count_passages_by_term(store, ["wheels", "Wheel", "zebra", "wheel-zebra", "§"])
    assert found == {"wheels": 4, "Wheel": 4, "zebra": 0, "wheel-zebra": 0, "§": 0}
    assert fulltext.count_passages_by_term(store, []) == {}


def test_tokenize() -> None:
    assert tokens.tokenize(["Running wheels, Dämpfer", ""]) == [("run", "wheel", "dampfer"), ()]


def test_a_cancelled_query_stops(store: Store) -> None:
    write(store, *week(20))
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled), store.read(context) as connection:
        connection.exec_driver_sql("SELECT count(*) FROM passage a, passage b, passage c").scalar()
    assert documents_with(store, "wheel")


def test_cited_by_and_family(store: Store) -> None:
    cites = patent(2, citations=(Citation(PublicationNumber("EP", "0000001")),), priorities=())
    write(store, patent(1), cites, patent(3))
    view = document_view.read_document_view(store, 1)  # type: ignore[arg-type]
    assert view.cited_by == (PublicationNumber("EP", "2", "A1"),)
    assert view.family_members == (PublicationNumber("EP", "3", "A1"),)
    with pytest.raises(InputError, match="no document 9"):
        document_view.read_document_view(store, 9)  # type: ignore[arg-type]


def test_counts(store: Store) -> None:
    write(store, patent(1), patent(2, published=date(2001, 2, 3), classes=()), *week(2))
    found = statistics.count_all(store)
    assert (found.documents, found.passages, found.families) == (4, 40, 3)
    assert found.offices == (("EP", 4),)
    assert found.years == ((2000, 3), (2001, 1))
    assert found.classes == (("B60B", 3), ("F16F", 3))
