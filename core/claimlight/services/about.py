"""What the program is made of: its version, models, libraries and licences."""

from __future__ import annotations

import platform
import re
import sqlite3
from collections.abc import Collection, Iterable
from importlib import metadata
from pathlib import Path, PurePosixPath

from claimlight import paths
from claimlight.encoders import ModelPackage
from claimlight.encoders.package_files import MANIFEST_FILE, read_raw
from claimlight.errors import AppError
from claimlight.services import bundled
from claimlight.services.classes.suggesting import list_classifiers
from claimlight.services.library.library import Library
from claimlight.services.models.judges import list_judges
from claimlight.settings import Settings
from claimlight.store import migrate
from claimlight.types.about import (
    RUNTIMES,
    About,
    LibraryState,
    LicenceGroup,
    LicenceInfo,
    ModelInUse,
    PartVersion,
)

PROGRAM = "claimlight"
_TITLE = "Claimlight"
_SHOWN = (*RUNTIMES, "hnswlib", "numba")
"""Packages whose version results or speed depend on."""
SHIPPED = (("Lucide icons", "icons", "ISC, MIT"), ("DejaVu Sans Condensed", "fonts", "Bitstream Vera, Arev"))
"""Name, folder among the resources, and licence."""
_NOT_SHIPPED = frozenset(("dev", "lab"))
"""Extras of those who change or measure the program, which does without them."""
_REQUIREMENT = re.compile(r"\s*([\w.-]+)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
_LICENCE_FILE = re.compile(r"(licen[cs]es?|notices?|copying|copyright)\b", re.IGNORECASE)
_CLASSIFIER = "License :: "
_LONGEST_NAME = 80
"""Longer *License* fields are the text itself."""


def describe(settings: Settings, library: Library | None, *, device: str = "") -> About:
    """Everything about this installation; takes some seconds at most. ``device``: of the open encoder."""
    judges = [each for each in list_judges(settings) if not each.fault]
    return About(
        version=read_version(),
        encoder=_encoder(settings),
        judge=next((ModelInUse(each.model, each.licence) for each in judges if each.in_use), None),
        second_judge=next((ModelInUse(each.model, each.licence) for each in judges if each.reads_on), None),
        classifier=next(
            (ModelInUse(each.model, each.licence) for each in list_classifiers(settings) if each.in_use), None
        ),
        library=None if library is None else _state(library),
        device=device,
        parts=(
            PartVersion("Python", platform.python_version()),
            PartVersion("SQLite", sqlite3.sqlite_version),
            *_versions(),
        ),
        licences=read_licences(),
        build=bundled.read_stamp(),
    )


def read_version() -> str:
    """Version of the program; empty if it is run without its metadata."""
    found = _find(PROGRAM)
    return found.version if found is not None else ""


def read_licences() -> tuple[LicenceInfo, ...]:
    """The program, what it ships, its models, and every package it depends on, by name.

    The program folder has a list of what is in it; elsewhere it is what is installed.
    """
    if parts := bundled.read_parts():
        return parts
    libraries = [
        LicenceInfo(LicenceGroup.LIBRARY, each.name, each.version, name_licence(each), read_text(each))
        for each in find_dependencies()
    ]
    return (*read_own_licences(), *sorted(libraries, key=lambda each: each.name.casefold()))


def read_own_licences() -> tuple[LicenceInfo, ...]:
    """The program, what it ships, and its models."""
    shipped = [
        LicenceInfo(LicenceGroup.SHIPPED, name, "", licence, _read(paths.resources() / folder / "LICENSE"))
        for name, folder, licence in SHIPPED
    ]
    models = [_shipped_model(each) for each in sorted(paths.shipped_models_dir().glob(f"*/{MANIFEST_FILE}"))]
    return (_program(), *shipped, *models)


def name_model(folder: Path) -> str:
    """Id and version of a model that ships."""
    return _shipped_model(folder / MANIFEST_FILE).name


def find_dependencies(
    root: str = PROGRAM, extras: Collection[str] | None = None
) -> tuple[metadata.Distribution, ...]:
    """Every installed distribution that ``root`` depends on, directly or not, without itself.

    ``extras`` are those of ``root`` that count; None: all but those for developers and the laboratory.
    A frozen program without metadata of its own has the metadata of what it was frozen with: all of it then.
    """
    found = _find(root)
    if found is None:
        every = {_normal(each.name): each for each in metadata.distributions() if _field(each, "Name")}
        return tuple(every.values())
    known: dict[str, metadata.Distribution] = {}
    asked = {_normal(root): frozenset(_extras(found) if extras is None else extras)}
    waiting = [(found, asked[_normal(root)])]
    while waiting:
        distribution, extras = waiting.pop()
        for name, wanted in _requirements(distribution, extras):
            key = _normal(name)
            if key in asked and wanted <= asked[key]:
                continue
            asked[key] = asked.get(key, frozenset()) | wanted
            needed = known.get(key) or _find(name)
            if needed is not None:
                known[key] = needed
                waiting.append((needed, asked[key]))
    known.pop(_normal(root), None)
    return tuple(known.values())


def name_licence(distribution: metadata.Distribution) -> str:
    """The licence as the metadata name it; empty if they don't."""
    if expression := _field(distribution, "License-Expression"):
        return expression
    if (
        (field := _field(distribution, "License").strip())
        and len(field) <= _LONGEST_NAME
        and "\n" not in field
    ):
        return field
    given = distribution.metadata.get_all("Classifier") or ()
    return ", ".join(each.rpartition(" :: ")[2] for each in given if _is_licence(each))


def _field(distribution: metadata.Distribution, name: str) -> str:
    """A field of the metadata; empty if they lack it.

    Not by its key: once the backport importlib_metadata is loaded, a missing one is a `KeyError`.
    """
    found = distribution.metadata.get_all(name) or ()
    return str(found[0]) if found else ""


def read_text(distribution: metadata.Distribution) -> str:
    """Licences and notices that come with a distribution; empty if there are none."""
    texts: dict[str, str] = {}
    for file in distribution.files or ():
        path = PurePosixPath(str(file))
        meant = _LICENCE_FILE.match(path.name) or ".dist-info/licenses/" in str(path)
        if meant and ".." not in path.parts and path.suffix not in {".py", ".pyc"}:
            texts[str(path)] = _read(Path(str(distribution.locate_file(file))))
    if not any(texts.values()):  # a frozen program has no list of its files
        for name in distribution.metadata.get_all("License-File") or ():
            texts[name] = _member(distribution, f"licenses/{name}") or _member(distribution, name)
    if not any(texts.values()) and len(field := _field(distribution, "License")) > _LONGEST_NAME:
        return field.strip()
    return _join(texts.values())


def _program() -> LicenceInfo:
    found = _find(PROGRAM)
    text = _read(paths.resources().parent / "LICENSE")
    if not text and found is not None:
        text = _member(found, "licenses/LICENSE")
    return LicenceInfo(LicenceGroup.PROGRAM, _TITLE, read_version(), "Apache-2.0", text)


def _shipped_model(path: Path) -> LicenceInfo:
    try:
        raw = read_raw(path)
    except AppError:  # what it says of its licence is beside it
        raw = {}
    return LicenceInfo(
        LicenceGroup.MODEL,
        f"{raw.get('id', path.parent.name)} {raw.get('version', '')}".strip(),
        "",
        str(raw.get("licence", "")),
        _join(_read(path.parent / name) for name in ("NOTICE", "LICENSE")),
    )


def _encoder(settings: Settings) -> ModelInUse | None:
    try:
        manifest = ModelPackage.resolve(settings.encoder.package).manifest
    except AppError:
        return None
    return ModelInUse(
        f"{manifest.id} {manifest.version}", manifest.licence, manifest.fingerprint, manifest.dim
    )


def _state(library: Library) -> LibraryState:
    info = library.info()
    return LibraryState(
        name=library.folder.resolve().name,
        documents=info.documents,
        schema=migrate.LIBRARY.version,  # an older one is migrated, and a newer one refused, on opening
        index=info.generation,
        full_text=info.full_text,
        claims_only=info.claims_only,
        waiting=info.waiting,
    )


def _versions() -> list[PartVersion]:
    found = ((name, _find(name)) for name in _SHOWN)
    return [PartVersion(name, each.version) for name, each in found if each is not None]


def _extras(distribution: metadata.Distribution) -> set[str]:
    return set(distribution.metadata.get_all("Provides-Extra") or ()) - _NOT_SHIPPED


def _requirements(
    distribution: metadata.Distribution, extras: frozenset[str]
) -> list[tuple[str, frozenset[str]]]:
    """Names and extras of what a distribution requires; of other conditions, what is installed decides."""
    found = []
    for line in distribution.requires or ():
        requirement, _, marker = line.partition(";")
        named = _EXTRA.findall(marker)
        match = _REQUIREMENT.match(requirement)
        if match is not None and (not named or not extras.isdisjoint(named)):
            wanted = frozenset(each.strip() for each in (match[2] or "").split(",") if each.strip())
            found.append((match[1], wanted))
    return found


def _is_licence(classifier: str) -> bool:
    return classifier.startswith(_CLASSIFIER) and not classifier.endswith("OSI Approved")


def _find(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def _member(distribution: metadata.Distribution, name: str) -> str:
    """A file beside the metadata; empty if there is none that is UTF-8."""
    try:
        return distribution.read_text(name) or ""
    except (OSError, UnicodeDecodeError):
        return ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _join(texts: Iterable[str]) -> str:
    found = dict.fromkeys(each.strip() for each in texts if each.strip())
    return f"\n\n{'─' * 40}\n\n".join(found)
