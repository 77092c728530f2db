"""The imported editions, in one folder of the user's data."""

from __future__ import annotations

import re
from pathlib import Path

from claimlight import paths
from claimlight.classes.edition_file import SUFFIX, EditionFile, describe, file_name
from claimlight.classes.shipped import shipped_edition
from claimlight.errors import InputError, ResourceError
from claimlight.types import Edition, EditionInfo, Scheme

_NAME = re.compile(rf"(cpc|ipc)-(\d{{4}}\.\d{{2}}){re.escape(SUFFIX)}")
_VERSION = re.compile(r"(\d{4})[.-]?(0[1-9]|1[0-2])(?:[.-]?\d{2})?")


def parse_version(text: str) -> str:
    """``2022.08`` from itself, ``2022-08``, ``202208`` or a day; `InputError` for anything else."""
    found = _VERSION.fullmatch(text.strip())
    if found is None:
        raise InputError(f"{text} is no version of a scheme. Write year and month: 2022.08.")
    return f"{found[1]}.{found[2]}"


class Editions:
    """The editions of a folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or paths.classes_dir()

    def known(self, scheme: Scheme | None = None) -> tuple[Edition, ...]:
        """Editions by scheme, the newest first; their files are not opened."""
        names = [path.name for path in self.folder.glob(f"*{SUFFIX}")] if self.folder.is_dir() else []
        found = [Edition(Scheme(match[1]), match[2]) for name in names if (match := _NAME.fullmatch(name))]
        found = [edition for edition in found if scheme in (None, edition.scheme)]
        found.sort(key=lambda edition: edition.version, reverse=True)
        return tuple(sorted(found, key=lambda edition: edition.scheme))

    def list(self) -> tuple[tuple[EditionInfo, ...], tuple[str, ...]]:
        """What is known of each edition, and a sentence for each file that can't be used."""
        infos: list[EditionInfo] = []
        faults: list[str] = []
        for edition in self.known():
            try:
                infos.append(describe(self.path_of(edition)))
            except ResourceError as error:
                faults.append(str(error))
        return tuple(infos), tuple(faults)

    def newest(self, scheme: Scheme) -> Edition | None:
        """The newest edition of a scheme; None if none was imported."""
        return next(iter(self.known(scheme)), None)

    def path_of(self, edition: Edition) -> Path:
        """The file of an edition, whether it exists or not."""
        return self.folder / file_name(edition)

    def open(self, scheme: Scheme, version: str = "") -> EditionFile:
        """An edition, the newest without ``version``; the shipped titles if none was imported.

        `InputError` if the version was not imported, `ResourceError` if its file is damaged or of a later
        Claimlight.
        """
        if version:
            return EditionFile.open(self.path_of(self.find(scheme, version)))
        newest = self.newest(scheme)
        return shipped_edition(scheme) if newest is None else EditionFile.open(self.path_of(newest))

    def find(self, scheme: Scheme, version: str) -> Edition:
        """The imported edition of this version; `InputError` names those there are."""
        edition = Edition(scheme, parse_version(version))
        if edition not in (there := self.known(scheme)):
            names = ", ".join(each.version for each in there) or "none"
            raise InputError(
                f"{edition} was not imported; imported versions of the {scheme.upper()}: {names}. "
                "Import it with `claimlight classes import`."
            )
        return edition

    def remove(self, edition: Edition) -> None:
        """Delete the file of an edition."""
        try:
            self.path_of(edition).unlink()
        except OSError as error:
            raise ResourceError(f"{self.path_of(edition)} can't be deleted: {error.strerror}.") from error
