"""What the program says of itself: versions without paths, and the licence of all it depends on."""

from __future__ import annotations

from pathlib import Path

from claimlight import paths
from claimlight.services import about
from claimlight.settings import Settings
from claimlight.types.about import LicenceGroup


def test_licences_are_those_of_the_program_and_what_it_depends_on():
    found = about.describe(Settings(), None, device="cpu")
    licences = {each.name: each for each in found.licences}
    assert found.version == licences["Claimlight"].version
    assert "Apache License" in licences["Claimlight"].text
    assert "Lucide" in licences["Lucide icons"].text
    models = [each for each in found.licences if each.group is LicenceGroup.MODEL]
    assert len(models) == 3
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
