"""Several records of one publication: the same document in whatever order, how often and in what batches."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from claimlight.store import Store, document_relations, document_view, record_merging, repository, writer
from claimlight.store.content import make_document_row, make_passages, read_content, split_content
from claimlight.store.rows import make_document_rows
from claimlight.types import (
    Citation,
    ClassSymbol,
    DocumentView,
    LocalText,
    Origin,
    Paragraph,
    Part,
    Patent,
    PatentId,
    Priority,
    PublicationNumber,
    Scheme,
    Source,
)
from tests.core.store.asking import family_of
from tests.core.store.contents import library_content
from tests.core.store.invented import PATH, patent, patents, write

OFFICE, EXCHANGE, SERVICE = "/office/week.xml", "/docdb/front.xml", "/ops/reply.xml"
MODIFIED = {OFFICE: 5, EXCHANGE: 9, SERVICE: 9}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("merge") / "library"
    Store.create(folder).close()
    return folder


def _empty(template: Path, name: str) -> Store:
    folder = template.with_name(name)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder)
    return Store.open(folder)


def _write(store: Store, records: Sequence[Patent]) -> writer.Written:
    sources = [writer.SourceState(path, 10, MODIFIED[path]) for path in MODIFIED]
    return writer.write_batch(store, [make_document_rows(item) for item in records], (), sources)


_NO_SHRINK = (Phase.explicit, Phase.reuse, Phase.generate)
"""A failure is told as it was found: making it smaller takes minutes."""
_places = st.sampled_from(list(MODIFIED))


@st.composite
def _records(draw: st.DrawFn) -> list[Patent]:
    """Records of few publications, full and partial, so that they meet."""
    made = []
    for _ in range(draw(st.integers(2, 6))):
        full = draw(patents)
        number = PublicationNumber("EP", draw(st.sampled_from(["1000000", "01000000", "1000001"])), "")
        kept = draw(st.sets(st.sampled_from(["titles", "abstracts", "claims", "description", "classes"])))
        parts = dict.fromkeys(
            {"titles", "abstracts", "claims", "description", "classes", "citations", "parties"} - kept, ()
        )
        made.append(
            replace(
                full,
                publication=replace(number, kind=draw(st.sampled_from(["A1", "a1", "B1", ""]))),
                source=Source(draw(_places), draw(st.sampled_from(["", "m.xml"])), draw(st.integers(0, 2))),
                **parts,
            )
        )
    return made


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=_NO_SHRINK)
@given(records=_records(), data=st.data())
def test_order_repetition_and_batches_do_not_matter(
    template: Path, records: list[Patent], data: st.DataObject
) -> None:
    with _empty(template, "straight") as store:
        for item in records:
            _write(store, [item])
        expected = library_content(store)
    order = data.draw(st.permutations(records + data.draw(st.lists(st.sampled_from(records), max_size=4))))
    with _empty(template, "mixed") as store:
        left = list(order)
        while left:
            size = data.draw(st.integers(1, len(left)))
            _write(store, left[:size])
            left = left[size:]
        assert library_content(store) == expected
        version = repository.read_library_version(store)
        assert _write(store, order).unchanged == len(order)
        assert repository.read_library_version(store) == version


@settings(max_examples=150, deadline=None)
@given(item=patents)
def test_parts_go_to_rows_and_come_back(item: Patent) -> None:
    content = split_content(item)
    language, passages = make_passages(content)
    children = make_document_rows(item).children
    assert read_content(make_document_row(content, language), passages, children) == content


@settings(max_examples=80, deadline=None)
@given(items=st.lists(patents, min_size=3, max_size=3), places=st.lists(_places, min_size=3, max_size=3))
def test_joining_is_a_least_upper_bound(items: list[Patent], places: list[str]) -> None:
    one, two, three = (
        record_merging.Merged.of_record(
            make_document_rows(replace(item, publication=PublicationNumber("EP", "1", "A1"))),
            record_merging.Place(MODIFIED[path], path, "", 0, 0, ""),
        )
        for item, path in zip(items, places, strict=True)
    )
    assert one.joined(one) == one
    assert one.joined(two) == two.joined(one)
    assert one.joined(two).joined(three) == one.joined(two.joined(three))


def _front(**changes: object) -> Patent:
    """What the exchange file knows of `patent()`: no text but title and abstract, and more classes."""
    known_there = {
        "source": Source(EXCHANGE, "", 3, 400, "docdb"),
        "claims": (),
        "description": (),
        "classes": (*patent().classes, ClassSymbol(Scheme.CPC, "B60B 9/28", inventive=True)),
        "family": "19768124",
    }
    return patent(**{**known_there, **changes})


def _office(**changes: object) -> Patent:
    return patent(**{"source": Source(OFFICE, "w.xml", 1, 2, "ep"), "classes": (), **changes})


def _view(store: Store) -> DocumentView:
    found = repository.find(store, "EP1000000A1")
    assert found is not None
    return document_view.read_document_view(store, found)


def test_text_of_the_office_and_front_page_of_the_exchange_file(store: Store) -> None:
    _write(store, [_front()])
    assert _write(store, [_office()]).merged == 1
    view = _view(store)
    assert len(view.classes) == 4
    assert [item.label for item in view.passages] == [
        "abstract", "claim 1", "claim 2", "[0001]", "p. 2", "title",
    ]  # fmt: skip
    with store.read() as connection:
        found = {item.part: item for item in document_relations.read_origins(connection, view.summary.id)}
    assert (found[Part.CLAIMS].path, found[Part.CLAIMS].member) == (OFFICE, "w.xml")
    assert (found[Part.CLASSES].path, found[Part.CLASSES].dialect) == (EXCHANGE, "docdb")
    assert found[Part.FAMILY].path == EXCHANGE
    assert found[Part.TITLES].path == EXCHANGE  # as rich as the office's, of a newer file
    assert view.source == f"{OFFICE}!w.xml"


def test_a_better_front_page_leaves_text_ids_and_index_alone(store: Store) -> None:
    _write(store, [_office()])
    before, version = _view(store), repository.read_library_version(store)
    assert _write(store, [_front()]).merged == 1
    after = _view(store)
    assert after.summary.id == before.summary.id
    assert after.passages == before.passages
    assert len(after.classes) == 4
    assert repository.read_library_version(store) == version + 1
    assert repository.read_removed_since(store, 0) == ()


def test_another_text_is_another_document_for_the_index(store: Store) -> None:
    _write(store, [_front()])
    before = _view(store).summary.id
    _write(store, [_office()])
    assert _view(store).summary.id != before
    assert repository.read_removed_since(store, 0) == (before,)


def test_new_names_are_found_and_old_ones_are_not(store: Store) -> None:
    _write(store, [_office(parties=patent().parties[:1])])
    _write(store, [_front()])
    query = "SELECT count(*) FROM party_words WHERE party_words MATCH ?"
    with store.read() as connection:
        assert connection.exec_driver_sql(query, ("aa : wheel",)).scalar() == 1
        assert connection.exec_driver_sql(query, ("inv : rim",)).scalar() == 1


def test_a_record_without_kind_stays_alone(store: Store) -> None:
    bare = _front(publication=PublicationNumber("EP", "1000000"))
    assert _write(store, [_office(), bare]).taken == 2
    assert repository.count_documents(store) == 2


def test_spellings_of_number_and_kind_are_one_publication(store: Store) -> None:
    spelled = [PublicationNumber("EP", "01000000", "a1"), PublicationNumber("EP", "1 000 000", "A1 ")]
    records = [_front(publication=item) for item in spelled]
    written = _write(store, [_office(), *records])
    assert (written.taken, written.merged) == (1, 1)
    assert str(_view(store).summary.publication) == "EP1000000A1"


def test_an_empty_part_never_wins(store: Store) -> None:
    _write(store, [_office(classes=patent().classes)])
    _write(store, [_front(titles=(), abstracts=(), classes=(), parties=(), priorities=(), published=None)])
    view = _view(store)
    assert view.summary.title == "Wheel with damper"
    assert view.summary.published == date(2000, 5, 17)
    assert len(view.classes) == 3
    assert view.parties


def test_a_file_that_is_newer_but_says_the_same_is_noted_and_no_change(store: Store) -> None:
    _write(store, [_office()])
    version = repository.read_library_version(store)
    newer = _office(source=Source(EXCHANGE, "copy.xml", 8, 9, "ep"))
    assert _write(store, [newer]).unchanged == 1
    assert repository.read_library_version(store) == version
    assert _view(store).source == f"{EXCHANGE}!copy.xml"


def test_families_of_losing_records_stay_joined(store: Store) -> None:
    """The office's record names one priority, the exchange file two; both tie the document to others."""
    one, two = Priority("DE", "19812345", date(1998, 11, 9)), Priority("DE", "19812346", date(1998, 11, 10))
    member = patent(2_000_000, application=PublicationNumber("EP", "01000009"), priorities=(one,))
    _write(store, [_office(priorities=(one,))])
    _write(store, [_front(priorities=(one, two))])
    _write(store, [replace(member, source=Source(OFFICE))])
    assert len(family_of(store, _view(store).summary.id)) == 2


def test_a_search_report_of_the_web_service_replaces_a_bare_list(store: Store) -> None:
    cited = PublicationNumber("US", "4000000", "A")
    bare = Citation(cited)
    told = Citation(cited, "", "X", Origin.SEARCH, "1-3", "column 2")
    _write(store, [_office(citations=(bare,))])
    _write(store, [_front(source=Source(SERVICE), citations=(told,))])
    assert _view(store).citations == (told,)


def test_what_was_merged_goes_with_its_document(store: Store) -> None:
    _write(store, [_front()])
    _write(store, [_office()])
    _write(store, [_office(description=(Paragraph("Much more of it. " * 20),))])
    with store.read() as connection:
        ids = set(connection.exec_driver_sql("SELECT DISTINCT document_id FROM part_origin").scalars())
    assert ids == {_view(store).summary.id}


def test_one_record_keeps_no_origins(store: Store) -> None:
    write(store, patent(), patent(1_000_001))
    with store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM part_origin").scalar() == 0
        found = document_relations.read_origins(connection, PatentId(1))
    assert {item.path for item in found} == {PATH}
    assert [item.part for item in found] == [
        part for part in Part if part not in (Part.FAMILY, Part.PICTURES)
    ]


def test_a_language_without_text_waits_for_its_text(store: Store) -> None:
    """The fullest record is German; a title in German comes last, and then the document is German."""
    title = LocalText("Wheel", "en")
    texts = {"titles": (), "abstracts": (), "language": "de"}
    _write(store, [_office(**texts)])
    _write(store, [_front(titles=(title,), abstracts=(), language="en")])
    assert _view(store).summary.language == "en"
    german = (title, LocalText("Rad mit Dämpfer", "de"))
    _write(store, [_front(titles=german, abstracts=(), language="en")])
    assert _view(store).summary.language == "de"
    assert _view(store).summary.title == "Rad mit Dämpfer"
