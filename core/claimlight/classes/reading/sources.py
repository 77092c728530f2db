"""The files of an import: a folder, a zip or one file; the document types by their beginning."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from claimlight.classes.reading import cpc_xml, ipc_xml
from claimlight.classes.reading.records import Reading
from claimlight.classes.reading.title_lists import looks_like_title_list, read_title_list
from claimlight.errors import InputError, ParseError, ResourceError
from claimlight.formats.containers.archives import (
    Allowance,
    Bounded,
    check_archive,
    find_member_fault,
    is_zip,
    list_members,
)
from claimlight.formats.reader import explain_unreadable
from claimlight.formats.xml.namespaces import parse_local
from claimlight.paths import path_text

MAX_BYTES = 200 << 20
"""Bytes of one file, which is read whole: as many as a document of an archive may have."""
MAX_FILES = 5_000
_ENDINGS = (".xml", ".txt", ".tsv")
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])(?:[-_.]?[0-3]\d)?(?!\d)")
_PEEK = 4096


@dataclass(frozen=True, slots=True)
class SchemeFile:
    """A file that may belong to a scheme."""

    name: str
    """Path, or the archive and its member."""
    body: bytes


def count_files(path: Path) -> int:
    """How many files `list_files` gives."""
    if path.is_dir():
        return len(_files_of(path))
    _require_file(path)
    with path.open("rb") as stream:
        if not is_zip(stream.read(4)):
            return 1
    with _open_zip(path) as archive:
        return sum(_is_wanted(info.filename) for info in list_members(archive))


def list_files(path: Path) -> Iterator[SchemeFile]:
    """The files in the order of their names; raises `ParseError` for an archive that is refused."""
    if path.is_dir():
        for file in _files_of(path):
            yield SchemeFile(str(file), _read_whole(file))
        return
    _require_file(path)
    with path.open("rb") as stream:
        zipped = is_zip(stream.read(4))
    if not zipped:
        yield SchemeFile(str(path), _read_whole(path))
        return
    allowance = Allowance(path.stat().st_size)
    with _open_zip(path) as archive:
        for info in sorted(list_members(archive), key=lambda info: info.filename):
            if not _is_wanted(info.filename):
                continue
            name = f"{path} {info.filename}"
            if fault := find_member_fault(info):
                raise InputError(f"{name}: {fault}.")
            try:
                with archive.open(info) as member:
                    bounded = Bounded(member, packed=info.compress_size, limit=MAX_BYTES, allowance=allowance)
                    yield SchemeFile(name, b"".join(iter(lambda: bounded.read(1 << 20), b"")))  # noqa: B023
            except (ParseError, zipfile.BadZipFile, OSError, ValueError) as error:
                raise InputError(f"{name} can't be read: {error}.") from error


def _require_file(path: Path) -> None:
    """`InputError` for a pipe, which would be waited for, and for other entries that are no files."""
    if odd := explain_unreadable(path):
        raise InputError(f"{path_text(path)} {odd}.")


def _open_zip(path: Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(path)
        check_archive(archive)
    except (ParseError, zipfile.BadZipFile, OSError, ValueError) as error:
        raise InputError(f"{path} can't be read: {error}.") from error
    return archive


def _is_wanted(name: str) -> bool:
    return name.lower().endswith(_ENDINGS)


def _files_of(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and _is_wanted(path.name))
    if len(files) > MAX_FILES:
        raise InputError(f"{folder} has {len(files):,} files; name the folder of one scheme.")
    return files


def _read_whole(path: Path) -> bytes:
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{path} has more than {MAX_BYTES >> 20} MB; it is no file of a scheme.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise ResourceError(f"{path} can't be read: {error.strerror}.") from error


def read_scheme_file(file: SchemeFile) -> Reading | None:
    """The entries of a file; None if it is of another kind. `InputError` names the file and the line.

    Where the file itself does not say, scheme and version are those in its name.
    """
    try:
        reading = _read(file)
    except ParseError as error:
        line = f", line {error.line}" if error.line else ""
        raise InputError(f"{file.name}{line}: {error}.") from error
    if reading is not None:
        reading.scheme = reading.scheme or _scheme_in(file.name, reading)
        reading.version = reading.version or _version_in(file.name)
    return reading


def _read(file: SchemeFile) -> Reading | None:
    head = file.body[:_PEEK].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"<"):
        if not any(f"<{root}".encode() in file.body[: 1 << 16] for root in (cpc_xml.ROOT, *ipc_xml.ROOTS)):
            return None
        root = parse_local(file.body)
        if root.tag == cpc_xml.ROOT:
            return cpc_xml.read_cpc_scheme(root)
        return ipc_xml.read_ipc_scheme(root) if root.tag in ipc_xml.ROOTS else None
    if not looks_like_title_list(file.body[:_PEEK].decode("utf-8", "replace")):
        return None
    try:
        return read_title_list(file.body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = file.body.count(b"\n", 0, error.start) + 1
        raise ParseError("is not UTF-8 text", line=line) from error


def _scheme_in(name: str, reading: Reading) -> str:
    if any(record.symbol.startswith("Y") for record in reading.records):
        return "cpc"  # only the CPC has section Y
    # The nearest part of the path decides: a folder may hold both.
    for part in reversed(re.split(r"[/\\ ]", name.lower())):
        found = {scheme for scheme in ("cpc", "ipc") if scheme in part}
        if len(found) == 1:
            return found.pop()
    return ""


def _version_in(name: str) -> str:
    for part in reversed(re.split(r"[/\\ ]", name)):
        if found := _DATE.search(part):
            return f"{found[1]}.{found[2]}"
    return ""
