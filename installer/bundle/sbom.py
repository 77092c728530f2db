"""Write the licences, the bill of materials and the build stamp into a program folder."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from parts import NoPartError, Part

INTERNAL = "_internal"
_KINDS = {
    "program": ComponentType.APPLICATION,
    "shipped": ComponentType.DATA,
    "model": ComponentType.MACHINE_LEARNING_MODEL,
}
_HEADS = {
    "program": "The program",
    "shipped": "Fonts and icons",
    "model": "Models",
    "library": "Software libraries",
    "system": "Libraries of the operating system (Debian) that the program brings along",
}
_REPLACEABLE = "LGPL-3.0-only"
_INTRODUCTION = """\
LICENCES

Claimlight {version} is free software under the Apache License 2.0. This folder has the licence of everything
that the program folder is made of, one file for each part; below is what each part is and where its text is.
You may use the program for any purpose and pass the whole folder on, with this folder of licences in it.

Qt is under the LGPL 3, and so are the parts with these files:
    {pages}
You may replace them by changed versions of your own; the files say how. The sources of the libraries of the
operating system are at https://snapshot.debian.org, under the names and versions below.

sbom.cdx.json, beside the program, is the same list for computers (CycloneDX 1.6), with the SHA-256 of each
file. The window shows it under Help, About Claimlight, Licences.
"""


def write_stamp(folder: Path, version: str, commit: str, seconds: int, variant: str) -> None:
    """Version, commit, date of the commit, and variant, as the program shows them."""
    date = datetime.fromtimestamp(seconds, UTC).date().isoformat()
    stamp = {"version": version, "commit": commit, "date": date, "variant": variant}
    (folder / "build.json").write_text(json.dumps(stamp, indent=2) + "\n", encoding="utf-8")


def write_licences(folder: Path, parts: Iterable[Part]) -> None:
    """One text for each part, and the page that lists them."""
    parts = list(parts)
    target = folder / "licences"
    target.mkdir(exist_ok=True)
    pages = [part.page for part in parts]
    if len({*pages}) < len(pages):
        raise NoPartError("two parts have licence texts of one name")
    for part in parts:
        (target / part.page).write_text(part.text.strip() + "\n", encoding="utf-8")
    replaceable = "\n    ".join(part.page for part in parts if part.licence == _REPLACEABLE)
    said = [_INTRODUCTION.format(version=parts[0].version, pages=replaceable)]
    for group, head in _HEADS.items():
        members = [part for part in parts if part.group == group]
        if members:
            said.append(f"\n{head}\n{'-' * len(head)}\n")
        said += [
            f"{part.name} {part.version}".strip()
            + f"\n    {part.licence or 'see its text'}\n    {part.page}\n"
            for part in members
        ]
    (target / "LICENCES.txt").write_text("\n".join(said), encoding="utf-8")


def write_bill(folder: Path, parts: list[Part], commit: str, seconds: int) -> int:
    """Write ``sbom.cdx.json`` with the hash of each file, checked against the schema; the number of files.

    `NoPartError` if a file in the folder belongs to no part.
    """
    left = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    left = {name: path for name, path in left.items() if not path.is_symlink()}
    own = [name for name in left if not name.startswith(f"{INTERNAL}/")]
    names = {part.page: [f"{INTERNAL}/{name}" for name in part.files] for part in parts}
    names[parts[0].page] += own
    bom = Bom(
        serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"claimlight:{parts[0].version}:{commit}:{seconds}")
    )
    bom.metadata.timestamp = datetime.fromtimestamp(seconds, UTC)
    count = 0
    for part in parts:
        component = _component(part)
        for name in dict.fromkeys(names[part.page]):
            if (path := left.pop(name, None)) is not None:
                component.components.add(_file(name, path))
                count += 1
        if part.group == "program":
            component.properties.add(Property(name="claimlight:commit", value=commit))
            bom.metadata.component = component
        else:
            bom.components.add(component)
    if left:
        raise NoPartError(f"{', '.join(sorted(left)[:10])} came from nowhere")
    bom.register_dependency(bom.metadata.component, bom.components)
    text = JsonV1Dot6(bom).output_as_string(indent=1)
    if problem := check(text):
        raise NoPartError(f"the bill of materials does not keep to its schema: {problem}")
    (folder / "sbom.cdx.json").write_text(text + "\n", encoding="utf-8")
    return count


def check(text: str) -> Any:
    """What a bill of materials has against the schema of CycloneDX 1.6; None if nothing."""
    return JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)


def _component(part: Part) -> Component:
    licences = LicenseFactory()
    shown = {"group": part.group, "licence": part.licence, "text": part.page}
    return Component(
        type=_KINDS.get(part.group, ComponentType.LIBRARY),
        name=part.name,
        version=part.version or None,
        bom_ref=part.page.removesuffix(".txt"),
        purl=PackageURL.from_string(part.purl) if part.purl else None,
        licenses=[licences.make_from_string(part.licence)] if part.licence else (),
        properties=[Property(name=f"claimlight:{name}", value=value) for name, value in shown.items()],
    )


def _file(name: str, path: Path) -> Component:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Component(
        type=ComponentType.FILE,
        name=name,
        bom_ref=f"file:{name}",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
    )
