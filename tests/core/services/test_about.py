"""What the program says of itself: versions without paths, and the licence of all it depends on."""

from __future__ import annotations

import json
from email.message import Message
from importlib.metadata import PathDistribution
from pathlib import Path

from claimlight import paths
from claimlight.cli.__main__ import run
from claimlight.services import about, bundled
from claimlight.settings import Settings
from claimlight.types.about import LicenceGroup


def test_licences_are_those_of_the_program_and_what_it_depends_on():
    found = about.describe(Settings(), None, device="cpu")
    licences = {each.name: each for each in found.licences}
    assert found.version == licences["Claimlight"].version
    assert "Apache License" in licences["Claimlight"].text
    assert "Lucide" in licences["Lucide icons"].text
    models = [each for each in found.licences if each.group is LicenceGroup.MODEL]
    assert [each.name for each in models] == [
        "claim-judge 1",
        "claim-judge 4",
        "general-small 4",
        "ipc-small 1",
    ]
    assert all(each.text and each.licence for each in models)
    assert "BSD" in licences["numpy"].licence
    assert "Redistribution" in licences["numpy"].text
    assert "Mako" in licences  # of alembic: not named by the program itself
    assert "pytest-qt" not in licences
    assert found.encoder is not None
    assert found.encoder.fingerprint.startswith("general-small")
    assert str(paths.resources()) not in str((found.encoder, found.judge, found.classifier, found.parts))


def test_a_frozen_program_has_the_metadata_it_is_bundled_with(tmp_path: Path, monkeypatch):
    folder = tmp_path / "damper-1.0.dist-info"
    (folder / "licenses").mkdir(parents=True)
    (folder / "METADATA").write_text("Name: damper\nVersion: 1.0\nLicense: MIT\nLicense-File: LICENSE\n")
    (folder / "licenses" / "LICENSE").write_text("Permission is hereby granted")
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    (found,) = about.find_dependencies()
    assert (found.name, about.name_licence(found)) == ("damper", "MIT")
    assert about.read_text(found) == "Permission is hereby granted"


def test_a_missing_field_is_empty_whoever_reads_the_metadata():
    class Strict(Message):
        """As the backport importlib_metadata reads them, which replaces the finder of all distributions."""

        def __getitem__(self, name):
            found = super().__getitem__(name)
            if found is None:
                raise KeyError(name)
            return found

    class Bare(PathDistribution):
        metadata = Strict()

    bare = Bare(Path("bare-1.0.dist-info"))
    assert about.name_licence(bare) == ""
    assert about.read_text(bare) == ""
    Bare.metadata["Classifier"] = "License :: OSI Approved :: MIT License"
    assert about.name_licence(bare) == "MIT License"


def test_the_program_folder_says_what_is_in_it_and_what_it_was_built_from(tmp_path, monkeypatch, capsys):
    def component(name, **facts):
        listed = [{"name": f"claimlight:{key}", "value": value} for key, value in facts.items()]
        return {"name": name, "version": "1", "properties": listed}

    program = component("Claimlight", group="program", licence="Apache-2.0", text="claimlight.txt")
    library = component("libdamper", group="system", licence="MIT", text="../debian-libdamper.txt")
    bill = {"metadata": {"component": program}, "components": [library, component("a file")]}
    (tmp_path / "licences").mkdir()
    (tmp_path / "licences" / "debian-libdamper.txt").write_text("Permission is hereby granted")
    (tmp_path / "sbom.cdx.json").write_text(json.dumps(bill))
    stamp = {"commit": "0123456789ab", "date": "2026-03-01"}
    (tmp_path / "build.json").write_text(json.dumps(stamp))
    assert bundled.read_stamp() is None
    monkeypatch.setattr("sys._MEIPASS", str(tmp_path / "_internal"), raising=False)
    assert [each.name for each in about.read_licences()] == ["Claimlight", "libdamper"]
    system = about.read_licences()[1]
    assert (system.group, system.licence) == (LicenceGroup.SYSTEM, "MIT")
    assert system.text == "Permission is hereby granted"
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip().endswith("(0123456789ab, 2026-03-01)")
    for variant, said in (("examiner", "(0123456789ab, "), ("research", "(research, 0123456789ab, ")):
        (tmp_path / "build.json").write_text(json.dumps({**stamp, "variant": variant}))
        assert run(["--version"]) == 0
        assert said in capsys.readouterr().out
    (tmp_path / "sbom.cdx.json").write_text("[]")
    assert len(about.read_licences()) > 2
