"""The recipes of papers (TOML), by name; looking at them imports no training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

RECIPES: Mapping[str, Path] = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.toml"))}
