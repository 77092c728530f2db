"""No library of ours may report to its maker: what forbids it is set before that library is imported."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import claimlight
from claimlight.services.health import installation as health
from claimlight.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
# Stands in for the libraries, so that nothing is loaded: who imports one too early ends the process.
GUARD = """
import os, sys
class Guard:
    def find_spec(self, name, path=None, target=None):
        if name in {"onnxruntime", "transformers", "huggingface_hub", "accelerate", "torch"}:
            wanted = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "HF_HUB_OFFLINE")
            missing = [item for item in wanted
                       if os.environ.get(item) != "1"]
            if missing:
                print(f"{name} is imported before {missing} are set", flush=True)
                os._exit(3)
sys.meta_path.insert(0, Guard())
"""


def run(code: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter that was told nothing by its environment."""
    environment = {
        k: v for k, v in os.environ.items() if k not in {**claimlight.SILENT, **claimlight.OFFLINE}
    }
    environment |= {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen", **more}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd=ROOT, check=False
    )


def entries() -> list[str]:
    """What a process of ours may import first: each module that is run, and some that a notebook takes."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = [item.split(":")[0] for key in ("scripts", "gui-scripts") for item in scripts[key].values()]
    own = [
        "claimlight.encoders.session",
        "claimlight.index.nearest",
        "claimlight.services.library.workers",
        "claimlight.training.export.parity",
    ]
    return [
        *named,
        *own,
        "claimlight_workbench.bootstrap",
        "bench.encode",
        "bench.lab.effect_int8",
        "tests.conftest",
    ]


@pytest.mark.parametrize("entry", entries())
def test_the_environment_is_closed_before_any_such_library_comes(entry):
    ended = run(GUARD + f"import importlib; importlib.import_module({entry!r})\nimport onnxruntime")
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_guard_sees_an_import_that_comes_first():
    assert "onnxruntime is imported before" in run(GUARD + "import onnxruntime, claimlight").stdout


def test_who_imports_onnxruntime_first_is_warned():
    early = (
        "import sys, types\nsys.modules['onnxruntime'] = types.ModuleType('onnxruntime')\nimport claimlight"
    )
    assert "import Claimlight first" in run(early).stderr
    assert not run(early, ORT_DISABLE_TELEMETRY="1").stderr


def test_a_value_that_allows_reporting_is_replaced_and_one_that_allows_the_hub_is_kept():
    told = "import claimlight, os; print(os.environ['ORT_DISABLE_TELEMETRY'], os.environ['HF_HUB_OFFLINE'])"
    assert run(told, ORT_DISABLE_TELEMETRY="0", HF_HUB_OFFLINE="0").stdout.split() == ["1", "0"]


def test_worker_processes_inherit_it():
    code = """
import multiprocessing, os
import claimlight.services.library.workers
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(os.getenv, ("ORT_DISABLE_TELEMETRY",)))
"""
    assert run(code).stdout.strip() == "1"


def test_every_file_that_imports_onnxruntime_lies_in_a_package_that_closes_the_network():
    """Another place would need its own first line; tests are behind ``conftest``."""
    found = set()
    # What is built there, such as program folders, is no source.
    built = {"shared", "var", "dist"}
    rooms = [
        item for item in ROOT.iterdir() if item.is_dir() and item.name[0] != "." and item.name not in built
    ]
    for path in (path for room in rooms for path in room.rglob("*.py")):
        place, code = path.relative_to(ROOT), path.read_text(encoding="utf-8")
        if "onnxruntime" not in code:
            continue
        for node in ast.walk(ast.parse(code)):
            names = [item.name for item in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "onnxruntime" for name in names):
                found.add(place.parts[0])
    assert found <= {"app", "core", "bench", "tests"}
    assert "core" in found


def test_doctor_says_whether_libraries_may_report(monkeypatch):
    (told,) = [item for item in health.examine(Settings()) if item.subject == "network"]
    assert told.ok
    assert "--from-hub" in told.state
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "0")
    (told,) = [item for item in health.examine(Settings()) if item.subject == "network"]
    assert not told.ok
    assert "ORT_DISABLE_TELEMETRY" in told.state
