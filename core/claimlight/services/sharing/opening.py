"""Open a library by what the user gave: the folder of one, or the address of a shared one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from claimlight import files
from claimlight.engines.addresses import require
from claimlight.errors import InputError, ResourceError
from claimlight.services.library.library import FOLDERS_ONLY, Library
from claimlight.services.sharing import credentials
from claimlight.services.sharing.addresses import SharedAddress, is_address, read_place

if TYPE_CHECKING:
    from claimlight.index.backend import IndexBackend
    from claimlight.services.sharing.credentials import Secrets


def open_library(
    place: Path | SharedAddress | str, *, read_only: bool = False, create: bool = False
) -> Library:
    """Open the library in a folder, or the shared one of an address, which is for reading only.

    ``create`` makes an empty library in a folder without one; `InputError` for an address.
    """
    found = read_place(place) if isinstance(place, str) else place
    if isinstance(found, SharedAddress):
        if create:
            raise InputError(FOLDERS_ONLY)
        return open_shared(found)
    return Library.open_or_create(found) if create else Library.open(found, read_only=read_only)


def check_folder(place: Path | str) -> Path:
    """A folder; `InputError` for an address, which says what to do instead."""
    if isinstance(place, str) and is_address(place):
        raise InputError(FOLDERS_ONLY)
    return Path(place)


def open_shared(
    address: SharedAddress, *, create: bool = False, writable: bool = False, secrets: Secrets | None = None
) -> Library:
    """Open a shared library: to read it, or ``writable``; ``create``, too, and makes one if there is none.

    ``secrets`` are those of `credentials.find` unless given. The database is asked at once, the engine at the
    first search. `ResourceError` if the database can't be reached or refuses, or if an extra is missing.
    """
    require("postgres", "psycopg")
    from claimlight.index.shared import SharedParts
    from claimlight.services.sharing.index_source import DatabaseIndexSource
    from claimlight.store import postgres

    given = credentials.find(address) if secrets is None else secrets
    folder = address.folder
    try:
        files.private_folder(folder)
    except OSError as error:
        raise ResourceError(f"The folder {folder} can't be made: {error.strerror}.") from error
    if create:
        store = postgres.create(address.url, folder, password=given.password)
    else:
        store = postgres.connect(address.url, folder, password=given.password, read_only=not writable)
    try:
        parts = SharedParts(open_engine(address, given), DatabaseIndexSource(store))
    except BaseException:
        store.close()
        raise
    return Library(folder, store, str(address), parts)


def check_password(address: SharedAddress, secrets: Secrets) -> None:
    """Connect to the database, whether or not it holds a library; `ResourceError` if it refuses."""
    require("postgres", "psycopg")
    from claimlight.store.postgres.database import PostgresDatabase

    database = PostgresDatabase(address.url, address.folder, password=secrets.password, read_only=True)
    try:
        with database.read() as connection:
            connection.exec_driver_sql("SELECT 1")
    finally:
        database.close()


def open_engine(address: SharedAddress, secrets: Secrets) -> IndexBackend:
    """The engine of a shared library; without one in its address, the database holds the index too."""
    if address.engine is not None:
        return address.engine.open(secrets.token)
    from claimlight.engines.postgres import PostgresBackend

    return PostgresBackend(address.url, password=secrets.password)
