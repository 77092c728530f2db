"""Durable files: written, hashed and synced under a temporary name, then renamed; verified when read."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from claimlight import codec
from claimlight.digests import file_digest
from claimlight.errors import ResourceError
from claimlight.files import TEMPORARY as TEMPORARY
from claimlight.files import is_full as is_full
from claimlight.files import open_inside, sync

MAP_NAME = "map.safetensors"
"""The map of the library (`claimlight.services.maps`): no part of a generation, and outlives them."""
_SPARE = 64 << 20
"""Bytes that must remain free after a write."""


def check_name(name: str) -> None:
    """`ValueError` for a name that leads out of its folder, whoever wrote the manifest."""
    # On Windows a backslash separates folders, and a colon names a drive or a stream.
    if not name or Path(name).name != name or "\\" in name or ":" in name:
        raise ValueError("the name of a file")


FileName = Annotated[str, codec.Rule(check=check_name)]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """Name, size and hash of a file, as a manifest records them."""

    name: FileName
    bytes: int
    sha256: str


class _HashingStream:
    """Writes to a file and to a hash, so that a file need not be read again to be hashed."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()
        self.count = 0

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        self.count += len(data)
        self._stream.write(data)
        return len(data)


def write_array(path: Path, array: NDArray[Any]) -> FileRecord:
    """Write one ``.npy`` file and sync it."""
    with open_inside(path, "wb") as raw:
        stream = _HashingStream(raw)
        np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
        raw.flush()
        os.fsync(raw.fileno())
    return FileRecord(path.name, stream.count, stream.digest.hexdigest())


def record_file(path: Path) -> FileRecord:
    """Sync a file that another library wrote, and hash its content on disk."""
    sync(path)
    return FileRecord(path.name, path.stat().st_size, file_digest(path))


def check_sizes(folder: Path, records: tuple[FileRecord, ...]) -> None:
    """Check that every file exists with the recorded size; does not read them."""
    for item in records:
        path = folder / item.name
        try:
            size = path.stat().st_size
        except OSError as error:
            raise damage_error(path, f"it can't be read ({error.strerror})") from error
        if size != item.bytes:
            raise damage_error(path, f"it has {size} bytes, the manifest says {item.bytes}")


def check_hash(path: Path, expected: FileRecord) -> None:
    """Check the hash of a file against its record."""
    try:
        found = file_digest(path)
    except OSError as error:
        raise damage_error(path, f"it can't be read ({error.strerror})") from error
    if found != expected.sha256:
        raise damage_error(path, f"its SHA-256 is {found}, the manifest says {expected.sha256}")


def damage_error(path: Path, reason: str) -> ResourceError:
    """The error for a damaged index file."""
    return ResourceError(
        f"The index is damaged: {path}: {reason}. The documents in the library are not affected; "
        "rebuild the index with `claimlight index --rebuild`."
    )


def check_space(folder: Path, needed: int) -> None:
    """Raise `ResourceError` if the disk has too little space for ``needed`` bytes."""
    free = _free(folder)
    if free < needed + _SPARE:
        raise disk_full_error(folder, f"{needed + _SPARE:,} bytes are needed, {free:,} are free")


def disk_full_error(folder: Path, detail: str) -> ResourceError:
    """The error for a full disk."""
    return ResourceError(
        f"There is not enough disk space for the index in {folder}: {detail}. Free some space and start "
        "indexing again; it resumes after the last committed batch."
    )


def _free(folder: Path) -> int:
    return shutil.disk_usage(folder).free
