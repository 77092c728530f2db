"""`make check` refuses licences, ranges and known weaknesses, and pip-audit's reports become the list."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TODAY = date(2026, 3, 1)


def _load():
    spec = importlib.util.spec_from_file_location("audit_of_packages", ROOT / "installer" / "audit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


audit = _load()


def weak(package="jinja2", fixed=("3.1.7",), **more):
    return {
        "package": package,
        "id": "X-1",
        "aliases": ["Y-1"],
        "found_in": "3.1.6",
        "fixed": list(fixed),
        **more,
    }


def known(*advisories, refreshed=None):
    return {"about": "", "refreshed": refreshed, "advisories": list(advisories)}


@pytest.mark.parametrize(
    "licence",
    ["MIT", "MIT License", "Apache-2.0 OR GPL-3.0-only", "BSD-3-Clause AND (GPL-2.0-only OR MIT)",
     "BSD-2-Clause AND Apache-2.0 WITH LLVM-exception"],
)  # fmt: skip
def test_allowed_licences(licence):
    assert audit.is_allowed(licence)


@pytest.mark.parametrize(
    "licence",
    ["GPL-3.0-or-later", "GPLv3", "AGPL-3.0-only", "MIT AND GPL-2.0-only",
     "(MIT AND GPL-2.0-only) OR LGPL-3.0-only", "MIT OR", "Proprietary", "", "Mit Licence of Ours"],
)  # fmt: skip
def test_other_licences_are_refused(licence):
    assert not audit.is_allowed(licence)


def test_an_exception_is_for_one_package_and_one_licence():
    assert not [*audit.find_refused({"shiboken6": "LGPL-3.0-only", "lark": "MIT"})]
    refused = [*audit.find_refused({"lark": "LGPL-3.0-only", "shiboken6": "GPL-3.0-only", "typer": ""})]
    assert [line.partition(":")[0] for line in refused] == ["lark", "shiboken6", "typer"]


@pytest.mark.parametrize(("line", "bad"), [
    ("lark>=1.2,<2", False), ("lark==1.2", False), ("lark~=1.2", False),
    ("lark>=1.2,<=1.9; python_version>'3'", False),
    ("lark", True), ("lark>=1.2", True), ("lark!=1.3", True), ("lark[regex]>1", True),
])  # fmt: skip
def test_a_range_needs_an_upper_bound(line, bad):
    assert bool([*audit.find_unbounded([line])]) is bad


def test_a_direct_dependency_needs_its_line_on_the_page():
    page = "| lark-parser | another |\n| Lark | the grammar |\nonnx, onnxscript"
    assert [*audit.find_unlisted(["lark>=1", "onnx>=1"], page)] == []
    (line,) = audit.find_unlisted(["parser>=1", "onnxscript<2"], page)
    assert line.startswith("parser:")


def test_what_is_required_is_found_through_extras_of_extras():
    names = audit.find_needed("claimlight")
    # numba brings llvmlite, an extra pytest, and pytest pluggy.
    assert {"lxml", "numba", "llvmlite", "pytest", "pluggy"} <= names.keys()
    assert "claimlight" not in names


def test_installed_versions_are_compared_with_the_list():
    found = [*audit.find_known(known(weak()), {"jinja2": "3.1.6"})]
    assert found == ["jinja2 3.1.6: X-1 (Y-1), fixed in 3.1.7"]
    assert not [*audit.find_known(known(weak()), {"jinja2": "3.1.10"})]
    assert not [*audit.find_known(known(weak()), {"lark": "1.0"})]
    assert [*audit.find_known(known(weak(fixed=())), {"jinja2": "99"})]
    assert not [*audit.find_known(known(weak(accepted="only templates of ours")), {"jinja2": "3.1.6"})]


@pytest.mark.parametrize(
    ("days", "warned"), [(0, False), (audit.STALE_DAYS, False), (audit.STALE_DAYS + 1, True)]
)
def test_an_old_list_is_a_warning(days, warned):
    refreshed = (TODAY - timedelta(days)).isoformat()
    assert bool([*audit.find_stale(known(refreshed=refreshed), TODAY)]) is warned


def test_a_list_that_was_never_refreshed_is_a_warning():
    (line,) = audit.find_stale(known(), TODAY)
    assert "never refreshed" in line


def test_a_report_of_pip_audit_becomes_the_list():
    # As pip-audit 2.10 wrote it, of an OSV server that knew one weakness of jinja2.
    report = json.loads("""{"dependencies": [
      {"name": "Jinja2", "version": "3.1.6", "vulns": [{"id": "X-1", "fix_versions": ["99.0"],
       "aliases": ["Y-1"], "description": "s"}]},
      {"name": "lark", "version": "1.3.1", "vulns": []},
      {"name": "torch", "skip_reason": "not on the index"}], "fixes": []}""")
    former = known(weak(accepted="why"), weak("torch"), weak("lark"))
    made = audit.merge(former, report, TODAY)
    assert made["refreshed"] == "2026-03-01"
    assert [(each["package"], each["accepted"]) for each in made["advisories"][:1]] == [("jinja2", "why")]
    assert [each["package"] for each in made["advisories"]] == ["jinja2", "torch"]
    assert made["advisories"][0]["fixed"] == ["99.0"]


@pytest.fixture
def project(tmp_path):
    """What the check reads of the project, to be changed."""
    for name in ("pyproject.toml", "docs/developers/dependencies.md", "installer/audit.py",
                 "installer/advisories.json", "installer/bundle/parts.py",
                 "installer/bundle/contents.py", "installer/bundle/variants.py",
                 "installer/bundle/requirements.txt"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "core").symlink_to(ROOT / "core")
    return tmp_path


def check(project):
    return subprocess.run(
        [sys.executable, str(project / "installer" / "audit.py")], capture_output=True, text=True, check=False
    )


def edit(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_the_project_passes(project):
    done = check(project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "licences and ranges are in order" in done.stdout


def test_make_check_fails_on_each(project):
    edit(project / "pyproject.toml", '"lark>=1.2,<2"', '"lark>=1.2", "unheard-of<2"')
    edit(project / "installer" / "audit.py", '"0BSD", ', "")
    edit(project / "installer" / "audit.py", '"MIT", "MIT-0"', '"MIT-0"')
    version = __import__("importlib.metadata").metadata.version("numpy")
    (project / "installer" / "advisories.json").write_text(
        json.dumps(known(weak("numpy", fixed=[f"{version}.99"])))
    )
    done = check(project)
    assert done.returncode == 1
    said = done.stdout.splitlines()
    assert any(line.startswith("lark: the range '>=1.2' has no upper bound") for line in said)
    assert any(line.startswith("unheard-of: docs") for line in said)
    assert any(line.startswith("alembic: licence 'MIT' is not allowed") for line in said)
    assert any(line.startswith(f"numpy {version}: X-1") for line in said)


def test_make_runs_it():
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\ncheck:")[2].partition("\n\n")[0]
    assert "installer/audit.py" in recipe
