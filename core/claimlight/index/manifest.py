"""The manifest of a generation, and the pointer that makes one manifest the live one.

``index/CURRENT`` names a generation (a folder) and one of its commits (``manifest-<commit>.json``), with the
manifest's checksum. A commit becomes visible to readers by the atomic replacement of this one small file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from claimlight import codec
from claimlight.digests import sha256
from claimlight.errors import ResourceError
from claimlight.files import Access, parse_json, write_atomically
from claimlight.index import files
from claimlight.index.files import FileRecord
from claimlight.index.levels import SectionLevels
from claimlight.index.segments import SegmentRecord

FORMAT = 5
READABLE_FORMATS = (2, 3, 4)
"""Formats that are read as they are, and written as `FORMAT` from the next commit: in 4 all segments hold
whole documents, 3 has no passage vectors, and in 2 no passage is in pieces."""
OLD_FORMATS = (1,)
"""Formats that `claimlight.index.convert` converts to `FORMAT`."""
CURRENT = "CURRENT"
COPY = "manifest.copy"
"""Second copy of the last manifest of a generation, in its folder."""
NEXT = "NEXT"
"""Pointer of an unfinished rebuild; renamed to `CURRENT` when it is complete."""


class IndexFormatError(ResourceError):
    """The index was written by a newer program; nothing is damaged."""


@dataclass(frozen=True, slots=True)
class IndexRecipe:
    """What an index was built with; vectors and centers of another recipe are not comparable."""

    encoder: str
    normaliser: str
    centers: str
    unit: str
    top_k: int

    def check(self, other: IndexRecipe) -> None:
        """Raise `ResourceError`, naming both, if ``other``, the program's recipe, differs."""
        for name, label in (
            ("encoder", "model package"),
            ("normaliser", "text normaliser"),
            ("centers", "center vocabulary"),
            ("unit", "span unit"),
        ):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise ResourceError(
                    f"The index was built with the {label} {mine}, but the program now uses {theirs}. Select "
                    "the model package it was built with, or rebuild it with `claimlight index --rebuild`."
                )


@dataclass(frozen=True, slots=True)
class GraphRecord:
    """The hnswlib file of a generation."""

    file: FileRecord
    count: int
    """Section vectors in it, including those of removed documents."""
    through: int
    """Highest document id whose sections may be in it."""


@dataclass(frozen=True, slots=True)
class IndexManifest:
    """One commit of a generation."""

    generation: str
    commit: int
    recipe: IndexRecipe
    dim: int
    centers: int
    last_document: int
    """Documents up to this id are indexed."""
    library_version: int
    """Removals up to this version of the library are applied."""
    next_segment: int = 1
    segments: tuple[SegmentRecord, ...] = ()
    dead: tuple[int, ...] = ()
    """Removed documents that still have rows in a segment, ascending."""
    skipped: tuple[int, ...] = ()
    """Documents that the encoder could not encode."""
    unread: tuple[int, ...] = ()
    """Documents whose description the encoder could not encode, ascending; their claims are indexed."""
    graph: GraphRecord | None = None
    levels: SectionLevels | None = None
    """Offsets subtracted from section vectors in a search; None in indexes of programs that did not do
    this."""
    uncut: tuple[int, ...] | None = ()
    """Documents whose very long passages are not split into pieces yet, ascending; None if not determined."""
    format: int = FORMAT
    """Format of the segments."""

    def gone(self, segment: SegmentRecord) -> NDArray[np.int64]:
        """Documents whose rows in the segment are ignored: removed, or replaced in a newer segment."""
        return np.array([*self.dead, *segment.replaced], dtype=np.int64)

    @property
    def name(self) -> str:
        """Identifies this state of the index in results."""
        return f"{self.generation}/{self.commit}"


@dataclass(frozen=True, slots=True)
class Pointer:
    """The content of ``CURRENT`` or ``NEXT``."""

    generation: files.FileName
    commit: int
    sha256: str


def manifest_name(commit: int) -> str:
    """File name of the manifest of a commit."""
    return f"manifest-{commit:06d}.json"


def read_pointer(index: Path, name: str = CURRENT) -> Pointer | None:
    """Read a pointer; None if nothing has been published yet."""
    path = index / name
    try:
        return codec.decode(Pointer, path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise files.damage_error(path, f"it can't be read ({error})") from error


def read(index: Path, pointer: Pointer, *, old: bool = False) -> IndexManifest:
    """Read the manifest that a pointer names, verified by its checksum.

    Raises `ResourceError`, with the remedy, for an old format, unless ``old`` formats are accepted.
    """
    path = index / pointer.generation / manifest_name(pointer.commit)
    try:
        body = path.read_bytes()
    except OSError as error:
        raise files.damage_error(path, f"it can't be read ({error.strerror})") from error
    found = sha256(body)
    if found != pointer.sha256:
        raise files.damage_error(path, f"its SHA-256 is {found}, the pointer says {pointer.sha256}")
    return parse(body, path, old=old)


def parse(body: bytes, path: Path, *, old: bool = False) -> IndexManifest:
    """The manifest in the content of a file; see `read`. ``path`` is for messages."""
    index = path.parent.parent
    try:
        raw = parse_json(body)
        form = raw.get("format")
    except (ValueError, AttributeError) as error:
        raise files.damage_error(path, f"it is no manifest ({error})") from error
    if form in OLD_FORMATS and not old:
        raise ResourceError(
            f"The index in {index} was written by an earlier version (format {form}). Run `claimlight index` "
            "once: it converts the index in place, without encoding documents again."
        )
    if form not in (FORMAT, *READABLE_FORMATS, *OLD_FORMATS):
        raise IndexFormatError(
            f"{path} has index format {form}, this program reads {FORMAT}. Use the program "
            "that built it, or build it again with `claimlight index --rebuild`."
        )
    # Where nobody has looked for long passages yet, the key is missing: that is not the same as none.
    try:
        return codec.read(IndexManifest, {"uncut": None, **raw})
    except codec.MisfitError as error:
        raise files.damage_error(path, f"it is no manifest ({error})") from error


def publish(index: Path, manifest: IndexManifest, pointer: str) -> None:
    """Write a manifest durably, then replace ``pointer`` by one that names it."""
    body = (json.dumps(codec.plain(manifest), indent=1) + "\n").encode()
    folder = index / manifest.generation
    # The manifest before the pointer: a kill in between leaves one that nobody names.
    write_atomically(folder / manifest_name(manifest.commit), body, Access.FOLDER)
    digest = sha256(body)
    raw = {"generation": manifest.generation, "commit": manifest.commit, "sha256": digest}
    write_atomically(index / pointer, json.dumps(raw) + "\n", Access.FOLDER)
    # Without its manifest no segment can be trusted, and hours of encoding would be lost with a small file.
    write_atomically(folder / COPY, body, Access.FOLDER)
