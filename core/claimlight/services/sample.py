"""The sample library, shipped as patent files and, so that it opens at once, as an indexed library.

It is copied to the folder of the user's libraries; if the program uses another model by then, it is indexed
again there.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from contextlib import suppress
from pathlib import Path

from claimlight import paths
from claimlight.errors import ResourceError
from claimlight.files import FILE_MODE, FOLDER_MODE, private_folder, write_atomically
from claimlight.services.indexing import indexing
from claimlight.services.library.library import Library, import_paths
from claimlight.services.search import queries
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.store.picture_store import FILE_NAME as DRAWINGS
from claimlight.store.store import FILE_NAME
from claimlight.tasks import TaskContext

NAME = "Sample"


def source_folder() -> Path:
    """The office files of the sample library."""
    return paths.resources() / "sample" / "xml"


def application_file() -> Path:
    """File of the application of the sample case; it is not in the library."""
    return paths.resources() / "sample" / "application.xml"


def library_folder() -> Path:
    """Folder of the user's sample library."""
    return paths.libraries_dir() / NAME


def shipped_library() -> Path:
    """Zip file with database and index, made by ``make sample``."""
    return paths.resources() / "sample" / "library.zip"


def provide(folder: Path | None = None) -> None:
    """Unpack the shipped library unless the folder is already in use; then add what drawings it lacks.

    It appears complete or not at all, so that two programs that start together never see half of it.
    """
    folder = folder or library_folder()
    if not shipped_library().is_file():
        return
    if folder.exists() and any(folder.iterdir()):
        _add_drawings(folder)
        return
    private_folder(folder.parent)
    # Beside its place, as a rename works only on one file system; the number keeps two programs apart.
    beside = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        with zipfile.ZipFile(shipped_library()) as packed:
            packed.extractall(beside)
        # Zip extraction leaves permissions to the umask.
        for path in (beside, *beside.rglob("*")):
            path.chmod(FOLDER_MODE if path.is_dir() else FILE_MODE)
        # Windows renames nothing onto an existing folder, not even onto an empty one.
        if folder.exists():
            folder.rmdir()
        beside.rename(folder)
    except OSError:
        # Another program was faster, or the disk is full: importing the files instead reports what is wrong.
        return
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _add_drawings(folder: Path) -> None:
    """Add the drawings to a sample of a version that was shipped without."""
    target = folder / DRAWINGS
    if target.exists() or not (folder / FILE_NAME).exists():
        return
    # Without them the sample is what it was: a full disk or a folder of others is no fault.
    with suppress(OSError, KeyError), zipfile.ZipFile(shipped_library()) as packed:
        write_atomically(target, packed.read(DRAWINGS))


def ready(folder: Path | None = None) -> bool:
    """Whether the sample is imported and indexed."""
    folder = folder or library_folder()
    if not (folder / FILE_NAME).exists():
        return False
    with Library.open(folder) as library:
        info = library.info()
    return 0 < info.documents == info.indexed_documents


def ensure(
    context: TaskContext, settings: Settings, folder: Path | None = None, *, shipped: bool = True
) -> Library:
    """Open the sample library, after importing and indexing what is missing.

    With ``shipped`` it begins with the shipped library, else with the patent files alone.
    """
    if not source_folder().is_dir():
        raise ResourceError(f"The sample files are not in {source_folder()}; install the program again.")
    folder = folder or library_folder()
    if shipped:
        provide(folder)
    library = Library.open_or_create(folder)
    try:
        if not library.read_only and not _complete(library, settings):
            import_paths(library, [source_folder()], context, settings)
            _index(library, context, settings)
    except BaseException:
        library.close()
        raise
    return library


def stale(settings: Settings, folder: Path | None = None) -> bool:
    """Whether the sample was indexed with another model and must be indexed again."""
    try:
        return indexing.is_outdated(folder or library_folder(), settings)
    except ResourceError:
        return True


def _complete(library: Library, settings: Settings) -> bool:
    info = library.info()
    files = sum(1 for path in source_folder().rglob("*.xml"))
    filled = files <= repository.count_documents(library.store) == info.indexed_documents
    return filled and not stale(settings, library.folder)


def _index(library: Library, context: TaskContext, settings: Settings) -> None:
    """Index the sample; rebuild if model or index format have changed, as no work of the user is in it."""
    try:
        indexing.build(library, context, settings)
    except ResourceError:
        indexing.build(library, context, settings, rebuild=True)


def read_application(context: TaskContext) -> queries.Application:
    """The application of the sample case."""
    return queries.read_application(application_file(), context)
