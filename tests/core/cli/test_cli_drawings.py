"""Drawings on the command line: kept at import, listed, written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from claimlight.cli.__main__ import run
from tests.core.cli.schema import conforms
from tests.core.services.drawings.test_drawings import beside

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "drawings.schema.json"


def test_an_import_keeps_the_drawings_unless_they_are_to_stay(tmp_path, capsys):
    kept, linked, files = (str(tmp_path / name) for name in ("kept", "linked", "files"))
    beside(Path(files))
    assert run(["import", files, "--library", kept]) == 0
    assert "2 pictures copied into the library" in "".join(capsys.readouterr())
    assert run(["import", files, "--library", linked, "--drawings", "link"]) == 0
    assert not Path(linked, "drawings.db").exists()
    out = tmp_path / "out"
    command = ["drawings", "EP 1234567 A1", "--json", "--library"]
    capsys.readouterr()
    assert run([*command, linked, "--out", str(out)]) == 0
    body = json.loads(capsys.readouterr().out)
    conforms(body, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert len(list(out.iterdir())) == len(body["written"]) == 2
    shutil.rmtree(files)
    assert run([*command, linked]) == 0
    body = json.loads(capsys.readouterr().out)
    assert "library drawings --from" in body["reason"]
    assert run(["drawings", "EP1234567A1", "--library", kept]) == 0
    shown = capsys.readouterr().out
    assert "Fig. 1 is a side view of a pump" in shown
    assert "in the library" in shown
    assert run([*command, kept, "--signs"]) == 0
    body = json.loads(capsys.readouterr().out)
    conforms(body, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert body["signs"][1] == {"sign": "12", "name": "valve", "mentions": 1, "figures": ["1"]}
    assert run(["drawings", "EP1234567A1", "--signs", "--library", kept]) == 0
    assert "12  valve  1 mention, Fig. 1" in capsys.readouterr().out
    assert run(["drawings", "EP9", "--library", kept]) == 1
