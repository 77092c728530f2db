"""The sample library: shipped as patent files, made into a library where the user's data lies."""

from __future__ import annotations

from pathlib import Path

from core import paths
from core.errors import ResourceError
from core.services import indexing, queries
from core.services.library import Library, import_paths
from core.settings import Settings
from core.store import repository
from core.store.store import FILE_NAME
from core.tasks import TaskContext

NAME = "Sample"


def source_folder() -> Path:
    """The office files of the sample library."""
    return paths.resources() / "sample" / "xml"


def application_file() -> Path:
    """The application of the sample case; it is not in the library."""
    return paths.resources() / "sample" / "application.xml"


def library_folder() -> Path:
    """Where the sample library is made."""
    return paths.libraries_dir() / NAME


def ready(folder: Path | None = None) -> bool:
    """Whether the sample is imported and indexed."""
    folder = folder or library_folder()
    if not (folder / FILE_NAME).exists():
        return False
    with Library.open(folder) as library:
        info = library.info()
    return 0 < info.documents == info.indexed_documents


def ensure(context: TaskContext, settings: Settings, folder: Path | None = None) -> Library:
    """Open the sample library; what is missing of it is imported and indexed first."""
    if not source_folder().is_dir():
        raise ResourceError(f"The sample files are not in {source_folder()}; install the program again.")
    folder = folder or library_folder()
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
    """Whether the sample was indexed by another model: it must be indexed anew."""
    try:
        return indexing.outdated(folder or library_folder(), settings)
    except ResourceError:
        return True


def _complete(library: Library, settings: Settings) -> bool:
    info = library.info()
    files = sum(1 for path in source_folder().rglob("*.xml"))
    filled = files <= repository.count_documents(library.store) == info.indexed_documents
    return filled and not stale(settings, library.folder)


def _index(library: Library, context: TaskContext, settings: Settings) -> None:
    """The sample is ours to rebuild when the model or the index format has changed."""
    try:
        indexing.build(library, context, settings)
    except ResourceError:
        indexing.build(library, context, settings, rebuild=True)


def examined(context: TaskContext) -> queries.Examined:
    """The application of the sample case."""
    return queries.examined_of_file(application_file(), context)
