"""What the program folder of the examiner's program says about itself: its build and its parts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from claimlight import files
from claimlight.types.about import BuildStamp, LicenceGroup, LicenceInfo

STAMP = "build.json"
PARTS = "sbom.cdx.json"
"""Bill of materials in CycloneDX; what is shown of a part is in its properties."""
LICENCES = "licences"
_EXAMINER = "examiner"
_PROPERTY = "claimlight:"


def program_folder() -> Path | None:
    """The folder with the program file; None if the program runs with a Python of the computer."""
    inside = getattr(sys, "_MEIPASS", "")
    return Path(inside).parent if inside else None


def read_stamp(folder: Path | None = None) -> BuildStamp | None:
    """From which commit and when the program was built; None if it was not built as a folder."""
    raw = _read(folder or program_folder(), STAMP)
    if not raw:
        return None
    variant = str(raw.get("variant", ""))
    return BuildStamp(
        str(raw.get("commit", "")), str(raw.get("date", "")), "" if variant == _EXAMINER else variant
    )


def read_parts(folder: Path | None = None) -> tuple[LicenceInfo, ...]:
    """Every part in the program folder, the program first; empty if there is no list of them."""
    folder = folder or program_folder()
    raw = _read(folder, PARTS)
    program = raw.get("metadata", {}).get("component", {})
    found = []
    for component in (program, *raw.get("components", ())):
        facts = {
            str(each.get("name")): str(each.get("value", "")) for each in component.get("properties", ())
        }
        try:
            group = LicenceGroup(facts.get(f"{_PROPERTY}group", ""))
        except ValueError:
            continue
        page = Path(folder or "", LICENCES, Path(facts.get(f"{_PROPERTY}text", "")).name)
        found.append(
            LicenceInfo(
                group,
                str(component.get("name", "")),
                str(component.get("version", "")),
                facts.get(f"{_PROPERTY}licence", ""),
                _text(page),
            )
        )
    return tuple(found)


def _read(folder: Path | None, name: str) -> dict[str, Any]:
    if folder is None:
        return {}
    try:
        raw = files.parse_json((folder / name).read_bytes())
    except (OSError, ValueError):
        return {}
    return raw if isinstance(raw, dict) else {}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
