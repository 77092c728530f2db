"""``claimlight doctor --bundle``: a report for a support person who must not see the application."""

from __future__ import annotations

import getpass
import io
import json
import platform
from pathlib import Path
from zipfile import ZipFile

import pytest

from claimlight import journal
from claimlight.cli import doctor_command
from claimlight.cli.__main__ import run
from claimlight.services.cases.cases import CaseBook
from claimlight.services.library.library import Library
from claimlight.types import Category, Mark, PublicationNumber
from claimlight.types.health import Outcome
from tests.core.cli.schema import conforms
from tests.core.cli.test_cli import folder, model

__all__ = ["folder", "model"]
SCHEMA = json.loads(
    (Path(__file__).resolve().parents[3] / "docs" / "schemas" / "diagnostics.schema.json").read_text()
)
CASE, NOTE = "Zaunkoenig vs. Applicant", "see the Quetzal embodiment"
QUERY = "damper SAME viscous"


@pytest.fixture
def worked(folder, monkeypatch):
    """A case that was worked on, a job that failed and a defect, each with texts to keep out."""
    number = PublicationNumber("EP", "1000001", "A1")
    with CaseBook.open() as book:
        case = book.create_case(CASE, application="1. A secret frobnicator having a damper.").id
    assert run(["query", QUERY, "-l", str(folder), "--case", str(case)]) == 0
    with CaseBook.open() as book:
        book.mark(case, Mark(number, Category.X, note=NOTE))
        book.see(case, number)
    assert run(["import", str(folder.parent / "Geheimakte.xml"), "-l", str(folder)]) == 1
    assert run(["settings", "set", "encoder.package", str(folder.parent / "MyOwnModel")]) == 0
    assert run(["settings", "set", "search.depth", "77"]) == 0

    def broken(*_, **__):
        local = CASE  # a value that a defect must not carry into the report
        raise KeyError(f"{local}: {NOTE}")

    with monkeypatch.context() as patch:
        patch.setattr(doctor_command.checking, "examine", broken)
        with pytest.raises(KeyError):
            run(["doctor"])
    return folder


def test_a_report_is_shown_written_and_holds_nothing_of_the_application(worked, tmp_path, capsys):
    target = tmp_path / "report.zip"
    capsys.readouterr()
    assert run(["doctor", "--bundle", str(target), "--library", str(worked)]) == 0
    shown = capsys.readouterr().out
    raw = target.read_bytes()
    with ZipFile(io.BytesIO(raw)) as archive:
        held = {name: archive.read(name).decode() for name in archive.namelist()}
    assert next(iter(held)) == "README.txt"
    assert all(line in shown for text in held.values() for line in text.splitlines())
    files = {name: json.loads(text) for name, text in held.items() if name.endswith(".json")}
    assert conforms(files, SCHEMA) == []

    with Library.open(worked, read_only=True) as library:
        assert files["library.json"]["documents"] == library.info().documents == 3
    assert files["library.json"]["index"]["segments"][0]["documents"] == 3
    assert files["settings.json"]["changed"]["search.depth"] == 77
    assert files["settings.json"]["changed"]["encoder.package"] == "<text>"
    failed = [item for item in files["jobs.json"]["jobs"] if item["outcome"] == "failed"]
    assert [(item["kind"], item["error"]) for item in failed] == [("import", "InputError")]
    (defect,) = files["defects.json"]["defects"]
    assert defect["error"] == "KeyError"
    assert defect["frames"][-1]["file"] == "claimlight/cli/doctor_command.py"

    everything = raw + "\n".join(held.values()).encode()
    secret = [
        *("frobnicator", "Zaunkoenig", "Quetzal", "Geheimakte", "MyOwnModel", "viscous", "attenuator"),
        *("1000001", "Fellgate", "Kettle", "bicycle", QUERY, str(worked), str(tmp_path), str(Path.home())),
        *(name for name in (getpass.getuser(), platform.node()) if len(name) > 4),
    ]
    assert [each for each in secret if each.lower().encode() in everything.lower()] == []


def test_a_report_replaces_nothing_unless_asked(model, tmp_path, capsys):
    target = tmp_path / "report.zip"
    target.write_text("mine")
    assert run(["doctor", "--bundle", str(target)]) == 1
    assert "--force" in capsys.readouterr().err
    assert target.read_text() == "mine"
    assert run(["doctor", "--bundle", str(target), "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"]["library.json"]
    assert ZipFile(target).testzip() is None


def test_the_journal_keeps_the_last_and_survives_damage():
    for count in range(journal.JOBS_KEPT + 2):
        journal.keep_job("index", float(count), Outcome.DONE)
    assert [job.seconds for job in journal.read().jobs][:1] == [2.0]
    journal.journal_path().write_text("{")
    assert journal.read() == journal.Journal()
    journal.keep_defect(ValueError("text"))
    assert b"text" not in journal.journal_path().read_bytes()
    assert [item.error for item in journal.read().defects] == ["ValueError"]
