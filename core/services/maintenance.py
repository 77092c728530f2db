"""Checking a library against what was written: every page of the database, every byte of the index."""

from __future__ import annotations

from core.errors import ResourceError
from core.index import verify as checks
from core.index.generation import Generation
from core.services.indexing import index_folder
from core.services.library import Library
from core.tasks import TaskContext


def verify(library: Library, context: TaskContext) -> tuple[str, ...]:
    """What was checked, one sentence each; the first damage is a `ResourceError` that says what to do."""
    found: list[str] = []
    with library.store.read(context) as connection:
        faults = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check(5)")]
    if faults != ["ok"]:
        raise ResourceError(
            f"{library.store.path} is damaged: {'; '.join(faults)}. Make a new library and import the patent "
            "files again; cases are kept elsewhere and are not touched."
        )
    found.append(f"{library.store.path}: every page is sound.")
    context.check()
    generation = Generation.open(index_folder(library.folder), check=False)
    if generation is None:
        found.append("There is no index yet.")
        return tuple(found)
    checks.verify(generation.folder, generation.manifest.segments, remembered=False)
    found.append(
        f"{generation.folder}: {len(generation.segments)} segments with {generation.passages:,} passages are "
        "byte for byte what was written."
    )
    found.extend(generation.notes)
    return tuple(found)
