"""Import of an edition from official files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from time import monotonic

from claimlight.classes.edition_file import EditionFile, describe, write_edition
from claimlight.classes.editions import Editions, parse_version
from claimlight.classes.outline import build_outline
from claimlight.classes.reading.records import Reading, Record
from claimlight.classes.reading.sources import count_files, list_files, read_scheme_file
from claimlight.classes.shipped import read_titles
from claimlight.digests import sha256
from claimlight.errors import InputError, ResourceError
from claimlight.tasks import TaskContext
from claimlight.types import Edition, EditionReport, Progress, Scheme

_STAGE = "Reading the scheme"
_FORMATS = (
    "Claimlight reads title lists (symbol, tab, level, tab, title) and scheme XML of the CPC, and titles and "
    "scheme XML of the IPC"
)


def import_edition(
    editions: Editions,
    path: Path,
    context: TaskContext,
    *,
    scheme: Scheme | None = None,
    version: str = "",
) -> EditionReport:
    """Import the files of a folder, a zip or one file as an edition.

    Scheme and version are those in the files or their names, where ``scheme`` and ``version`` do not give
    them. Files of other kinds are left out. The same files again change nothing. An edition that is there is
    replaced, unless these files have fewer entries. `InputError` if the files are of no scheme or of several,
    or do not follow their format.
    """
    begun = monotonic()
    if not path.exists():
        raise InputError(f"There is no {path}.")
    digest = _digest(path, context)
    given = parse_version(version) if version else ""
    for edition in editions.known(scheme):
        if given in ("", edition.version) and _digest_of(editions.path_of(edition)) == digest:
            info = describe(editions.path_of(edition))
            return EditionReport(info, unchanged=True, seconds=monotonic() - begun)
    readings = _read_files(path, context)
    edition = _find_edition(readings, path, scheme, given)
    records = [record for reading in readings for record in reading.records]
    moves = [move for reading in readings for move in reading.moves]
    _check(edition, records)
    nodes = build_outline(records)
    known = editions.path_of(edition)
    if known.exists() and (before := _count(known)) > len(nodes):
        raise InputError(
            f"{edition} is imported with {before:,} entries; these files have {len(nodes):,}. To replace it, "
            f"remove it first: claimlight classes remove {edition.scheme} {edition.version}"
        )
    context.report(Progress("Writing the scheme", 0, 0, "", 0.0, None))
    write_edition(
        editions.folder,
        edition,
        nodes,
        moves,
        source=str(path),
        digest=digest,
        shorts=read_titles(edition.scheme),
        context=context,
    )
    return EditionReport(describe(known), unchanged=False, seconds=monotonic() - begun)


def _digest(path: Path, context: TaskContext) -> str:
    """Digest of what the files contain; their names and places don't count."""
    found: list[str] = []
    for file in list_files(path):
        context.check()
        found.append(sha256(file.body))
    return sha256(*found)


def _read_files(path: Path, context: TaskContext) -> list[Reading]:
    total, begun = count_files(path), monotonic()
    readings: list[Reading] = []
    for number, file in enumerate(list_files(path), 1):
        reading = read_scheme_file(file)
        if reading is not None:
            readings.append(reading)
        rate = number / max(1e-6, monotonic() - begun)
        context.report(Progress(_STAGE, number, total, "files", rate, (total - number) / rate))
    if not any(reading.records for reading in readings):
        raise InputError(f"{path} has no file of a scheme. {_FORMATS}.")
    return readings


def _find_edition(readings: list[Reading], path: Path, scheme: Scheme | None, version: str) -> Edition:
    schemes = {reading.scheme for reading in readings if reading.scheme}
    if scheme is None:
        if len(schemes) != 1:
            what = (
                "are of both CPC and IPC" if schemes else "do not say whether they are of the CPC or the IPC"
            )
            raise InputError(
                f"The files of {path} {what}. Import those of one scheme and add --kind cpc or ipc."
            )
        scheme = Scheme(schemes.pop())
    elif schemes - {scheme.value}:
        raise InputError(f"Files of {path} are of the {schemes.pop().upper()}, not of the {scheme.upper()}.")
    versions = Counter(reading.version for reading in readings if reading.version)
    if version:
        return Edition(scheme, version)
    if len(versions) != 1:
        what = f"are of several versions ({', '.join(sorted(versions))})" if versions else "name no version"
        raise InputError(f"The files of {path} {what}. Add the version they are of: --version 2022.08")
    return Edition(scheme, next(iter(versions)))


def _check(edition: Edition, records: list[Record]) -> None:
    """Refuse what can't be a scheme."""
    if edition.scheme is Scheme.IPC and any(record.symbol.startswith("Y") for record in records):
        raise InputError("The files have section Y, which only the CPC has. Import them with --kind cpc.")
    begun: set[str] = set()
    for record in records:
        subclass = record.symbol[:4]
        if record.depth > 3 and subclass not in begun:
            raise InputError(
                f"{record.symbol} comes before every main group of {subclass}: the order of the file is "
                "lost, so what is below what is not known. Import the official file."
            )
        if record.depth == 3:
            begun.add(subclass)


def _digest_of(path: Path) -> str:
    """The digest of the files an edition was imported from; empty if its file is damaged."""
    try:
        return EditionFile.open(path).meta()["digest"]
    except ResourceError:
        return ""


def _count(path: Path) -> int:
    try:
        return describe(path).entries
    except ResourceError:
        return 0
