"""Licences, ranges and known weaknesses of the packages that the program needs; offline.

    python installer/audit.py               what `make check` runs: exit code 1 if anything is refused
    python installer/audit.py --read FILE   take over a report of pip-audit (JSON); `make audit` runs it

Packages are those of the environment that the program and its extras require, directly or not. Weaknesses are
those of `advisories.json`: a list that is only as new as its date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "installer" / "bundle")]

ADVISORIES = ROOT / "installer" / "advisories.json"
PAGE = ROOT / "docs" / "developers" / "dependencies.md"
STALE_DAYS = 90
"""Age at which `make check` warns; it does not fail, as the list can't be refreshed without a network."""

ALLOWED = frozenset(
    {
        "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0",
        "CC0-1.0", "CNRI-Python", "HPND", "ISC", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Unlicense",
        "Zlib",
    }
)  # fmt: skip
"""Licences (SPDX) that ask for nothing but to be passed on. MPL-2.0 binds changed files only, and none is."""
EXCEPTIONS = {
    "pyside6-essentials": ("LGPL-3.0-only", "linked dynamically; its libraries may be replaced"),
    "shiboken6": ("LGPL-3.0-only", "part of PySide6"),
    "psycopg": ("LGPL-3.0-only", "imported when a shared library is opened; the user may replace it"),
    "psycopg-binary": ("LGPL-3.0-only", "the compiled part of psycopg"),
    "matplotlib": ("Python Software Foundation License", "its own licence, made of the PSF's"),
    "pypdfium2": ("BSD-3-Clause, Apache-2.0, dependency licenses", "PDFium's parts are BSD and Apache"),
    "pyinstaller": ("GPL-2.0-or-later WITH Bootloader-exception", "free for the programs it builds"),
}
"""Packages of other licences, or names of licences, each with the reason why it is taken."""
SPELLED = {
    "Apache": "Apache-2.0", "Apache 2.0": "Apache-2.0", "Apache 2.0 License": "Apache-2.0",
    "Apache Software License": "Apache-2.0", "3-Clause BSD License": "BSD-3-Clause", "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause", "BSD 2-Clause License": "BSD-2-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "BSD license (see license.txt for details, Copyright (c) 2000-2025, ReportLab Inc.)": "BSD-3-Clause",
    "ISC License": "ISC", "ISC License (ISCL)": "ISC", "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}  # fmt: skip
"""What packages without an SPDX expression write; *BSD* alone is the three clauses or fewer."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--read", type=Path, metavar="FILE", help="a report of pip-audit as JSON")
    asked = parser.parse_args()
    if asked.read is not None:
        return _take_over(asked.read)
    needed = find_needed("claimlight")
    refused = [*_of_licences(needed), *_of_ranges(), *find_known(_read_list(), _versions(needed))]
    print(*refused, sep="\n", end="\n" if refused else "")
    for warning in find_stale(_read_list(), datetime.now(UTC).date()):
        print(f"warning: {warning}")
    if not refused:
        print(f"{len(needed)} packages: licences and ranges are in order, no known weakness")
    return 1 if refused else 0


def find_needed(root: str) -> dict[str, metadata.Distribution]:
    """Every installed distribution that ``root`` with all its extras requires, by its normal name.

    Packages of an extra that is not installed, or of another system, are not there to be looked at.
    """
    found: dict[str, metadata.Distribution] = {}
    extras = metadata.distribution(root).metadata.get_all("Provides-Extra") or ()
    waiting, seen = [(_normal(root), extra) for extra in ("", *extras)], set()
    while waiting:
        asked = name, extra = waiting.pop()
        if asked in seen:
            continue
        seen.add(asked)
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        for line in found[name].requires or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                waiting += [(_normal(needed.name), each) for each in ("", *needed.extras)]
    del found[_normal(root)]
    return found


def is_allowed(licence: str) -> bool:
    """Whether an SPDX expression, or a known spelling of one, can be kept by allowed licences alone."""
    licence = SPELLED.get(licence.strip(), licence.strip())
    if licence in ALLOWED:
        return True
    # AND binds tighter than OR. Brackets are kept together by counting them.
    for word, together in ((" OR ", any), (" AND ", all)):
        parts = _split(licence, word)
        if len(parts) > 1:
            return together(is_allowed(part) for part in parts)
    return licence.startswith("(") and licence.endswith(")") and is_allowed(licence[1:-1])


def _split(text: str, word: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and text.startswith(word, place):
            parts.append(text[begin:place])
            begin = place + len(word)
    return [*parts, text[begin:]]


def find_refused(licences: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each package, by its normal name, whose licence is not allowed."""
    for name, licence in sorted(licences.items()):
        excepted, _ = EXCEPTIONS.get(name, (None, ""))
        if licence != excepted and not is_allowed(licence):
            yield f"{name}: licence {licence or 'unknown'!r} is not allowed (installer/audit.py)"


def _of_licences(needed: Mapping[str, metadata.Distribution]) -> Iterator[str]:
    from parts import CHOSEN

    from claimlight.services import about

    yield from find_refused(
        {name: CHOSEN.get(name) or about.name_licence(each) for name, each in needed.items()}
    )


def find_unbounded(requirements: Iterable[str]) -> Iterator[str]:
    """A sentence for each requirement that a future version of any number satisfies."""
    for line in requirements:
        found = Requirement(line)
        if not any(each.operator in ("<", "<=", "==", "~=", "===") for each in found.specifier):
            yield f"{found.name}: the range {str(found.specifier) or 'of any version'!r} has no upper bound"


def find_unlisted(requirements: Iterable[str], page: str) -> Iterator[str]:
    """A sentence for each required package that the page does not name."""
    for name in sorted({Requirement(line).name for line in requirements}):
        if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", page, re.IGNORECASE):
            yield f"{name}: docs/developers/dependencies.md does not name it"


def _of_ranges() -> Iterator[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lines = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in project["project"]["optional-dependencies"].values():
        lines += extra
    release = (ROOT / "installer" / "bundle" / "requirements.txt").read_text("utf-8")
    lines += [line for line in release.splitlines() if line.strip() and not line.startswith("#")]
    yield from find_unbounded(lines)
    yield from find_unlisted(lines, PAGE.read_text("utf-8"))


def find_known(known: Mapping[str, Any], versions: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each installed version with a known weakness that nobody has accepted with a reason.

    A version counts as fixed from the lowest fixed one on; without one, every version is affected.
    """
    for each in known["advisories"]:
        version = versions.get(_normal(each["package"]))
        fixed = sorted(map(Version, each["fixed"]))
        if version is None or each.get("accepted") or (fixed and Version(version) >= fixed[0]):
            continue
        remedy = f"fixed in {fixed[0]}" if fixed else "not fixed yet"
        names = ", ".join(each["aliases"]) or "no alias"
        yield f"{each['package']} {version}: {each['id']} ({names}), {remedy}"


def find_stale(known: Mapping[str, Any], today: date) -> Iterator[str]:
    """A warning if the list was never refreshed, or too long ago."""
    refreshed = known["refreshed"]
    if refreshed is None:
        yield "installer/advisories.json was never refreshed: run `make audit` with a network"
    elif (age := (today - date.fromisoformat(refreshed)).days) > STALE_DAYS:
        yield f"installer/advisories.json is {age} days old; run `make audit` with a network"


def merge(known: Mapping[str, Any], report: Mapping[str, Any], today: date) -> dict[str, Any]:
    """The list after a report of pip-audit: what it names now, with the reasons given for former entries.

    Former entries of packages that the report does not cover are kept.
    """
    reasons = {(each["package"], each["id"]): each.get("accepted", "") for each in known["advisories"]}
    covered = {_normal(each["name"]) for each in report["dependencies"] if "version" in each}
    found = [each for each in known["advisories"] if each["package"] not in covered]
    for each in report["dependencies"]:
        name = _normal(each["name"])
        found += [
            _entry(name, each["version"], vuln, reasons.get((name, vuln["id"]), ""))
            for vuln in each.get("vulns", ())
        ]
    ordered = sorted(found, key=lambda each: (each["package"], each["id"]))
    return {**known, "refreshed": today.isoformat(), "advisories": ordered}


def _entry(name: str, version: str, vuln: Mapping[str, Any], accepted: str) -> dict[str, Any]:
    return {
        "package": name,
        "id": vuln["id"],
        "aliases": sorted(vuln.get("aliases", ())),
        "found_in": version,
        "fixed": list(vuln.get("fix_versions", ())),
        "accepted": accepted,
    }


def _take_over(path: Path) -> int:
    report = json.loads(path.read_text("utf-8"))
    if not any("version" in each for each in report["dependencies"]):
        print(f"{path} covers no package; the list stays as it is")
        return 1
    made = merge(_read_list(), report, datetime.now(UTC).date())
    ADVISORIES.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    print(f"{ADVISORIES.relative_to(ROOT)}: {len(made['advisories'])} known weaknesses")
    return 0


def _read_list() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(ADVISORIES.read_text("utf-8"))
    return read


def _versions(needed: Mapping[str, metadata.Distribution]) -> dict[str, str]:
    return {name: each.version for name, each in needed.items()}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
