"""The encrypted case book: what lies on the disk, what opens it, and what a kill leaves of a conversion."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from cases_fakes import Clock, mark

from claimlight import encryption
from claimlight.errors import InputError, ResourceError
from claimlight.services.cases import case_encryption, cases
from claimlight.services.cases.cases import (
    CaseBook,
    DamagedCasesError,
    EncryptionMissingError,
    LockedCasesError,
    WrongPassphraseError,
)

pytest.importorskip("sqlcipher3")
FIRST, SECOND = "damper valve müsli train", "another four words here"
MARKERS = (b"zweigelenk", b"note 1", b"case_file", b"SQLite format")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")


@pytest.fixture(autouse=True)
def fewer_rounds(monkeypatch):
    """Deriving a key takes a tenth of a second, which one test pays: the others test something else."""
    monkeypatch.setattr(encryption, "_ROUNDS", 1000)


def fill(path, passphrase=None):
    with CaseBook.open(path, clock=Clock(), passphrase=passphrase) as book:
        case = book.create_case("one", application="1. A zweigelenk with a damper.").id
        book.mark(case, mark(1))
    return case


@pytest.fixture
def filled(path):
    """A plain book with two backups, and one book that a restore has set aside."""
    fill(path)
    cases.restore(path)
    with CaseBook.open(path) as book:
        book.rename(book.cases()[0].id, "one again")
    return path


@pytest.fixture
def encrypted(filled):
    case_encryption.encrypt(FIRST, filled)
    return filled


def files(path):
    return sorted(item for item in path.parent.rglob("*") if item.is_file())


def in_clear(path):
    """The files that hold a word of the case, or what only a plain database has."""
    return [item.name for item in files(path) if any(word in item.read_bytes() for word in MARKERS)]


def content(path, passphrase):
    with CaseBook.open(path, clock=Clock(), passphrase=passphrase) as book:
        case = book.cases()[0]
        assert book.check().sound
        return case.application, case.name, book.marks(case.id), book.history(case.id)


def test_nothing_of_the_cases_is_readable_in_the_folder(filled):
    before = content(filled, None)
    assert set(in_clear(filled)) >= {"cases.db", "cases.db.replaced-1"}
    done = case_encryption.encrypt(FIRST, filled)
    # The backups that its own first backup has not replaced, and the book that was set aside.
    assert (done.files, done.left) == (len(cases.list_backups(filled)), ())
    assert in_clear(filled) == []
    assert content(filled, FIRST) == before
    with CaseBook.open(filled, passphrase=FIRST) as book:
        book.mark(book.cases()[0].id, mark(2))
        assert filled.with_name("cases.db-wal").stat().st_size > 0
        assert in_clear(filled) == [], "the log is encrypted too"
        book.back_up()
        assert in_clear(filled) == []


def test_only_the_passphrase_opens_it_however_it_was_typed(encrypted):
    assert case_encryption.is_encrypted(encrypted)
    with pytest.raises(LockedCasesError, match="passphrase is needed"):
        CaseBook.open(encrypted)
    with pytest.raises(WrongPassphraseError, match="does not fit"):
        CaseBook.open(encrypted, passphrase=SECOND)
    # ü as two code points, as macOS types it
    CaseBook.open(encrypted, passphrase=FIRST.replace("ü", "u\u0308")).close()
    with pytest.raises(sqlite3.DatabaseError), closing(sqlite3.connect(encrypted)) as connection:
        connection.execute("SELECT * FROM case_file")


def test_any_sqlcipher_opens_it_by_the_passphrase(filled, monkeypatch):
    monkeypatch.undo()
    from sqlcipher3 import dbapi2

    case_encryption.encrypt(FIRST, filled)
    with closing(dbapi2.connect(str(filled))) as connection:
        connection.execute("PRAGMA cipher_log_level = NONE")
        connection.execute(f"PRAGMA key = '{FIRST}'")
        assert connection.execute("SELECT count(*) FROM case_file").fetchone() == (1,)


def test_the_key_is_derived_once_for_all_connections(encrypted, monkeypatch):
    derived = []
    plain = encryption.hashlib.pbkdf2_hmac
    monkeypatch.setattr(
        encryption.hashlib, "pbkdf2_hmac", lambda *given: derived.append(given[2]) or plain(*given)
    )
    with CaseBook.open(encrypted, passphrase=FIRST) as book:
        for _ in range(3):
            book.cases()
        book.back_up()
    assert len(derived) == 1


def test_a_short_passphrase_is_refused_and_nothing_changes(filled):
    before = {item: item.read_bytes() for item in files(filled)}
    with pytest.raises(InputError, match="at least 12"):
        case_encryption.encrypt("short", filled)
    assert {item: item.read_bytes() for item in files(filled)} == before


def test_another_passphrase_and_back_to_a_plain_book(encrypted):
    before = content(encrypted, FIRST)
    with pytest.raises(WrongPassphraseError):
        case_encryption.encrypt(SECOND, encrypted, passphrase="not this one, no")
    done = case_encryption.encrypt(SECOND, encrypted, passphrase=FIRST)
    assert done.left == ()
    with pytest.raises(WrongPassphraseError):
        CaseBook.open(encrypted, passphrase=FIRST)
    assert content(encrypted, SECOND) == before
    assert all(not item.fault for item in cases.list_contents(encrypted, SECOND))
    case_encryption.decrypt(SECOND, encrypted)
    assert content(encrypted, None) == before
    assert [item.fault for item in cases.list_contents(encrypted) if item.fault] == []


def test_an_open_book_is_not_converted(encrypted):
    with CaseBook.open(encrypted, passphrase=FIRST), pytest.raises(ResourceError, match="is open in process"):
        case_encryption.decrypt(FIRST, encrypted)
    assert case_encryption.is_encrypted(encrypted)


def test_backups_are_listed_and_restored_by_the_passphrase(encrypted):
    assert {item.fault for item in cases.list_contents(encrypted)} == {"it is encrypted"}
    with pytest.raises(InputError, match="encrypted with another passphrase"):
        cases.restore(encrypted, passphrase=SECOND)
    with CaseBook.open(encrypted, passphrase=FIRST) as book:
        book.rename(book.cases()[0].id, "later")
        number = book.back_up().number
        book.rename(book.cases()[0].id, "latest")
    cases.restore(encrypted, number, passphrase=FIRST)
    assert content(encrypted, FIRST)[1] == "later"
    assert in_clear(encrypted) == []


def test_a_plain_backup_takes_the_place_of_an_encrypted_book_encrypted(encrypted, tmp_path):
    fill(tmp_path / "other" / "cases.db")
    (plain,) = cases.list_backups(tmp_path / "other" / "cases.db")[:1]
    shutil.copy(plain.path, encrypted.parent / "backups" / "cases-000900-2026-03-01.db")
    cases.restore(encrypted, 900, passphrase=FIRST)
    assert content(encrypted, FIRST)[1] == "one"
    assert in_clear(encrypted) == [], "and the backup was encrypted when the book was opened"


@pytest.mark.parametrize("at", [0, 40, 4096 + 100])
def test_damage_is_no_wrong_passphrase(encrypted, at):
    with encrypted.open("r+b") as stream:
        stream.seek(at + 20)
        stream.write(b"\x01\x02\x03\x04")
    with pytest.raises(DamagedCasesError):
        CaseBook.open(encrypted, passphrase=FIRST)
    with pytest.raises(WrongPassphraseError):
        CaseBook.open(encrypted, passphrase=SECOND)
    cases.restore(encrypted, passphrase=FIRST)
    assert content(encrypted, FIRST)[0]
    assert encrypted.with_name("cases.db.damaged-1").exists()


@pytest.mark.parametrize("body", [b"", b"\0" * 8192, b"text of a letter. " * 1000, b"SQLite" * 1000])
def test_a_damaged_plain_book_is_not_taken_for_an_encrypted_one(filled, body):
    filled.write_bytes(body)
    assert not case_encryption.is_encrypted(filled)
    with pytest.raises(DamagedCasesError):
        CaseBook.open(filled)


def test_a_file_that_cannot_be_encrypted_is_named(filled):
    bad = filled.parent / "backups" / "cases-000700-2026-03-01.db"
    bad.write_bytes(filled.read_bytes()[:4096] + b"\xff" * 8192)
    done = case_encryption.encrypt(FIRST, filled)
    assert done.left == (str(bad),)
    assert case_encryption.find_plain(filled) == (bad,)
    assert content(filled, FIRST)[0]


def test_without_the_package_plain_books_work_and_encrypted_ones_say_what_is_missing(encrypted, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlcipher3", None)
    plain = encrypted.parent / "plain" / "cases.db"
    fill(plain)
    with pytest.raises(EncryptionMissingError, match=r"pip install 'claimlight\[encryption\]'"):
        CaseBook.open(encrypted, passphrase=FIRST)
    with pytest.raises(EncryptionMissingError):
        case_encryption.encrypt(FIRST, plain)
    assert not case_encryption.can_encrypt()
    assert content(plain, None)[1] == "one"


def test_an_older_schema_is_migrated_and_its_backup_is_encrypted(encrypted):
    with closing(encryption.connect(encrypted, encryption.Passphrase(FIRST), mode="rw")) as connection:
        connection.execute("PRAGMA user_version = 3")
        connection.execute("UPDATE alembic_version SET version_num = '0003'")
        connection.execute("ALTER TABLE query_set DROP COLUMN hits")
    assert content(encrypted, FIRST)[0]
    (kept,) = (encrypted.parent / "backups").glob("*-before-schema-*.db")
    assert encryption.looks_encrypted(kept)
    assert in_clear(encrypted) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from claimlight import encryption
from claimlight.store import book_encryption
from claimlight.services.cases import case_encryption
encryption._ROUNDS = 1000
act, first, second, *jobs = sys.argv[1:]
left = [0]
def counted(function):
    def call(*given, **named):
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        done = function(*given, **named)
        return done
    return call
for module, name in (
    (encryption, "_compare"), (encryption, "_check"), (encryption, "touch_private"),
    (book_encryption, "put_in_place"), (book_encryption, "convert"), (book_encryption, "make_backup"),
    (book_encryption, "private_folder"), (book_encryption, "fits"),
):
    setattr(module, name, counted(getattr(module, name)))
def work(path):
    if act == "encrypt":
        case_encryption.encrypt(first, path)
    elif act == "passphrase":
        case_encryption.encrypt(second, path, passphrase=first)
    else:
        case_encryption.decrypt(first, path)
for path in map(Path, jobs):
    # A child of its own for each kill: it need not import everything again.
    child = os.fork()
    if not child:
        left[0] = int(path.parent.name)
        work(path)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL, "it was done before it was killed"
"""
STEPS = (1, 3, 4, 5, 6, 8, 11)


def kill(act, jobs):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", KILLED, act, FIRST, SECOND, *map(str, jobs)], env=env, check=True)


@POSIX
@pytest.mark.parametrize("act", ["encrypt", "passphrase", "decrypt"])
def test_a_conversion_that_is_killed_leaves_the_old_book_or_the_new_one(filled, act, tmp_path):
    if act != "encrypt":
        case_encryption.encrypt(FIRST, filled)
    opened_by = {"encrypt": (None, FIRST), "passphrase": (FIRST, SECOND), "decrypt": (FIRST, None)}[act]
    with CaseBook.open(filled, passphrase=opened_by[0]) as book:
        expected = book.cases()[0].name
    paths = [tmp_path / f"{step}" / "cases.db" for step in STEPS]
    for path in paths:
        shutil.copytree(filled.parent, path.parent)
    kill(act, paths)
    found = []
    for path in paths:
        fitting = [each for each in opened_by if opens(path, each)]
        assert len(fitting) == 1
        with CaseBook.open(path, passphrase=fitting[0]) as book:
            assert book.check().sound
            assert book.cases()[0].name == expected
        assert not list(path.parent.glob("cases.converting*"))
        if act == "encrypt" and fitting[0]:
            assert in_clear(path) == [], "what was left in clear is encrypted at the next opening"
        found.append(opened_by.index(fitting[0]))
    assert found == sorted(found)
    assert set(found) == {0, 1}, "kills before and after the book was replaced"


def opens(path, passphrase):
    try:
        CaseBook.open(path, passphrase=passphrase).close()
    except (ResourceError, sqlite3.Error):
        return False
    # A plain book needs no passphrase, so it is opened by any.
    return passphrase is None or case_encryption.is_encrypted(path)


WORKING = """
import os, sys
from pathlib import Path
from cases_fakes import mark
from claimlight.services.cases.cases import CaseBook
from claimlight import encryption
encryption._ROUNDS = 1000
with CaseBook.open(Path(sys.argv[1]), passphrase=sys.argv[2]) as book:
    case = book.cases()[0].id
    for number in range(1, 10**6):
        book.mark(case, mark(number))
        if number == 40:
            os.kill(os.getpid(), 9)
"""


@POSIX
def test_case_work_that_is_killed_leaves_nothing_in_clear(encrypted):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    subprocess.run([sys.executable, "-c", WORKING, str(encrypted), FIRST], env=env, check=False)
    assert encrypted.with_name("cases.db-wal").stat().st_size > 0
    assert in_clear(encrypted) == []
    assert len(content(encrypted, FIRST)[2]) == 40


def test_two_windows_share_an_encrypted_book(encrypted):
    with (
        CaseBook.open(encrypted, passphrase=FIRST) as one,
        CaseBook.open(encrypted, passphrase=FIRST) as two,
    ):
        case = one.cases()[0].id
        assert one.hold(case)
        assert not two.hold(case)
        with pytest.raises(cases.CaseHeldError):
            two.rename(case, "no")
        one.rename(case, "yes")
        assert two.case(case).name == "yes"


def test_purging_leaves_an_encrypted_book_that_opens(encrypted):
    with CaseBook.open(encrypted, passphrase=FIRST) as book:
        case = book.cases()[0].id
        book.delete(case)
        book.purge(case)
        book.create_case("two")
    assert content(encrypted, FIRST)[1] == "two"
