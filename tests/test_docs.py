"""Whoever follows a link or a path of the documentation gets there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from claimlight.cli.__main__ import app
from claimlight.lab.cli.group import lab_app

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
DECISIONS = sorted(ROOT.glob("docs/adr/0*.md"))
LINK = re.compile(r"\]\(([^)\s]+)\)")
MODULE = re.compile(r"`((?:app|core|bench|tests|resources|installer)/[\w/.-]+)`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """As the usual renderers make them of headings."""
    words = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(page.read_text("utf-8")))
    return {item.replace(" ", "-") for item in words}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_paths_lead_somewhere(page: Path):
    text = page.read_text("utf-8")
    lost = [name for name in MODULE.findall(text) if not (ROOT / name.split("::")[0]).exists()]
    for link in LINK.findall(text):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        outside = link.startswith(("http://", "https://", "mailto:"))
        if not outside and (not target.exists() or (anchor and anchor not in anchors(target))):
            lost.append(link)
    assert not lost


def test_make_runs_modules_that_are_there():
    modules = set(re.findall(r"\$\(PY\) -m ([\w.]+)", (ROOT / "Makefile").read_text("utf-8")))
    assert "claimlight_workbench" in modules
    # Every environment has it, and looking for it meets what setuptools has done to distutils.
    modules.remove("pip")
    places = ((f"{name}.__main__", name) for name in modules)
    runnable = (
        importlib.util.find_spec(package) or importlib.util.find_spec(name) for package, name in places
    )
    assert all(found and found.origin for found in runnable)


def test_every_page_is_reached():
    """From the README, by links alone."""
    seen, open_pages = set(), [ROOT / "README.md"]
    while open_pages:
        page = open_pages.pop()
        if page in seen:
            continue
        seen.add(page)
        for link in LINK.findall(page.read_text("utf-8")):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.exists():
                open_pages.append(target)
    assert not {page for page in PAGES if page not in seen}


def commands_shown(page: Path) -> list[str]:
    """Calls of `claimlight` in the code of a page, with the lines that continue them."""
    found: list[str] = []
    for line in page.read_text("utf-8").splitlines():
        if re.match(r"^ *(?:\$ )?claimlight [a-z]", line):
            found.append(line.strip())
        elif found and re.match(r"^ {12,}\[?-", line):
            found[-1] += f" {line.strip()}"
    return found


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command that words name, and the words behind its name."""
    laboratory = words[:1] == ["lab"]
    command: Any = get_command(lab_app if laboratory else app)
    words = words[1:] if laboratory else words
    context = typer.Context(command, info_name="claimlight")
    for place, word in enumerate(words):
        if not hasattr(command, "list_commands") or word not in command.list_commands(context):
            return command, words[place:]
        command = command.get_command(context, word)
    return command, []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_commands_of_a_page_exist(page: Path):
    for call in commands_shown(page):
        command, rest = command_of(call.split("   ")[0].split()[1:])
        if hasattr(command, "list_commands"):
            assert not rest or not rest[0].isalpha() or rest[0].isupper(), call
            continue
        names = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
        unknown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", call.split(" | ")[0])) - names - {"--help"}
        assert not unknown, call


def test_menu_entries_that_pages_name_exist():
    """`*Library → Models…*`: a menu of the window and a command in it."""
    keys = (ROOT / "docs" / "reference" / "workbench.md").read_text("utf-8").partition("## Commands")[2]
    menus = dict(re.findall(r"\*\*Menu (\w+)\*\*\n(.*?)(?=\n\*\*Menu|\n<!-- end)", keys, re.DOTALL))
    named = {
        (menu, " ".join(entry.split()).rstrip("…"))
        for page in PAGES
        for menu, entry in re.findall(r"\*(\w+) → ([^*]+)\*", page.read_text("utf-8"))
    }
    assert len(named) > 8
    assert not {(menu, entry) for menu, entry in named if entry not in menus[menu]} - {("View", "Columns")}


def test_the_tests_that_the_page_on_reliability_names_exist():
    page = (ROOT / "docs" / "developers" / "reliability.md").read_text("utf-8")
    files = sorted(ROOT.glob("tests/**/test_*.py"))
    named = set(re.findall(r"\b(test_\w+\.py)", page))
    assert named
    assert not named - {path.name for path in files}
    code = "".join(path.read_text("utf-8") for path in files)
    tests = re.findall(r"::(test_\w+)(…?)`", page)
    assert len(tests) > 30
    assert not [name for name, cut in tests if f"def {name}{'' if cut else '('}" not in code]
    assert [int(row) for row in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)] == list(range(1, 51))


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_has_the_headings_and_the_length_of_all(page: Path):
    text = page.read_text("utf-8")
    assert HEADING.findall(text)[1:] == ["Context", "Decision", "Consequences", "Rejected"]
    assert text.splitlines()[0].startswith(f"# {int(page.name[:4])}. ")
    assert text.splitlines()[2].startswith(("**Status.** Accepted", "**Status.** Superseded"))
    assert len(text.splitlines()) <= 60
