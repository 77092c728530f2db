"""The manifest of a classifier package: scheme, encoder, experts, what it was trained on, and its files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimlight import codec
from claimlight.classify.heads import HeadKind
from claimlight.classify.mixture import Combination
from claimlight.digests import sha256
from claimlight.encoders.manifest import SCHEMA
from claimlight.encoders.package_files import (
    FileRecord,
    Role,
    check_records,
    find_record,
    list_records,
    plain_records,
    read_raw,
)
from claimlight.errors import InputError
from claimlight.files import Access, write_atomically
from claimlight.types import ClassFigures, Scheme

ARRAYS_FILE = "classifier.safetensors"
LABELS_FILE = "labels.json"
"""The labels of all levels, in the order of the columns."""
DOCUMENTS_FILE = "documents.json"
"""Publication numbers of the documents that vote, in the order of the rows; only where some do."""


@dataclass(frozen=True, slots=True)
class ClassifierManifest:
    """Everything the program knows about a classifier."""

    id: str
    version: str
    licence: str
    source: str
    scheme: Scheme
    encoder: str
    """Fingerprint of the encoder whose vectors it reads."""
    encoder_name: str
    """Id and version of that encoder, for messages."""
    dim: int
    heads: tuple[HeadKind, ...]
    combination: Combination
    documents: int
    """Documents that it was trained on."""
    commercial: bool = True
    trained_on: str = ""
    """What it was trained on, in a sentence."""
    measured: tuple[ClassFigures, ...] = ()
    measured_on: str = ""
    """The documents of ``measured``, in a sentence."""
    files: tuple[FileRecord, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Changes with everything that can change a probability."""
        parts: list[Any] = [
            find_record(self, ARRAYS_FILE).sha256,
            find_record(self, LABELS_FILE).sha256,
            self.encoder,
            [kind.value for kind in self.heads],
            self.combination.value,
        ]
        return f"{self.id}-{self.version}-{sha256(json.dumps(parts))[:16]}"

    @property
    def name(self) -> str:
        """Id and version."""
        return f"{self.id} {self.version}"


def read(path: Path) -> ClassifierManifest:
    """Read a manifest; raises `ResourceError` if it is missing, `InputError` if it is invalid."""
    raw = read_raw(path)
    try:
        return validate(_from_json(raw))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = str(error) if isinstance(error, ValueError) else repr(error)
        raise InputError(f"{path} is not the manifest of a classifier: {reason}") from error


def _from_json(raw: dict[str, Any]) -> ClassifierManifest:
    if raw["schema"] != SCHEMA:
        raise ValueError(f"schema {raw['schema']}, this program reads {SCHEMA}")
    if raw.get("role") != Role.CLASSIFIER:
        raise ValueError("its model is not a classifier")
    return codec.read(ClassifierManifest, {**raw, "files": list_records(raw)})


def validate(manifest: ClassifierManifest) -> ClassifierManifest:
    """Return the manifest; raises `ValueError` for values that no classifier can have."""
    if manifest.scheme is Scheme.OTHER:
        raise ValueError("a scheme that is neither CPC nor IPC")
    if manifest.dim < 1 or manifest.documents < 0:
        raise ValueError(f"{manifest.dim} dimensions, {manifest.documents} documents")
    if not manifest.heads:
        raise ValueError("no expert")
    if manifest.measured and not manifest.measured_on:
        raise ValueError("figures without the documents that they were measured on")
    check_records(manifest.files)
    return manifest


def write(manifest: ClassifierManifest, path: Path) -> None:
    """Write a manifest atomically, the same bytes for the same manifest."""
    body: dict[str, Any] = {"schema": SCHEMA, "role": Role.CLASSIFIER.value, **codec.plain(manifest)}
    body["files"] = plain_records(manifest.files)
    write_atomically(path, json.dumps(body, indent=2, ensure_ascii=False) + "\n", Access.USUAL)
