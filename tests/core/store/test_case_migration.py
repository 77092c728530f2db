"""Case books of earlier versions open in this one, whole and with digests."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from claimlight.services.cases import cases
from claimlight.services.cases.cases import CaseBook
from claimlight.store import migrate
from claimlight.store.case_digests import digest_values
from claimlight.store.migrations.cases.versions import v0001_first, v0002_packed_sets
from claimlight.types import (
    AcceptedClass,
    CaseId,
    Category,
    ClassFilter,
    Mark,
    PublicationNumber,
    Scheme,
)

NUMBER = PublicationNumber("EP", "1000000", "A1")
PUBLICATION = '{"country":"EP","number":"1000000","kind":"A1"}'
CASE = (
    '{{"id":{0},"name":"case {0}","created":"2026-03-01T09:00:00+00:00","changed":"{1}",'
    '"application":"1. A wheel.","claim":2}}'
)
CHANGED = {1: "2026-03-01T09:00:00+00:00", 2: "2026-03-09T09:00:00+00:00", 3: "2026-03-05T09:00:00+00:00"}
MARK = '{"publication":' + PUBLICATION + ',"category":"X","note":"near","claim":1,"feature":"F1"}'


def old_book(path: Path, version: int) -> None:
    """Three cases; in the first a mark, a document seen, a set with its hits in rows."""
    with closing(sqlite3.connect(path)) as connection:
        scripts = (v0001_first, v0002_packed_sets)[:version]
        for statement in (statement for script in scripts for statement in script.STATEMENTS):
            connection.execute(statement)
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
        connection.execute("INSERT INTO alembic_version VALUES (?)", (f"{version:04}",))
        for number, changed in CHANGED.items():
            row = (number, CHANGED[1], changed, CASE.format(number, changed))
            connection.execute("INSERT INTO case_file (id, created, changed, value) VALUES (?, ?, ?, ?)", row)
        state = "INSERT INTO state VALUES (1, ?, ?, ?)"
        connection.execute(state, ("mark", f"{NUMBER}\n1\nF1", MARK))
        connection.execute(state, ("seen", str(NUMBER), PUBLICATION))
        log = """INSERT INTO log (case_id, at, action, text, subject, "key", "before", "after", refers)
            VALUES (1, ?, ?, ?, ?, ?, NULL, ?, NULL)"""
        for action, subject, key, after in (
            ("created", "", "", None),
            ("seen", "seen", str(NUMBER), PUBLICATION),
            ("marked", "mark", f"{NUMBER}\n1\nF1", MARK),
        ):
            connection.execute(log, (CHANGED[1], action, f"{action} before", subject, key, after))
        query = '{"text":"a damper","features":[],"section":"claims"}'
        request = f'{{"query":{query},"before":null,"top":5,"legs":["bm25"]}}'
        origin = (
            '{"library":"L","generation":"g","documents":9,"encoder":"e","centers":"c","device":"cpu",'
            '"parameters":[]}'
        )
        names = "case_id, number, created, request, provenance, notes"
        values = (CHANGED[1], request, origin)
        connection.execute(f"INSERT INTO query_set ({names}) VALUES (1, 1, ?, ?, ?, 'n')", values)
        connection.execute("INSERT INTO set_hit VALUES (1, 1, 1, 'US', '3', 'B2', 0.5)")
        connection.execute(f"PRAGMA application_id = {migrate.CASES.application_id}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()


@pytest.mark.parametrize("version", [1, 2])
def test_a_book_of_an_earlier_version_opens_whole(tmp_path: Path, version: int) -> None:
    path = tmp_path / "cases.db"
    old_book(path, version)
    with CaseBook.open(path) as book:
        assert [case.name for case in book.cases()] == ["case 2", "case 3", "case 1"]
        assert book.marks(CaseId(1)) == [Mark(NUMBER, Category.X, "near", 1, "F1")]
        assert [(case.classes, case.within) for case in book.cases()] == [((), ())] * 3
        assert [entry.request.classes for entry in book.sets(CaseId(1))] == [()]
        assert book.seen(CaseId(1)) == {NUMBER}
        assert [str(hit.publication) for hit in book.sets(CaseId(1))[0].hits] == ["US3B2"]
        assert [entry.text for entry in book.history(CaseId(1))] == [
            "created before", "seen before", "marked before",
        ]  # fmt: skip
        assert (book.faults, book.check().sound) == ((), True)
        assert book.undo(CaseId(1)) == "marked before"
        assert book.marks(CaseId(1)) == []
    before = next(item for item in cases.list_contents(path) if "-before-" in item.backup.path)
    assert (before.cases, before.marks, before.sets, before.fault) == (3, 1, 1, "")
    assert cases.restore(path, before.backup.number) == before.backup
    with CaseBook.open(path) as book:
        assert len(book.marks(CaseId(1))) == 1


def test_a_book_of_the_version_before_further_letters_opens_whole(tmp_path: Path) -> None:
    path = tmp_path / "cases.db"
    with CaseBook.open(path) as book:
        case = book.create_case("one").id
        book.mark(case, Mark(NUMBER, Category.P, "near", 1))
    with closing(sqlite3.connect(path)) as connection:
        # As version 3 wrote it: without letters beside the category, and without passages.
        value = MARK.replace('"X"', '"P"').replace(',"feature":"F1"', ',"feature":""')
        key = f"{NUMBER}\n1\n"
        made = digest_values("state", int(case), "mark", key, value)
        state = "UPDATE state SET value = ?, digest = ? WHERE subject = 'mark'"
        connection.execute(state, (value, made))
        connection.execute("UPDATE alembic_version SET version_num = '0003'")
        connection.execute("PRAGMA user_version = 3")
        connection.commit()
    with CaseBook.open(path) as book:
        assert book.marks(case) == [Mark(NUMBER, Category.P, "near", 1)]
        assert book.faults == ()
        book.mark(case, Mark(NUMBER, Category.X, "near", 1, kinds=(Category.P,)))
        assert book.undo(case) == f"{NUMBER}: P,X for claim 1"
        assert [item.letters for item in book.marks(case)] == ["P"]
    assert any("-before-schema-4" in item.path for item in cases.list_backups(path))


@pytest.mark.parametrize("version", [1, 2])
def test_what_is_damaged_in_an_earlier_version_does_not_stop_the_others(tmp_path: Path, version: int) -> None:
    path = tmp_path / "cases.db"
    old_book(path, version)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE case_file SET value = '{' WHERE id = 3")
        connection.execute("UPDATE case_file SET value = CAST(x'ff' AS TEXT) WHERE id = 2")
        connection.execute("UPDATE state SET value = 'x' WHERE subject = 'seen'")
        connection.execute("UPDATE query_set SET request = 'null'")
        connection.commit()
    with CaseBook.open(path) as book:
        assert [case.name for case in book.cases()] == ["case 1"]
        assert [(fault.case, fault.row) for fault in book.faults] == [
            (2, "the case itself"), (3, "the case itself"), (1, f"seen of {NUMBER}"), (1, "set L1"),
        ]  # fmt: skip


@pytest.mark.parametrize("version", [1, 2])
def test_classes_can_be_accepted_in_a_case_of_an_earlier_version(tmp_path: Path, version: int) -> None:
    path = tmp_path / "cases.db"
    old_book(path, version)
    with CaseBook.open(path) as book:
        accepted = AcceptedClass(Scheme.CPC, "B62K 25/04", "Springs", 0.5, "cpc-subclass 1")
        book.accept_class(CaseId(1), accepted)
        book.restrict(CaseId(1), [ClassFilter(Scheme.CPC, "B62K")])
    with CaseBook.open(path) as book:
        case = book.case(CaseId(1))
        assert (case.classes, case.within) == ((accepted,), (ClassFilter(Scheme.CPC, "B62K"),))
        assert case.application == "1. A wheel."
        assert book.check().sound
