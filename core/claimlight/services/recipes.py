"""The training recipes that come with the program, by name; reading them needs no torch."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import claimlight

_FOLDER = Path(claimlight.__file__).parent / "training" / "recipes"


@dataclass(frozen=True, slots=True)
class RecipeInfo:
    """One recipe to choose."""

    name: str
    about: str


def shipped_recipes() -> tuple[RecipeInfo, ...]:
    """By name; none where the program comes without training."""
    return tuple(_info(path) for path in sorted(_FOLDER.glob("*.toml")))


def _info(path: Path) -> RecipeInfo:
    head = tomllib.loads(path.read_text(encoding="utf-8")).get("recipe", {})
    return RecipeInfo(path.stem, str(head.get("about", "")))
