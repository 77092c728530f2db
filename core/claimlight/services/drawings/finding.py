"""Finds the pictures that documents name: beside their files and in their archives.

A picture named after its document (``US08927118-20150106-D00001.TIF``) may be anywhere in the archive. One
with a name of many documents (``imgf0001.tif``) counts only in the folder of its document, and only if no
other document is in that folder: a wrong drawing would be worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from claimlight.errors import ResourceError
from claimlight.formats.containers import picture_files
from claimlight.formats.containers.picture_files import Folders, Place
from claimlight.store.pictures import NamedPictures
from claimlight.tasks import TaskContext
from claimlight.types import PictureKind, PublicationNumber

_SHORTEST_NUMBER = 5
"""Digits of a publication number by which a picture is named after its document."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class FoundPicture:
    """A picture of a document and its bytes."""

    publication: PublicationNumber
    file: str
    """As the document names it."""
    data: bytes


@dataclass(frozen=True, slots=True)
class _Claim:
    """A picture that a document names."""

    publication: PublicationNumber
    file: str
    container: str
    folder: str
    owner: str
    """Name of the document's file, without extension."""

    @property
    def stem(self) -> str:
        return self.file.rpartition(".")[0].lower()

    @property
    def own(self) -> bool:
        """Whether the picture is named after its document."""
        digits = "".join(_DIGITS.findall(self.publication.number)).lstrip("0")
        return len(digits) >= _SHORTEST_NUMBER and digits in "".join(_DIGITS.findall(self.file))

    def meets(self, place: Place) -> bool:
        """Whether the file at ``place``, whose name is right, is this picture."""
        if place.container != self.container:
            return False
        if self.own:
            return True
        inside = str(PurePosixPath(self.folder, self.owner)) if self.owner else self.folder
        return place.folder == inside or (place.folder == self.folder and not place.crowded)


class Claims:
    """The pictures that documents of one file name and that are wanted."""

    def __init__(self, documents: Iterable[NamedPictures], skip: Iterable[tuple[str, str]] = ()) -> None:
        """Pictures of ``skip``, pairs of publication and file, are not wanted."""
        left_out = set(skip)
        self._by_stem: dict[str, list[_Claim]] = {}
        self.containers: set[str] = set()
        self.count = 0
        for item in documents:
            place = Place.of_member(item.member)
            owner = place.name or Path(item.path).name
            for picture in item.pictures:
                if (str(item.publication), picture.file) in left_out:
                    continue
                claim = _Claim(
                    item.publication, picture.file, place.container, place.folder, owner.rpartition(".")[0]
                )
                self._by_stem.setdefault(claim.stem, []).append(claim)
                self.containers |= {place.container} - {""}
                self.count += 1

    @property
    def stems(self) -> tuple[str, ...]:
        """The names of the pictures, without extension, in lower case."""
        return tuple(self._by_stem)

    def of(self, place: Place) -> list[_Claim]:
        """The claims that a file meets."""
        return [claim for claim in self._by_stem.get(place.stem, ()) if claim.meets(place)]

    def asks(self, place: Place) -> bool:
        """Whether the file is one of the pictures."""
        return bool(self.of(place))


def find_pictures(
    path: Path, claims: Claims, context: TaskContext, *, folders: Folders | None = None
) -> Iterator[FoundPicture]:
    """The wanted pictures of the documents of one file, wherever they are.

    A file that is not there any more gives none. Who asks for many files gives ``folders`` along.
    """
    if not path.is_file():
        return
    if picture_files.is_archive(path):
        found = picture_files.read_archived(path, claims.asks, context, enter=claims.containers.__contains__)
        for place, data in found:
            if picture_files.picture_format(data):
                for claim in claims.of(place):
                    yield FoundPicture(claim.publication, claim.file, data)
        return
    folders = folders or Folders()
    for stem in claims.stems:
        context.check()
        for place, beside in folders.find(path, stem):
            if wanted := claims.of(place):
                yield from _read_beside(beside, wanted)


def find_printed(item: NamedPictures) -> Path | None:
    """The document as it was printed, a PDF beside its file; None if there is none."""
    path = Path(item.path)
    number = item.publication
    names = {path.stem.lower(), str(number).lower(), f"{number.country}{number.number}".lower()}
    if item.member or not path.is_file():
        return None
    folders = Folders()
    beside = (found for name in sorted(names) for found in folders.find(path, name))
    return next((f for place, f in beside if place.name.lower().endswith(".pdf") and not place.folder), None)


def _read_beside(path: Path, claims: Iterable[_Claim]) -> Iterator[FoundPicture]:
    try:
        data = picture_files.read_file(path)
    except ResourceError:
        return
    if picture_files.picture_format(data):
        for claim in claims:
            yield FoundPicture(claim.publication, claim.file, data)


SHOWN_ORDER = (
    PictureKind.DRAWING,
    PictureKind.FRONT,
    PictureKind.PAGE,
    PictureKind.CHEMISTRY,
    PictureKind.FORMULA,
    PictureKind.TABLE,
    PictureKind.SEQUENCE,
    PictureKind.IMAGE,
)
"""The order of the pictures of a document."""
