"""Dialects of other distributions: found by entry points, behind what ships, never a crash."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
from golden import SAMPLES, sample_files

from claimlight import plugins, settings
from claimlight.cli.__main__ import run
from claimlight.formats import FORMATS, read_source
from claimlight.formats.registry import load_plugin_formats
from claimlight.services.health import installation as health
from claimlight.services.library.library import Library, import_paths
from claimlight.settings import Settings, change
from claimlight.tasks import TaskContext
from claimlight.types import Patent, Quarantined, Skipped
from tests.plugin_fakes import LABNOTE, distribution, forget


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a distribution with formats; nothing of it is left afterwards."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def install(lines, code=LABNOTE, name="labnotes"):
        distribution(folder, name, code, {"claimlight.formats": lines})
        forget()

    forget()
    yield install
    forget()
    for name in [name for name in sys.modules if name.startswith("labnote")]:
        del sys.modules[name]


def note(folder, number, *lines):
    path = folder / f"{number}.note"
    path.write_text("\n".join(["LABNOTE", number, *lines]), encoding="utf-8")
    return path


def records(path):
    return list(read_source(path, TaskContext()))


def test_without_plug_ins_there_are_none(installed):
    assert load_plugin_formats().formats == ()
    assert load_plugin_formats().faults == ()


def test_a_document_of_a_plug_in_is_read(installed, tmp_path):
    installed("note = labnotes:FORMAT")
    (patent,) = records(note(tmp_path, "17", "A  valve", "A valve\u00a0with a  spring.", "A valve."))
    assert isinstance(patent, Patent)
    assert (str(patent.publication), patent.source.dialect) == ("XL17A1", "lab-note")
    assert patent.titles[0].text == "A valve"
    assert [claim.text for claim in patent.claims] == ["A valve with a spring.", "A valve."]
    assert [len(claim.elements) for claim in patent.claims] == [0, 1]


FAULTS = [
    ("crash", "The plug-in note of labnotes 1.0 failed: RuntimeError: cannot read it"),
    ("wrong", "no number"),
    ("other", "The plug-in note of labnotes 1.0 gave a str, not a Patent or Skipped"),
    ("hollow", "The plug-in note of labnotes 1.0 gave no whole document"),
]


@pytest.mark.parametrize(("number", "reason"), FAULTS)
def test_what_it_can_not_read_is_set_aside(installed, tmp_path, number, reason):
    installed("note = labnotes:FORMAT")
    (record,) = records(note(tmp_path, number, "title"))
    assert isinstance(record, Quarantined)
    assert reason in record.reason


def test_what_it_passes_over_is_skipped(installed, tmp_path):
    installed("note = labnotes:FORMAT")
    (record,) = records(note(tmp_path, "none", "title"))
    assert isinstance(record, Skipped)
    assert record.reason == "an empty page"


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_what_ships_knows_its_documents_first(installed, form):
    path = sample_files(SAMPLES / form.name)[0]
    before = [type(record) for record in records(path)]
    dialects = {record.source.dialect for record in records(path)}
    installed("near = labnotes:NEAR", LABNOTE + '\n    NEAR = Format("near", lambda head: 1, read)\n')
    assert [type(record) for record in records(path)] == before
    assert {record.source.dialect for record in records(path)} == dialects


def test_a_json_record_that_only_has_common_keys_may_be_a_plug_ins(installed, tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_text(json.dumps({"publication_number": "EP1A1", "title": "A", "lab": 7}) + "\n")
    assert records(path)[0].source.dialect == "jsonl"
    code = (
        LABNOTE
        + """
    def read_json(data, source):
        import json
        return Patent(PublicationNumber("XL", str(json.loads(data)["lab"])), source)

    JSON = Format("lab-json", lambda head: 60 if b'"lab"' in head else 0, read_json)
    """
    )
    installed("json = labnotes:JSON", code)
    (record,) = records(path)
    assert (str(record.publication), record.source.dialect) == ("XL7", "lab-json")


def test_broken_plug_ins_are_told_and_passed_over(installed, tmp_path, capsys):
    installed(
        """
        alike = labnotes:ALIKE
        faulty = labnotes:FAULTY
        missing = labnotes:NOTHING
        note = labnotes:FORMAT
        shipped = labnotes:SHIPPED
        text = labnotes:LABEL
        """,
        LABNOTE + '\n    LABEL = "a text"\n',
    )
    installed("broken = labnotes_broken:FORMAT", "raise SystemExit('no licence')", "labnotes_broken")
    told = "\n".join(load_plugin_formats().faults)
    assert "The plug-in missing of labnotes 1.0 can't be loaded and is ignored: AttributeError" in told
    assert "The plug-in broken of labnotes_broken 1.0 can't be loaded" in told
    assert "SystemExit: no licence" in told
    assert (
        "The plug-in shipped of labnotes 1.0 is ignored: there is a format 'us-patent-grant' already." in told
    )
    assert "The plug-in note of labnotes 1.0 is ignored: there is a format 'lab-note' already." in told
    assert "The plug-in text of labnotes 1.0 is ignored: it names a str" in told
    assert [form.name for form in load_plugin_formats().formats] == ["lab-note", "faulty"]
    (patent,) = records(note(tmp_path, "17", "A valve"))
    assert patent.source.dialect == "lab-note"
    library = str(tmp_path / "L")
    assert run(["import", str(note(tmp_path, "18", "A valve")), "--library", library]) == 0
    assert "The plug-in broken of labnotes_broken 1.0 can't be loaded" in capsys.readouterr().err
    (looked,) = [item for item in health.examine(Settings()) if item.subject == "plug-ins"]
    assert not looked.ok
    assert "labnotes_broken" in looked.state


def test_of_two_with_one_name_the_first_counts(installed):
    installed("note = labnotes:FORMAT")
    installed("note = labnotes_two:ALIKE", LABNOTE, "labnotes_two")
    assert [form.name for form in load_plugin_formats().formats] == ["lab-note"]
    (fault,) = load_plugin_formats().faults
    assert "note of labnotes_two 1.0 is ignored: The plug-in note of labnotes 1.0 has the same" in fault


def test_worker_processes_read_with_plug_ins_too(installed, tmp_path):
    installed("note = labnotes:FORMAT")
    paths = [note(tmp_path, str(number), f"Valve {number}", "A valve.") for number in range(3)]
    with Library.create(tmp_path / "L") as library:
        one = change(Settings(), "imports.workers", 2)
        report = import_paths(library, [*paths, note(tmp_path, "crash", "x")], TaskContext(), one)
        assert (report.taken, len(report.quarantined)) == (3, 1)
        assert library.info().documents == 3


def test_the_example_of_the_page_is_a_plug_in(installed, tmp_path):
    docs = Path(__file__).resolve().parents[3] / "docs"
    page = (docs / "developers" / "plugins.md").read_text(encoding="utf-8")
    code, *_ = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    project, *_ = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    entries = tomllib.loads(project)["project"]["entry-points"]["claimlight.formats"]
    lines = "\n".join(f"{name} = {value}" for name, value in entries.items())
    installed(lines, code, "labnotes")
    path = tmp_path / "17.note"
    path.write_text("LABNOTE 17\nA valve\nA valve with a spring.\n", encoding="utf-8")
    (patent,) = records(path)
    assert (str(patent.publication), patent.source.dialect) == ("XL17", "lab-note")
    assert patent.claims[0].text == "A valve with a spring."
    path.write_text("LABNOTE\nA valve\n", encoding="utf-8")
    (record,) = records(path)
    assert (record.reason, record.line) == ("the first line has no number", 1)


def test_the_bundle_loads_none_unless_a_setting_says_so(installed, monkeypatch):
    installed("note = labnotes:FORMAT")

    def loaded(choice, *, frozen):
        settings.save(change(Settings(), "plugins.load", choice))
        monkeypatch.setattr(sys, "frozen", frozen, raising=False)
        forget()
        sys.modules.pop("labnotes", None)
        names = [form.name for form in load_plugin_formats().formats]
        assert ("labnotes" in sys.modules) == bool(names)
        (looked,) = [item for item in health.examine(Settings()) if item.subject == "plug-ins"]
        assert looked.ok
        assert ("labnotes 1.0" in looked.state) == bool(names)
        return bool(names)

    assert loaded("auto", frozen=False)
    assert not loaded("auto", frozen=True)
    assert loaded("always", frozen=True)
    assert not loaded("never", frozen=False)
    assert plugins.load_group(plugins.Group.FORMATS).plugins == ()
