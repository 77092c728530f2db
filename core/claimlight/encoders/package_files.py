"""The files of a model package, whatever the role of its model: data only, each verified by its hash."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from claimlight import paths
from claimlight.digests import file_digest, sha256
from claimlight.errors import InputError, ResourceError
from claimlight.files import parse_json

MANIFEST_FILE = "manifest.json"
_SUFFIXES = frozenset((".onnx", ".json", ".jsonl", ".safetensors", ".npy", ".md", ".txt", ".toml"))
_BARE_NAMES = frozenset(("LICENSE", "NOTICE", "README"))
_CHUNK = 16 << 20
# Magic numbers of pickles and of zip files (torch, joblib); no valid file of a package starts with them.
_PICKLE = re.compile(rb"\x80[\x02-\x05]|PK\x03\x04")
# TensorProto.external_data: weights must be inside the graph file, where its hash covers them.
# The key "location" and what protobuf writes before it (field 1, length 8); both numbers may be padded to
# more bytes. The key is sought first: `bytes.find` passes over weights several times faster than a pattern.
_KEY = b"location"
_BEFORE_KEY = re.compile(rb"(?:\x0a|\x8a\x80*\x00)(?:\x08|\x88\x80*\x00)\Z")
_LONGEST_BEFORE = 64


class Role(StrEnum):
    """What the model of a package does."""

    ENCODER = "encoder"
    """Turns texts into vectors."""
    JUDGE = "judge"
    """Says whether a passage discloses a feature."""
    CLASSIFIER = "classifier"
    """Suggests classes of CPC or IPC."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """Expected hash and size of a file of the package."""

    name: str
    sha256: str
    size: int


class Manifest(Protocol):
    """What the manifests of all roles state."""

    @property
    def id(self) -> str:
        """Name of the model."""
        ...

    @property
    def version(self) -> str:
        """Version of the package."""
        ...

    @property
    def licence(self) -> str:
        """Licence of the weights."""
        ...

    @property
    def commercial(self) -> bool:
        """Whether the licence allows commercial use."""
        ...

    @property
    def source(self) -> str:
        """Origin of the weights."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes with everything that can change a result."""
        ...

    @property
    def files(self) -> tuple[FileRecord, ...]:
        """All files but the manifest."""
        ...


M = TypeVar("M", bound=Manifest)


@dataclass(frozen=True, slots=True)
class Package(Generic[M]):
    """A folder with a manifest and the files that it lists."""

    folder: Path
    manifest: M

    def record(self, name: str) -> FileRecord:
        """The record of one file; `ResourceError` if the manifest does not list it."""
        return find_record(self.manifest, name)

    def path(self, name: str) -> Path:
        """Path of a listed file; raises if it is not a regular file inside the folder."""
        path = self.folder / self.record(name).name
        if path.is_symlink():
            raise InputError(f"{path} is a symbolic link; all files of a package must be in its folder")
        if not path.is_file():
            raise ResourceError(f"{path} is missing; install the model package again")
        return path

    def read(self, name: str) -> bytes:
        """Content of a listed file, verified again: it is what `verify` saw."""
        data = self.path(name).read_bytes()
        if sha256(data) != self.record(name).sha256:
            raise ResourceError(f"{self.folder / name} changed while it was in use")
        return data

    def verify(self, graph: str, needed: Sequence[str]) -> None:
        """Compare every file with the manifest, which must list ``graph`` and the ``needed`` files.

        ``graph`` is the ONNX file; empty for a package without one. Raises `ResourceError` for missing or
        changed files, `InputError` for files that are not plain data.
        """
        for name in (graph, *needed) if graph else needed:
            self.record(name)
        # Listed in the manifest or not: nothing in the folder may be anything but data.
        for path in sorted(self.folder.iterdir()):
            _check_kind(path)
        for record in self.manifest.files:
            self.path(record.name)
            found = record_file(self.folder / record.name)
            if found != record:
                raise ResourceError(
                    f"{self.folder / record.name} is damaged or changed: its SHA-256 is "
                    f"{found.sha256[:12]}…, the manifest of {self.manifest.id} says {record.sha256[:12]}…; "
                    "install the package again"
                )
        if graph:
            _check_self_contained(self.folder / graph)


def find_record(manifest: Manifest, name: str) -> FileRecord:
    """The record of one file; `ResourceError` if the manifest does not list it."""
    for record in manifest.files:
        if record.name == name:
            return record
    raise ResourceError(f"model package {manifest.id} lists no file {name}")


def record_file(path: Path) -> FileRecord:
    """Name, hash and size of a file."""
    return FileRecord(path.name, file_digest(path), path.stat().st_size)


def read_raw(path: Path) -> Any:
    """The JSON of a manifest; raises `ResourceError` if it is missing, `InputError` if it is not JSON."""
    # A pipe would be waited for, and a link leads out of the folder.
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} is no file; a model package consists of plain files")
    try:
        return parse_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ResourceError(f"{path.parent} is not a model package: {path.name}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path} is not valid JSON: {error}") from error


def read_role(folder: Path) -> Role:
    """Role of the package in a folder; that of an encoder if the manifest does not say or can't be read."""
    try:
        raw = read_raw(folder / MANIFEST_FILE)
        return Role(raw.get("role", Role.ENCODER))
    except (InputError, ResourceError, AttributeError, ValueError):
        return Role.ENCODER


def list_records(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The files of a manifest's JSON as a list, by name."""
    return [{**record, "name": name} for name, record in sorted(raw["files"].items())]


def plain_records(files: Iterable[FileRecord]) -> dict[str, dict[str, Any]]:
    """The files as a manifest's JSON has them: by name."""
    return {item.name: {"sha256": item.sha256, "size": item.size} for item in files}


def check_records(files: Iterable[FileRecord]) -> None:
    """Raise `ValueError` for a file outside the package folder."""
    for record in files:
        if Path(record.name).name != record.name or set(record.name) & set("/\\:") or record.name == "..":
            raise ValueError(f"a file {record.name!r}, which is outside the package folder")


def list_packages(role: Role, shipped: Path | None) -> list[Path]:
    """Folders of all packages of a role, the shipped one first, not verified."""
    found = [] if shipped is None else [shipped]
    for base in (paths.shipped_models_dir(), paths.models_dir()):
        if base.is_dir():
            folders = [path.parent for path in sorted(base.glob(f"*/{MANIFEST_FILE}"))]
            found += [folder for folder in folders if read_role(folder) is role]
    return list(dict.fromkeys(found))


def locate_package(name: str, known: Sequence[Path]) -> Path:
    """Folder of a package by its name or folder; `InputError` lists those that are ``known``."""
    candidates = (paths.models_dir() / name, paths.shipped_models_dir() / name, Path(name).expanduser())
    for candidate in candidates:
        if (candidate / MANIFEST_FILE).is_file():
            return candidate
    names = ", ".join(sorted({folder.name for folder in known})) or "none"
    raise InputError(f"there is no model package {name!r}; installed: {names}")


def _check_kind(path: Path) -> None:
    """Refuse anything in the folder that could be unpickled or executed."""
    plain = path.is_file() and not path.is_symlink()
    if not plain or (path.suffix not in _SUFFIXES and path.name not in _BARE_NAMES):
        raise InputError(
            f"{path} does not belong in a model package, which may contain only ONNX, safetensors and text "
            "files; export the model again"
        )
    with path.open("rb") as stream:
        head = stream.read(4)
    if _PICKLE.match(head):
        raise InputError(f"{path} is a pickle or an archive, despite its name; it is not opened")


def _check_self_contained(path: Path) -> None:
    # Read in chunks, as the file may have gigabytes; each keeps the previous tail so that no key is split.
    tail = b""
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            if _names_a_file(tail + chunk):
                raise InputError(
                    f"{path} stores weights in other files, which is not allowed; export it as a single file"
                )
            tail = chunk[-_LONGEST_BEFORE - len(_KEY) :]


def _names_a_file(data: bytes) -> bool:
    place = data.find(_KEY)
    while place >= 0:
        if _BEFORE_KEY.search(data[max(0, place - _LONGEST_BEFORE) : place]):
            return True
        place = data.find(_KEY, place + 1)
    return False
