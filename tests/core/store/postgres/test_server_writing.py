"""Documents written to a server: ids, versions, families, replaced and removed documents."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import date

import pytest

pytest.importorskip("psycopg")
from psycopg.errors import UniqueViolation

from claimlight.errors import ResourceError
from claimlight.retrieval import catalogue
from claimlight.store import Store, postgres, repository, statistics, writer
from claimlight.store.postgres import columns, writing
from claimlight.types import Citation, Origin, Patent, Priority, PublicationNumber
from tests.core.store import invented
from tests.core.store.postgres.conftest import all_ids, push

pytestmark = pytest.mark.loopback


def families(store: Store) -> dict[str, str]:
    with store.read() as connection:
        return {
            row[0]: row[1]
            for row in connection.exec_driver_sql("SELECT publication, family_key FROM document")
        }


def make(folder, *patents) -> Store:
    made = Store.create(folder)
    invented.write(made, *patents)
    return made


def priorities(*numbers: str) -> tuple[Priority, ...]:
    return tuple(Priority("DE", number, date(1998, 11, 9), "national") for number in numbers)


def application(number: int) -> PublicationNumber:
    return PublicationNumber("EP", f"0{number:07d}")


def kin(number: int, priority: str, family: str = "") -> Patent:
    """A document of the family of a priority, and of that of the office's identifier."""
    return invented.patent(
        1000000 + number,
        priorities=priorities(priority),
        application=application(number),
        family=family,
        related=(),
    )


def test_families_of_two_shards_are_joined_as_in_one_library(shared, tmp_path):
    one, two, later = kin(1, "19811111"), kin(2, "19822222", "77"), kin(4, "19833333", "77")
    # Of the family of both: whoever pushes it joins them.
    both = kin(3, "19811111", "77")
    with make(tmp_path / "a", one, two) as first, make(tmp_path / "b", both) as second:
        push(first, shared)
        before = catalogue.load(shared)
        assert len(set(before.family.tolist())) == 2
        push(second, shared)
    # A catalogue that is brought up to date sees the new family of documents that were not written again.
    assert same(catalogue.load(shared, before=before), catalogue.load(shared))
    with make(tmp_path / "c", later) as third:
        push(third, shared)
    with make(tmp_path / "whole", one, two, both, later) as whole:
        assert families(shared) == families(whole)
    assert len(set(families(shared).values())) == 1


def test_a_shard_that_knows_more_of_a_family_joins_it_on_the_server(shared, tmp_path):
    """What joins the families is known to the file, but is a document no more."""
    old, bridge, other = kin(1, "19811111"), kin(2, "19811111", "77"), kin(3, "19822222", "77")
    with make(tmp_path / "a", old, bridge) as first, make(tmp_path / "b", other) as second:
        gone = repository.find(first, "EP1000002A1")
        writer.remove_documents(first, [gone])
        push(second, shared)
        push(first, shared)
    assert len(set(families(shared).values())) == 1


def test_a_new_version_of_a_document_keeps_its_family(shared, tmp_path):
    old, other = kin(1, "19811111"), kin(2, "19811111")
    new = replace(old, priorities=priorities("19800000"))
    with make(tmp_path / "a", old, other) as first, make(tmp_path / "b", new) as second:
        push(first, shared)
        push(second, shared)
    assert len(set(families(shared).values())) == 1


def test_documents_are_found_replaced_and_removed(shared, tmp_path):
    cites = Citation(PublicationNumber("US", "4000000", "A"), "", "X", Origin.SEARCH, "1", "", "")
    with make(tmp_path / "a", *invented.week(3)) as first:
        ids = push(first, shared)
        assert list(ids) == all_ids(first)
        batch = writing.read_batch(first, all_ids(first))
    with shared.read() as connection:
        held = writing.find_documents(connection, [*(item.key for item in batch.documents), ("EP1", "A1")])
    assert {key: value.digest for key, value in held.items()} == {
        item.key: item.digest for item in batch.documents
    }
    changed = replace(invented.week(3)[1], citations=(cites,))
    with make(tmp_path / "b", changed) as second:
        before = repository.read_library_version(shared)
        (again,) = push(second, shared).values()
    assert repository.count_documents(shared) == 3
    assert repository.read_removed_since(shared, before) == (held[batch.documents[1].key].id,)
    assert repository.find(shared, changed.publication) == again.document
    with shared.write() as connection:
        version = writing.begin_change(connection)
        labels = writing.remove_documents(connection, all_ids(shared), version)
    assert set(labels) == {item.key for item in batch.documents}
    tables = ("passage", "citation", "class_symbol", "party", "priority", "related", "picture", "part_origin")
    with shared.read() as connection:
        for table in ("document", *tables):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() == 0


def write_again(target: Store, batch: writing.Batch) -> None:
    with target.write() as connection:
        numbers = writing.reserve_ids(connection, len(batch.documents), batch.passages)
        writing.write_documents(connection, batch, batch.number(*numbers), writing.begin_change(connection))


def test_a_publication_twice_fails_and_changes_nothing(shared, tmp_path):
    with make(tmp_path / "a", *invented.week(2)) as first:
        push(first, shared)
        before = repository.read_library_version(shared)
        batch = writing.read_batch(first, all_ids(first))
        with pytest.raises(UniqueViolation):
            write_again(shared, batch)
    assert repository.read_library_version(shared) == before
    assert repository.count_documents(shared) == 2


def test_several_writers_at_once_never_share_an_id(address, tmp_path):
    """Each has its own connections, as programs on several machines have."""
    weeks = [invented.week(12, seed=n) for n in range(4)]
    for n, week in enumerate(weeks):
        weeks[n] = [
            replace(
                item,
                publication=PublicationNumber("EP", f"{3_000_000 + 100 * n + at}", "A1"),
                application=application(100 * n + at),
            )
            for at, item in enumerate(week)
        ]
    sources = [make(tmp_path / f"source{n}", *week) for n, week in enumerate(weeks)]
    failed: list[BaseException] = []

    def run(source: Store, number: int) -> None:
        try:
            with postgres.connect(address, tmp_path / f"shared{number}", read_only=False) as target:
                for some in zip(*[iter(all_ids(source))] * 3, strict=True):
                    push(source, target, some)
        except BaseException as error:  # noqa: BLE001 - raised again below
            failed.append(error)

    threads = [threading.Thread(target=run, args=(source, n)) for n, source in enumerate(sources)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failed == []
    with postgres.connect(address, tmp_path / "read") as target:
        read = catalogue.load(target)
        assert len(read) == 48
        assert read.version == 16
        # No two documents have a passage in common, and each has its own.
        order = read.first_passage.argsort()
        ends = (read.first_passage + read.passages)[order]
        assert (ends[:-1] <= read.first_passage[order][1:]).all()
        for source in sources:
            for patent in all_ids(source):
                name = repository.read_publications(source, [patent])[patent]
                there = repository.find(target, name)
                mine, theirs = (
                    [item.text for item in repository.read_passages_of(store, [number])[number]]
                    for store, number in ((source, patent), (target, there))
                )
                assert mine == theirs
            source.close()


def same(one: catalogue.Catalogue, other: catalogue.Catalogue) -> bool:
    names = ("ids", "published", "filed", "priority", "family", "first_passage", "passages", "office")
    arrays = all((getattr(one, name) == getattr(other, name)).all() for name in names)
    return arrays and one.version == other.version


def test_a_catalogue_is_brought_up_to_date(shared, tmp_path):
    with make(tmp_path / "a", *invented.week(20), invented.patent(published=None)) as source:
        ids = all_ids(source)
        push(source, shared, ids[:8])
        read = catalogue.load(shared)
        assert catalogue.load(shared, before=read) is read
        push(source, shared, ids[8:])
        with shared.write() as connection:
            version = writing.begin_change(connection)
            writing.remove_documents(connection, read.ids[2:4].tolist(), version)
        push(source, shared, ids[5:7])
        now = catalogue.load(shared, before=read)
        assert same(now, catalogue.load(shared))
        assert len(now) == 19
        assert same(catalogue.load(shared, before=now), now)


def test_many_rows_are_read_in_pieces(shared, tmp_path, monkeypatch):
    with make(tmp_path / "a", *invented.week(20)) as source:
        ids = all_ids(source)
        push(source, shared, ids[:9])
        push(source, shared, ids[5:])
    whole = catalogue.load(shared)
    monkeypatch.setattr(columns, "_TOGETHER", 3)
    assert same(catalogue.load(shared), whole)


def test_a_library_that_was_made_again_is_not_taken_for_the_same(shared, address, tmp_path):
    with make(tmp_path / "a", *invented.week(2)) as source:
        push(source, shared)
    read = catalogue.load(shared)
    with shared.write() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    with postgres.create(address, tmp_path / "again") as again:
        assert len(again.identity) == 32
        assert again.identity != shared.identity
    with pytest.raises(ResourceError, match="was made again since it was opened"):
        catalogue.load(shared, before=read)


def test_counts_are_kept_until_the_library_changes(shared, tmp_path):
    shared.folder.mkdir()
    with make(tmp_path / "a", *invented.week(3)) as source:
        ids = all_ids(source)
        push(source, shared, ids[:2])
        counted = statistics.count_all(shared)
        assert counted.documents == 2
        kept = shared.folder / statistics.KEPT_NAME
        said = json.loads(kept.read_text("utf-8"))
        said["counts"]["documents"] = 17
        kept.write_text(json.dumps(said), "utf-8")
        assert statistics.count_all(shared).documents == 17
        push(source, shared, ids[2:])
        assert statistics.count_all(shared) == statistics.count_all(source)
        kept.write_text("{", "utf-8")
        assert statistics.count_all(shared).documents == 3
