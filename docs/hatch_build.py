"""Puts the manual into the wheel: the pages of guide and reference with the pictures they show.

They stay in ``docs``, where they are written; ``claimlight.paths.manual`` finds them there in a source tree,
and in an installation where this step of the build copies them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TARGET = "claimlight/resources/manual"
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")


def list_files(docs: Path) -> dict[str, str]:
    """Files of the manual, and where each goes inside the manual."""
    pages = [docs / "README.md", *sorted(docs.glob("guide/*.md")), *sorted(docs.glob("reference/*.md"))]
    pictures = {
        (page.parent / name).resolve()
        for page in pages
        for name in _PICTURE.findall(page.read_text(encoding="utf-8"))
    }
    return {str(path): path.relative_to(docs).as_posix() for path in (*pages, *sorted(pictures))}


class ManualHook(BuildHookInterface[Any]):
    """Called by the build of the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files; a development installation reads them from the source tree."""
        if version == "editable":
            return
        for path, name in list_files(Path(self.root).resolve() / "docs").items():
            build_data["force_include"][path] = f"{TARGET}/{name}"
