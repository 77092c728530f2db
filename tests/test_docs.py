"""Whoever follows a link or a path of the documentation gets there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
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
    modules = re.findall(r"\$\(PY\) -m ([\w.]+)", (ROOT / "Makefile").read_text("utf-8"))
    assert "claimlight_workbench" in modules
    places = ((f"{name}.__main__", name) for name in modules)
    runnable = (
        importlib.util.find_spec(package) or importlib.util.find_spec(name) for package, name in places
    )
    assert all(found and found.origin for found in runnable)


def test_every_page_is_reached():
    """From the README, by links alone; decisions are read by their folder."""
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
    assert not {page for page in PAGES if page not in seen and page.parent.name != "adr"}
