"""The page on architecture names what is there, and all of it."""

from __future__ import annotations

import re
from pathlib import Path

import claimlight
import claimlight_workbench

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "developers" / "architecture.md").read_text(encoding="utf-8")
PACKAGES = {
    package.__name__: Path(str(package.__file__)).parent for package in (claimlight, claimlight_workbench)
}
PATH = re.compile(r"`((?:claimlight|claimlight_workbench)(?:[./][\w<>*]+)+(?:\.py|\.toml)?)`")


def exists(name: str) -> bool:
    package, _, rest = name.replace(".py", "").replace("/", ".").partition(".")
    place = PACKAGES[package].joinpath(*rest.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


def test_what_it_names_is_there():
    named = {name for name in PATH.findall(PAGE) if "<" not in name and "*" not in name}
    assert len(named) > 20
    assert not {name for name in named if not exists(name)}


def test_every_package_has_its_room_in_the_table():
    table = PAGE.partition("## Packages")[2].partition("\n## ")[0]
    packages = {place.name for place in PACKAGES["claimlight"].iterdir() if (place / "__init__.py").exists()}
    assert not {name for name in packages if f"`claimlight.{name}`" not in table}


def test_every_room_of_formats_and_services_is_named():
    for package in ("formats", "services"):
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| `claimlight.{package}`"))
        rooms = {
            place.name
            for place in (PACKAGES["claimlight"] / package).iterdir()
            if (place / "__init__.py").exists()
        }
        assert rooms
        assert not {name for name in rooms if f"`{name}`" not in row}


def test_every_step_of_the_walks_names_a_module_that_is_there():
    walks = PAGE.partition("## Three walks")[2].partition("\n## ")[0].split("\n### ")[1:]
    assert len(walks) == 3
    for walk in walks:
        steps = re.findall(r"^\d+\. (.+(?:\n {3}.+)*)", walk, re.MULTILINE)
        assert len(steps) >= 6
        for step in steps:
            named = PATH.findall(step)
            assert named, step
            assert not [name for name in named if not exists(name)], step


def test_there_is_one_noun_for_one_thing():
    rows = re.findall(r"^\| ([a-z, ]+) \| (.+) \|$", PAGE.partition("## Nouns")[2], re.MULTILINE)
    nouns = [noun for names, _ in rows for noun in names.split(", ")][1:]
    assert 25 <= len(nouns) <= 50
    assert len(set(nouns)) == len(nouns)
