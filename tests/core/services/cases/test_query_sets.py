"""Query sets on record: both kinds of question, many hits in few bytes, and sets of the first schema."""

from __future__ import annotations

import random
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from cases_fakes import Clock
from hypothesis import given
from hypothesis import strategies as st
from query_set_fakes import old_book

from claimlight import codec
from claimlight.errors import BugError, ResourceError
from claimlight.services.cases.cases import CaseBook
from claimlight.store import migrate
from claimlight.types import (
    Action,
    CaseId,
    DefaultOperator,
    ParsedQuery,
    PatentId,
    Provenance,
    PublicationNumber,
    Query,
    SearchRequest,
    SetHit,
    SetHits,
    SetRequest,
    SetResult,
    TermCount,
    publication_text,
)
from tests.forks import Forks

REQUEST = SetRequest(
    'damper$2.clm. AND ~"valve"', Query("A valve."), date(2020, 1, 1), default_operator=DefaultOperator.ADJ
)
PARSED = ParsedQuery(
    REQUEST.expression,
    'damper$2.clm. AND ~"valve"',
    (TermCount("damper$2.clm.", 1, 3, 40, ("damper", "dampers")), TermCount('~"valve"', 19, 0, 1000)),
    DefaultOperator.ADJ,
)
PROVENANCE = Provenance("L", "g1/7", 9, "enc", "cen", "cpu", (("depth", "1000"),))

words = st.text(st.characters(codec="utf-8", exclude_characters="\x1e\x1f"), max_size=8)
publications = st.builds(PublicationNumber, words, words, words)
hits = st.lists(st.builds(SetHit, publications, st.floats(allow_nan=False)), max_size=20)


def found(count: int, *, scored: bool = True) -> SetResult:
    scores = tuple(1 / (n + 1) for n in range(count)) if scored else ()
    keys = tuple(publication_text("EP", str(1_000_000 + n), "A1") for n in range(count))
    return SetResult(
        REQUEST, PARSED, tuple(map(PatentId, range(count))), scores, ("a note",), (), PROVENANCE,
        SetHits(keys, scores),
    )  # fmt: skip


@given(hits=hits)
def test_packed_hits_read_back_to_the_bit(hits):
    packed = SetHits.of(hits)
    again = SetHits.unpacked(packed.packed(), len(packed))
    assert list(again) == hits
    assert again == packed == tuple(hits)
    assert (len(again), bool(again), again[1:3], hash(again)) == (
        len(hits), bool(hits), tuple(hits[1:3]), hash(packed),
    )  # fmt: skip
    assert again.digest() == packed.digest()


def test_hits_without_scores_have_none():
    again = SetHits.unpacked(SetHits(["EP\x1f1\x1fA1"]).packed(), 1)
    assert (again.scores, again[0].score, again[-1]) == ((), 0.0, again[0])
    assert SetHits() == () == SetHits.unpacked(SetHits().packed(), 0)
    assert SetHits(["EP\x1f1\x1fA1"]) != SetHits(["EP\x1f2\x1fA1"])
    with pytest.raises(IndexError):
        again[1]
    with pytest.raises(ValueError, match="a score for each hit or none"):
        SetHits(["x", "y"], [1.0])


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-3], lambda b: b[:9] + bytes([b[9] ^ 4]) + b[10:], lambda b: b"x"]
)
def test_damaged_hits_are_never_read_as_others(damage):
    packed = SetHits.of([SetHit(PublicationNumber("EP", str(n), "A1"), n / 7) for n in range(50)]).packed()
    with pytest.raises(ResourceError, match="documents of a set in the case book are damaged"):
        SetHits.unpacked(damage(packed), 50).keys  # noqa: B018
    with pytest.raises(ResourceError, match="50 documents instead of 49"):
        SetHits.unpacked(packed, 49).keys  # noqa: B018


def test_a_query_line_goes_on_record_whole(tmp_path):
    path = tmp_path / "cases.db"
    with CaseBook.open(path, clock=Clock()) as book:
        case = book.create_case("one").id
        first = book.record_set(case, found(3))
        second = book.record_set(case, replace(found(0), notes=()))
        assert book.history(case)[1].text == 'L1: 3 documents for damper$2.clm. AND ~"valve"'
        assert book.undo(case) == ""
    with CaseBook.open(path) as book:
        assert book.sets(case) == [first, second]
        read = book.sets(case)[0]
    assert (read.label, read.request, read.parsed) == ("L1", REQUEST, PARSED)
    assert (read.provenance, read.notes) == (PROVENANCE, ("a note",))
    assert [hit.score for hit in read.hits] == [1, 1 / 2, 1 / 3]
    assert str(read.hits[2].publication) == "EP1000002A1"


def test_a_result_without_numbers_is_refused(tmp_path):
    with CaseBook.open(tmp_path / "cases.db") as book:
        case = book.create_case("one").id
        with pytest.raises(BugError, match="without the numbers"):
            book.record_set(case, replace(found(2), hits=SetHits()))
        assert book.sets(case) == []


def test_a_hundred_thousand_hits_are_one_row_of_a_few_bytes_each(tmp_path):
    path = tmp_path / "cases.db"
    with CaseBook.open(path) as book:
        case = book.create_case("one").id
        written = book.record_set(case, found(100_000, scored=False))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM set_hit").fetchone() == (0,)
        size, many = connection.execute("SELECT length(hits), documents FROM query_set").fetchone()
        assert (many, size < 8 * many) == (100_000, True)
    with CaseBook.open(path) as book:
        assert book.sets(case)[0].hits.keys == written.hits.keys


def test_a_record_of_two_kinds_is_read_as_what_it_was():
    kind = SearchRequest | SetRequest
    for value in (SearchRequest(Query("A valve."), top=7), REQUEST, SetRequest("x")):
        assert codec.decode(kind, codec.encode(value)) == value
    with pytest.raises(codec.MisfitError, match="expected one of SearchRequest, SetRequest"):
        codec.decode(kind, '{"text":"x"}')
    with pytest.raises(codec.MisfitError):
        codec.decode(kind, "3")


def test_sets_of_the_first_schema_stay_readable_and_untouched(tmp_path):
    path = tmp_path / "Cases" / "cases.db"
    old_book(path)
    with CaseBook.open(path) as book:
        (before,) = book.sets(CaseId(1))
        assert [(str(hit.publication), hit.score) for hit in before.hits] == [("US3B2", 0.5), ("US1B2", 0.25)]
        assert (before.request.query.text, before.parsed, before.notes) == ("a damper", None, ("a note",))
        second = book.record_set(CaseId(1), found(2))
        assert book.sets(CaseId(1)) == [before, second]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*), sum(score) FROM set_hit").fetchone() == (2, 0.75)
        assert connection.execute("SELECT hits FROM query_set WHERE number = 1").fetchone() == (None,)
    (kept,) = (path.parent / "backups").glob(f"*-before-schema-{migrate.CASES.version}.db")
    with closing(sqlite3.connect(kept)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)


@pytest.fixture(scope="module")
def forks():
    with Forks(Path(__file__).with_name("query_set_fakes.py")) as made:
        yield made


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_a_migration_killed_at_any_statement_leaves_the_old_schema_or_the_new(tmp_path, forks):
    versions = []
    for statement in range(1, 100, 2):
        path = tmp_path / str(statement) / "cases.db"
        old_book(path)
        done = forks.run(path, statement)
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            versions.append(connection.execute("PRAGMA user_version").fetchone()[0])
            columns = len(connection.execute("PRAGMA table_info(query_set)").fetchall())
            assert columns == {1: 6, migrate.CASES.version: 10}[versions[-1]]
        if versions[-1] == 1:
            backups = list((path.parent / "backups").glob(f"*-before-schema-{migrate.CASES.version}.db"))
            assert len(backups) <= 1
        with CaseBook.open(path) as book:
            assert len(book.sets(CaseId(1))[0].hits) == 2
        if done.returncode == 0:
            break
        assert done.returncode == -9
    assert set(versions) == {1, migrate.CASES.version}
    assert versions == sorted(versions)


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
@pytest.mark.parametrize("seed", range(2))
def test_killed_while_recording(tmp_path, forks, seed):
    """Killed at a random statement: every set reported is there whole, with its line of the log."""
    rng = random.Random(seed)
    path = tmp_path / "cases.db"
    with CaseBook.open(path) as book:
        case = book.create_case("one").id
    reported = 0
    for _ in range(4):
        done = forks.run(path, rng.randint(8, 60), case)
        assert done.returncode == -9
        reported += len(done.stdout.split())
        with CaseBook.open(path) as book:
            sets = book.sets(case)
            assert len(sets) - reported in {0, 1}
            assert [item.number for item in sets] == list(range(1, len(sets) + 1))
            assert all(len(list(item.hits)) == 500 for item in sets)
            log = [item for item in book.history(case) if item.action is Action.SEARCHED]
            assert len(log) == len(sets)
        reported = len(sets)
    assert reported > 0
