"""``claimlight lab``: apart from the product, found by its old names, and missed in words."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from claimlight.cli.__main__ import run
from tests.fakes import library, patent

MOVED = [
    *(["evaluate", name] for name in ("clef-ip", "paecter", "patentmap", "patenteb", "dapfam", "big-patent")),
    *(["evaluate", name] for name in ("cpc", "landscape", "embeddings", "cost", "fusion", "cells")),
    ["models", "centers", "diagnose"],
]
# What a product without the laboratory does.
PRODUCT = [
    ["--help"],
    ["search", "--text", "A damper.", "--library", "LIBRARY"],
    ["matrix", "--text", "A damper.", "--library", "LIBRARY"],
    ["evaluate", "--help"],
    ["evaluate", "library", "--library", "LIBRARY"],
    ["evaluate", "clef-ip"],
    ["models", "centers", "--help"],
    ["models", "list"],
    ["train", "adapt", "--library", "LIBRARY", "--out", "LIBRARY"],
    ["doctor"],
]


@pytest.mark.parametrize("old", MOVED, ids=" ".join)
def test_an_old_name_says_the_new_one_in_a_line(old, capsys):
    assert run([*old, "run", "--data", "x", "--help"]) == 2
    captured = capsys.readouterr()
    new = "centers" if old[-1] == "diagnose" else old[-1]
    assert captured.err == f"Error: `claimlight {' '.join(old)}` is now `claimlight lab {new}`.\n"
    assert captured.out == ""
    assert run(["lab", new, "--help"]) == 0


def test_an_old_name_says_it_to_machines_as_well(capsys):
    assert run(["--events", "jsonl", "evaluate", "cpc"]) == 2
    assert json.loads(capsys.readouterr().out) == {
        "event": "error",
        "kind": "InputError",
        "message": "`claimlight evaluate cpc` is now `claimlight lab cpc`.",
    }


def test_old_names_are_not_offered(capsys):
    assert run(["evaluate", "--help"]) == 0
    assert "landscape" not in capsys.readouterr().out
    assert run(["lab", "--help"]) == 0
    assert "landscape" in capsys.readouterr().out


def forget(*beginnings, monkeypatch):
    """As if these modules had never been imported; afterwards their packages know them again."""
    for name in [name for name in sys.modules if name.startswith(beginnings)]:
        package, _, own = name.rpartition(".")
        if hasattr(sys.modules.get(package), own):
            monkeypatch.setattr(sys.modules[package], own, sys.modules[name])
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["cpc", "--documents", "x"]])
def test_an_installation_without_the_laboratory_says_so(arguments, monkeypatch, capsys):
    forget("claimlight.lab", monkeypatch=monkeypatch)
    monkeypatch.setitem(sys.modules, "claimlight.lab", None)
    assert run(["lab", *arguments]) == 1
    captured = capsys.readouterr()
    assert "The laboratory (claimlight.lab) is not part of this installation" in captured.err
    assert "claimlight[lab]" in captured.err
    assert captured.err.count("\n") == 1
    assert run(["--events", "jsonl", "lab", *arguments]) == 1
    assert json.loads(capsys.readouterr().out)["kind"] == "ResourceError"


def test_the_commands_of_such_an_installation_do_not_offer_it():
    code = "import sys; sys.modules['claimlight.lab'] = None\nimport claimlight.cli.__main__ as cli\n"
    with_it = subprocess.run(
        [sys.executable, "-m", "claimlight.cli", "--help"], capture_output=True, text=True, check=True
    )
    without = subprocess.run(
        [sys.executable, "-c", code + "cli.run(['--help'])"], capture_output=True, text=True, check=True
    )
    assert "Reproduce the evaluations of papers; diagnose models" in " ".join(with_it.stdout.split())
    assert "Reproduce the evaluations of papers; diagnose models" not in " ".join(without.stdout.split())


@pytest.mark.parametrize("lacking", ["claimlight.evaluation.report", "claimlight.lab.papers.cpc.levels"])
def test_a_module_that_the_laboratory_lacks_is_not_called_a_missing_laboratory(lacking, monkeypatch):
    forget("claimlight.lab.", "claimlight.cli.ev", monkeypatch=monkeypatch)
    monkeypatch.setitem(sys.modules, lacking, None)
    with pytest.raises(ModuleNotFoundError, match=re.escape(lacking)):
        run(["lab", "cpc", "--help"])


def test_no_command_of_the_product_imports_the_laboratory(tmp_path):
    """One process takes all of them: what was imported stays seen. The laboratory comes last."""
    library(tmp_path / "L", [patent("1000001", "Damper")]).close()
    lines = [*PRODUCT, ["lab", "--no-such-option"]]
    given = [[str(tmp_path / "L") if item == "LIBRARY" else item for item in line] for line in lines]
    ended = subprocess.run(
        [sys.executable, "-c", _WATCHED, json.dumps(given)], capture_output=True, text=True, check=True
    )
    found = [json.loads(line[len(_SEEN) :]) for line in ended.stdout.splitlines() if line.startswith(_SEEN)]
    assert len(found) == len(lines)
    for line, names in zip(PRODUCT, found, strict=False):
        assert not [name for name in names if name.startswith("claimlight.lab")], line
    assert "claimlight.services" in found[-1]
    assert "claimlight.lab.cli.group" in found[-1], "what is watched for is seen"


_SEEN = "imported: "
_WATCHED = f"""
import json, sys
import claimlight.cli.__main__ as cli
for line in json.loads(sys.argv[1]):
    cli.run(line)
    print({_SEEN!r} + json.dumps([name for name in sys.modules if name.startswith("claimlight")]))
"""
