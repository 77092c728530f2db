"""What the program folder is made of: each file belongs to a part, and each part has its licence text.

The parts are those of what PyInstaller collected, not of what the environment holds.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from contents import KERNELS

ROOT = Path(__file__).resolve().parents[2]
TEXTS = Path(__file__).resolve().parent / "texts"
# Distributions whose wheels come without the text of their licence, or without that of a library inside, and
# the texts in `texts`.
ADDED = {
    "psycopg": ("psycopg", "GPL-3"),
    "psycopg-binary": ("psycopg", "GPL-3", "libpq", "LGPL-2.1", "Apache-2.0"),
    "pyside6-essentials": ("qt", "LGPL-3", "GPL-3"),
    "shiboken6": ("qt", "LGPL-3", "GPL-3"),
    "sqlcipher3": ("sqlcipher", "Apache-2.0"),
    "tokenizers": ("Apache-2.0",),
}
# Where the metadata name no licence, leave out the exception, or offer several of which one is chosen.
CHOSEN = {
    "hnswlib": "Apache-2.0",
    "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception",
    # Of what goes into programs; the rest, which makes them, is under the GPL.
    "pyinstaller-hooks-contrib": "Apache-2.0",
    "pyside6-essentials": "LGPL-3.0-only",
    "shiboken6": "LGPL-3.0-only",
    "sqlcipher3": "Zlib AND BSD-3-Clause AND Apache-2.0",
}
# Its start program is inside, whatever is collected.
FREEZER = "pyinstaller"
# Some packages are prepared by a module of it when the program starts.
_PREPARING = "pyinstaller-hooks-contrib"
# On Windows, compiled code needs them, and PyInstaller takes them from Python or from the system.
_RUNTIME = re.compile(r"(?:vcruntime|msvcp|concrt|vcomp)\d+\w*\.dll", re.IGNORECASE)
PYTHON_LICENCE = "PSF-2.0"
_DOCUMENTATION = Path("/usr/share/doc")
_COMMON = Path("/usr/share/common-licenses")
_COMMON_NAMED = re.compile(r"/usr/share/common-licenses/([A-Za-z0-9][\w.+-]*\w)")
_DEBIAN_LICENCE = re.compile(r"^License:[ \t]*(\S.*)$", re.MULTILINE)
_RULE = f"\n\n{'-' * 72}\n\n"
Collected = tuple[str, str]
"""Name in the program folder (of a module: its name), and the file that it was made from."""


class NoPartError(Exception):
    """A file belongs to nothing that is known, or a part has no licence text."""


@dataclass(slots=True)
class Part:
    """Something with a licence of its own."""

    group: str
    """One of `claimlight.types.about.LicenceGroup`."""
    name: str
    version: str
    licence: str
    text: str
    purl: str = ""
    files: list[str] = field(default_factory=list)
    """Their names in the program folder, below ``_internal``; modules are inside the program file."""

    @property
    def page(self) -> str:
        """Name of the file with the licence text."""
        kind = {"system": "debian-", "model": "model-"}.get(self.group, "")
        return re.sub(r"[^\w.+-]+", "-", f"{kind}{self.name}".lower()) + ".txt"


def owners() -> dict[str, str]:
    """Path of every installed file, and the normal name of its distribution."""
    found = {}
    for each in metadata.distributions():
        if files := each.files:  # a folder that an interrupted installation left has neither files nor name
            name = normal(each.metadata["Name"])  # once: it is read from the file each time
            found.update((real(str(each.locate_file(file))), name) for file in files)
    return found


def real(path: str) -> str:
    """A path without links and, on Windows, in one case, as the paths of files are compared."""
    return os.path.normcase(os.path.realpath(path))


def normal(name: str) -> str:
    """The name of a distribution as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def find_inside(code: Iterable[Collected], owned: Mapping[str, str]) -> set[str]:
    """Distributions of which code was collected; the metadata of others are left out."""
    return {owned[path] for _, source in code if (path := real(source)) in owned}


def is_wanted(entry: Collected, inside: set[str], owned: Mapping[str, str]) -> bool:
    """Whether a file is no metadata, or those of a distribution that is inside."""
    owner = owned.get(real(entry[1]))
    return ".dist-info" not in entry[0] or owner is None or owner in inside or owner == "claimlight"


def find_parts(collected: Iterable[Collected], extras: Collection[str] | None = None) -> list[Part]:
    """All parts, the program first; `NoPartError` names the files and the parts that are refused.

    ``extras`` are those of the program that may be inside; None: all that are not for developers.
    """
    owned, parts, unknown = owners(), _known_parts(), []
    parts[FREEZER] = _distribution(FREEZER)
    system: dict[str, list[str]] = {}
    for name, source in collected:
        name, path = name.replace(os.sep, "/"), real(source)
        key = owned.get(path) or _place(name, path)
        if not key:
            system.setdefault(path, []).append(name)
            continue
        if key not in parts:
            parts[key] = _runtime() if key == "runtime" else _distribution(key)
        parts[key].files.append(name)
    packages = _packages(system)
    for path, names in system.items():
        package = packages.get(path)
        if package is None:
            unknown += names
            continue
        key = f"debian {package[0]}"
        if key not in parts:
            parts[key] = _system_library(*package)
        parts[key].files += names
    _refuse(parts, unknown, extras)
    return sorted(
        parts.values(), key=lambda part: (part.group != "program", part.group, part.name.casefold())
    )


def find_strangers(parts: Mapping[str, Part], extras: Collection[str] | None = None) -> list[str]:
    """Distributions that are inside because the environment has them, not because the program needs them."""
    from claimlight.services import about

    needed = {normal(each.metadata["Name"]) for each in about.find_dependencies(extras=extras)}
    found = {key for key, part in parts.items() if part.purl.startswith("pkg:pypi/")}
    return sorted(found - needed - {"claimlight", FREEZER, _PREPARING})


def _refuse(parts: Mapping[str, Part], unknown: list[str], extras: Collection[str] | None = None) -> None:
    said = []
    if strange := find_strangers(parts, extras):
        said.append(f"the program does not depend on {', '.join(strange)} (_EXCLUDED in contents.py)")
    if unknown:
        said.append("no part and no package of this system has " + ", ".join(sorted(unknown)[:10]))
    if bare := [part.name for part in parts.values() if not part.text.strip()]:
        said.append(f"there is no licence text of {', '.join(sorted(bare))} (installer/bundle/texts)")
    if said:
        raise NoPartError("; ".join(said))


def _known_parts() -> dict[str, Part]:
    """The program, what it ships, and Python."""
    from claimlight.services import about

    parts = {}
    for each in about.read_own_licences():
        key = "claimlight" if each.group.value == "program" else f"{each.group.value} {each.name}"
        purl = f"pkg:pypi/claimlight@{each.version}" if key == "claimlight" else ""
        parts[key] = Part(each.group.value, each.name, each.version, each.licence, each.text, purl)
    version = ".".join(map(str, sys.version_info[:3]))
    # On Windows it is beside the program of Python.
    texts = [Path(folder, "LICENSE.txt") for folder in (sysconfig.get_path("stdlib"), sys.base_prefix)]
    text = next((path for path in texts if path.exists()), None)
    parts["python"] = Part(
        "library",
        "Python",
        version,
        PYTHON_LICENCE,
        str(license) if text is None else text.read_text(encoding="utf-8"),
        f"pkg:generic/python@{version}",
    )
    return parts


def _place(name: str, path: str) -> str:
    """The key of the part of a file that is in no distribution; empty for one of the system."""
    place = Path(path)
    if place.is_relative_to(ROOT / "resources"):
        return _resource(place.relative_to(ROOT / "resources"))
    standard = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
    if Path(name).as_posix().startswith(KERNELS):
        return "numba"  # whose loops and allocator are compiled into them
    if name == "base_library.zip" or any(place.is_relative_to(Path(each).resolve()) for each in standard):
        return "python"
    if place.name.startswith("libpython") or place.is_relative_to(Path(sys.base_prefix).resolve() / "DLLs"):
        return "python"
    if sys.platform == "win32":
        if _RUNTIME.fullmatch(place.name):
            return "runtime"
        if place.parent == Path(sys.base_prefix).resolve() and place.name.startswith("python"):
            return "python"
    # The environment may be inside the source tree, and a file of no distribution in it.
    if place.is_relative_to(ROOT) and not place.is_relative_to(Path(sys.prefix).resolve()):
        return "claimlight"
    return ""


def _resource(place: Path) -> str:
    from claimlight.services import about

    for name, folder, _ in about.SHIPPED:
        if place.parts[0] == folder:
            return f"shipped {name}"
    if place.parts[0] == "models" and len(place.parts) > 2:
        return f"model {about.name_model(ROOT / 'resources' / 'models' / place.parts[1])}"
    return "claimlight"


def _distribution(key: str) -> Part:
    from claimlight.services import about

    found = metadata.distribution(key)
    added = [(TEXTS / f"{name}.txt").read_text(encoding="utf-8") for name in ADDED.get(key, ())]
    text = _RULE.join(filter(None, (*added, about.read_text(found))))
    licence = CHOSEN.get(key) or about.name_licence(found)
    name = found.metadata["Name"]
    return Part("library", name, found.version, licence, text, f"pkg:pypi/{key}@{found.version}")


def _runtime() -> Part:
    text = (TEXTS / "visual-cpp.txt").read_text(encoding="utf-8")
    return Part("library", "Microsoft Visual C++ runtime", "", "LicenseRef-Visual-Cpp-Runtime", text)


def _packages(paths: Iterable[str]) -> dict[str, tuple[str, str, str]]:
    """Name, version and architecture of the Debian package of each file that is in one."""
    asked: dict[str, str] = {}
    for path in paths:
        # dpkg knows a file by the path it was installed to, which may go through the link /lib.
        asked[path] = path
        asked[path.removeprefix("/usr") if path.startswith("/usr/") else f"/usr{path}"] = path
    answer = _ask("dpkg-query", "-S", *asked)
    names = {}
    for line in answer.splitlines():
        package, _, path = line.rpartition(": ")
        if path in asked:
            names[asked[path]] = package.partition(",")[0]
    wanted = sorted({*names.values()})
    facts = {}
    if wanted:
        form = "${binary:Package}\t${Package}\t${Version}\t${Architecture}\n"
        for line in _ask("dpkg-query", "-W", "-f", form, *wanted).splitlines():
            full, name, version, architecture = line.split("\t")
            facts[full] = facts[name] = (name, version, architecture)
    return {path: facts[name] for path, name in names.items() if name in facts}


def _ask(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""


def _system_library(name: str, version: str, architecture: str) -> Part:
    text = read_copyright(_DOCUMENTATION / name / "copyright")
    named = ", ".join(dict.fromkeys(each.strip() for each in _DEBIAN_LICENCE.findall(text)))
    purl = f"pkg:deb/debian/{name}@{version.replace(':', '%3A').replace('+', '%2B')}?arch={architecture}"
    return Part("system", name, version, named or "see its text", text, purl)


def read_copyright(path: Path, common: Path = _COMMON) -> str:
    """A copyright file of Debian with the common licences that it refers to; empty if it is not there."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    names = dict.fromkeys(_COMMON_NAMED.findall(text))
    added = [(common / name).read_text(encoding="utf-8") for name in names if (common / name).is_file()]
    return _RULE.join((text, *added))
