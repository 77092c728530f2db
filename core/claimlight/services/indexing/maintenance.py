"""Checking a library: database, documents, full text, and every byte of the index."""

from __future__ import annotations

from claimlight.errors import ResourceError
from claimlight.index import verify as checks
from claimlight.index.generation import Generation
from claimlight.services.indexing.indexing import index_folder
from claimlight.services.library import compared_rankers
from claimlight.services.library.library import Library
from claimlight.store import soundness
from claimlight.store.picture_store import FILE_NAME as DRAWINGS_FILE
from claimlight.store.picture_store import PictureStore
from claimlight.tasks import TaskContext
from claimlight.types import plural

_REBUILD = "The documents are undamaged: run `claimlight index --rebuild`."


def verify(library: Library, context: TaskContext) -> tuple[str, ...]:
    """Check a library; one sentence per check. The first damage is a `ResourceError` that says what to do."""
    library.require_folder()
    found: list[str] = []
    found.append(_database(library, context))
    found.extend(_drawings(library, context))
    context.check()
    generation = Generation.open(index_folder(library.folder), check=False)
    if generation is None:
        found.append("There is no index yet.")
    else:
        checks.verify(generation.folder, generation.manifest.segments, remembered=False)
        found.append(
            f"{generation.folder}: {plural(len(generation.segments), 'segment')} with "
            f"{plural(generation.passages, 'passage')} "
            "are undamaged, byte by byte."
        )
        if generation.notes:
            # A search works without the graph, but a check must report that it is damaged.
            raise ResourceError(f"{' '.join(generation.notes)} {_REBUILD}")
    context.check()
    found.extend(compared_rankers.verify_indexes(library.folder))
    return tuple(found)


def _drawings(library: Library, context: TaskContext) -> list[str]:
    pictures = PictureStore(library.folder, read_only=True)
    try:
        count = pictures.check(context)
    finally:
        pictures.close()
    if count is None:
        return []
    return [f"{library.folder / DRAWINGS_FILE}: {plural(count, 'picture')} are undamaged, byte by byte."]


def _database(library: Library, context: TaskContext) -> str:
    """Check pages and documents: SQLite's own checks find a third of all flipped bits, digests the others."""
    store = library.store
    faults = soundness.find_page_faults(store, context)
    changed = [] if faults else soundness.find_changed_documents(store, context)
    if changed:
        faults = [f"documents that have changed: {', '.join(changed)}"]
    if faults:
        raise ResourceError(
            f"{store.path} is damaged: {'; '.join(faults)}. Run `claimlight doctor --repair "
            f"--library {library.folder}`; cases are stored elsewhere and are not affected."
        )
    if not library.read_only:
        soundness.check_words(store)
    words = "" if library.read_only else " and the full text"
    return f"{store.path}: all pages, all documents{words} are undamaged."
