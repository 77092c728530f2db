"""``cases encrypt``, ``passphrase`` and ``decrypt``: where the passphrase comes from, and what is said."""

from __future__ import annotations

import json
from contextlib import closing

import pytest

from claimlight import encryption
from claimlight.cli import passphrases
from claimlight.cli.__main__ import run
from claimlight.services.cases import case_encryption, cases
from claimlight.services.cases.case_paths import default_path
from claimlight.services.cases.cases import CaseBook

pytest.importorskip("sqlcipher3")
FIRST, SECOND = "damper valve train four", "another four words here"


@pytest.fixture(autouse=True)
def book(monkeypatch):
    monkeypatch.setattr(encryption, "_ROUNDS", 1000)
    for name in (passphrases.PRESENT, passphrases.NEW):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"{name}_FILE", raising=False)
    with CaseBook.open() as opened:
        opened.create_case("Kettle")


@pytest.fixture
def typed(monkeypatch):
    """Somebody at a terminal, who types these passphrases."""
    answers: list[str] = []
    monkeypatch.setattr(passphrases, "can_ask", lambda: True)
    monkeypatch.setattr(passphrases, "getpass", lambda _prompt: answers.pop(0))
    return answers


def test_scripts_give_the_passphrase_by_the_environment(ask, monkeypatch, tmp_path):
    assert "no terminal to ask" in ask("encrypt", "--yes", code=1)
    monkeypatch.setenv(passphrases.PRESENT, FIRST)
    assert "if it is lost, the cases are lost" in ask("encrypt", "--yes")
    assert "Kettle" in ask("list")
    monkeypatch.delenv(passphrases.PRESENT)
    assert "CLAIMLIGHT_CASES_PASSPHRASE_FILE" in ask("list", code=1)
    (tmp_path / "words").write_text(f"{FIRST}\nsecond line\n", encoding="utf-8")
    monkeypatch.setenv(f"{passphrases.PRESENT}_FILE", str(tmp_path / "words"))
    assert "undamaged" in ask("check")
    monkeypatch.setenv(passphrases.NEW, SECOND)
    assert "another passphrase" in ask("passphrase")
    assert "does not fit" in ask("list", code=1)
    (tmp_path / "words").write_text(SECOND, encoding="utf-8")
    assert "no longer encrypted" in ask("decrypt", "--yes")
    assert not case_encryption.is_encrypted()
    monkeypatch.setenv(f"{passphrases.PRESENT}_FILE", str(tmp_path / "missing"))
    assert "can't be read" in ask("list", code=1)


def test_a_passphrase_is_typed_twice_when_it_is_new_and_again_when_it_is_wrong(ask, typed):
    typed += [FIRST, SECOND]
    assert "differ" in ask("encrypt", "--yes", code=1)
    typed += ["short", "short"]
    assert "at least 12" in ask("encrypt", "--yes", code=1)
    assert not case_encryption.is_encrypted()
    typed += [FIRST, FIRST]
    ask("encrypt", "--yes")
    typed += ["wrong", FIRST]
    told = ask("list")
    assert "Try again" in told
    assert "Kettle" in told
    typed += ["wrong"] * 3
    assert "does not fit" in ask("list", code=1)
    typed += [""]
    assert "No passphrase was typed" in ask("list", code=1)
    assert typed == []
    assert FIRST not in told


def test_backups_of_an_encrypted_book_are_listed_and_restored(ask, monkeypatch, capsys):
    monkeypatch.setenv(passphrases.PRESENT, FIRST)
    ask("encrypt", "--yes")
    assert "1 case" in ask("backups")
    assert "nothing was changed" in ask("restore", "--yes", code=1)
    assert "is restored" in ask("restore", "--yes", "--force")
    assert "Kettle" in ask("list")
    cases.default_path().unlink()
    monkeypatch.delenv(passphrases.PRESENT)
    assert "it is encrypted" in ask("restore", "--yes", code=1)
    capsys.readouterr()
    assert run(["cases", "backups", "--json"]) == 0
    assert all(each["encrypted"] for each in json.loads(capsys.readouterr().out)["backups"])


def test_what_is_not_possible_is_said(ask, monkeypatch):
    assert "is not encrypted" in ask("decrypt", "--yes", code=1)
    assert "is not encrypted" in ask("passphrase", code=1)
    monkeypatch.setenv(passphrases.PRESENT, FIRST)
    ask("encrypt", "--yes")
    assert "encrypted already" in ask("encrypt", "--yes", code=1)
    monkeypatch.setattr(passphrases.sys, "stdin", None)
    assert not passphrases.can_ask()


@pytest.fixture
def doctor(capsys):
    """The finding of `claimlight doctor` about the case book."""

    def examined(*options):
        capsys.readouterr()
        run(["doctor", *(options or ("--json",))])
        told = capsys.readouterr().out
        if options:
            return " ".join(told.split())
        return next(item for item in json.loads(told)["findings"] if item["subject"] == "case book")

    return examined


def test_the_doctor_checks_an_encrypted_book_with_its_passphrase_only(doctor, typed, monkeypatch):
    case_encryption.encrypt(FIRST)
    found = doctor()
    assert (found["level"], "encrypted; not checked: no passphrase" in found["state"]) == ("warning", True)
    monkeypatch.setenv(passphrases.PRESENT, SECOND)
    assert "the passphrase does not fit" in doctor()["state"]
    assert doctor()["level"] == "fault"
    monkeypatch.setenv(passphrases.PRESENT, FIRST)
    assert doctor()["state"].startswith("encrypted; every row is as it was written")
    assert doctor()["level"] == "well"

    monkeypatch.delenv(passphrases.PRESENT)
    typed += [FIRST, ""]
    assert "encrypted; every row" in doctor("--thorough")
    # Nothing is typed: it stays unchecked, and the rest is checked.
    assert "not checked: no passphrase" in doctor("--thorough")
    assert typed == []


def test_the_doctor_finds_damage_in_an_encrypted_book_and_leaves_it(doctor, monkeypatch):
    with CaseBook.open() as opened:
        opened.back_up()
    case_encryption.encrypt(FIRST)
    path = default_path()
    monkeypatch.setenv(passphrases.PRESENT, FIRST)
    assert doctor()["level"] == "well"
    whole = path.read_bytes()
    # In the first page, which looks like a wrong passphrase, and in the last.
    for place in (100, len(whole) - 100):
        damaged = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        path.write_bytes(damaged)
        found = doctor()
        assert found["level"] == "fault"
        assert "claimlight cases restore" in found["advice"]
        assert run(["doctor", "--repair", "--yes"]) == 1
        assert path.read_bytes() == damaged
    path.write_bytes(whole)
    # A row that was changed by who knows the passphrase.
    with closing(encryption.connect(path, encryption.Passphrase(FIRST), mode="rw")) as connection:
        connection.execute("UPDATE case_file SET value = replace(value, 'Kettle', 'Nettle')")
    assert "Case 1" in doctor()["state"]


def test_the_check_of_every_night_has_the_passphrase_or_stays_due(capsys, monkeypatch):
    case_encryption.encrypt(FIRST)
    assert run(["doctor", "--due", "7"]) == 0
    assert "not checked" in " ".join(capsys.readouterr().out.split())
    monkeypatch.setenv(passphrases.PRESENT, FIRST)
    assert run(["doctor", "--due", "7"]) == 0
    assert "every row is as it was written" in " ".join(capsys.readouterr().out.split())
    assert run(["doctor", "--due", "7"]) == 0
    assert "Nothing is due." in capsys.readouterr().err
