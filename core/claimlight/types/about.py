"""What the program is made of: versions, models in use, the open library, licences."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

RUNTIMES = ("onnxruntime", "onnxruntime-gpu")
"""The distributions of ONNX Runtime."""


class LicenceGroup(StrEnum):
    """What a licence is about."""

    PROGRAM = "program"
    SHIPPED = "shipped"
    """Fonts and icons."""
    MODEL = "model"
    LIBRARY = "library"
    """A package that the program depends on."""
    SYSTEM = "system"
    """A library of the operating system that the program folder brings along."""


@dataclass(frozen=True, slots=True)
class LicenceInfo:
    """The licence of one part of the program."""

    group: LicenceGroup
    name: str
    version: str
    licence: str
    """As its maker names it; empty if not stated."""
    text: str
    """Licence and notices, one after the other; empty if it comes without."""


@dataclass(frozen=True, slots=True)
class BuildStamp:
    """From what the program folder was built."""

    commit: str
    """Short, as git prints it; empty if it was built from an archive without history."""
    date: str
    """Date of the commit, as YYYY-MM-DD."""
    variant: str = ""
    """Name of the variant of the program: ``gpu``, ``research``; empty for the examiner's."""


@dataclass(frozen=True, slots=True)
class PartVersion:
    """The version of a part that results or speed depend on."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class ModelInUse:
    """A model that the settings name."""

    name: str
    """Id and version."""
    licence: str
    fingerprint: str = ""
    """Identifies the vector space of an encoder; empty for other models."""
    dim: int = 0
    """Dimensions of the vectors of an encoder; 0 for other models."""


@dataclass(frozen=True, slots=True)
class LibraryState:
    """The open library and its index."""

    name: str
    """Name of its folder, without the path."""
    documents: int
    schema: int
    """Version of its database's schema."""
    index: str
    """Generation and commit of the index; empty if there is none."""
    full_text: int
    """Documents that are indexed with their description."""
    claims_only: int
    """Documents of which only title, abstract and claims are indexed."""
    waiting: int
    """Documents that are still to be indexed."""


@dataclass(frozen=True, slots=True)
class About:
    """Everything about this installation that a report of a fault needs, and every licence; no path."""

    version: str
    encoder: ModelInUse | None
    """None if its package can't be read; so with the judge and the classifier, or if none is chosen."""
    judge: ModelInUse | None
    classifier: ModelInUse | None
    library: LibraryState | None
    """None if none is open."""
    device: str
    """Device of the encoder, ``cpu`` or ``cuda``; empty until it is opened."""
    parts: tuple[PartVersion, ...]
    licences: tuple[LicenceInfo, ...]
    second_judge: ModelInUse | None = None
    """None if the judge reads on itself, or there is none."""
    build: BuildStamp | None = None
    """None if the program was not built as a folder."""
