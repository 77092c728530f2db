"""The sentences of findings, plans and results of repairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from claimlight.index.mending import IndexState, Mended
from claimlight.services.repair.book_repair import NONE_GIVEN, BookState
from claimlight.store import migrate
from claimlight.types import LibraryInfo, plural
from claimlight.types.health import Finding
from claimlight.types.repairs import BookSalvaged, LibraryRestored, RepairStep

LIBRARY = "database of the library"
WORDS = "full text of the library"
INDEX = "index of the library"
BOOK = "case book"
_REPAIR = "Run `claimlight doctor --repair --library DIR`; it says first what it will do."
_REPAIR_BOOK = "Run `claimlight doctor --repair`; it says first what it will do."
_RESTORE_BOOK = (
    "An encrypted case book is not repaired here: `claimlight cases restore --force` restores a backup, and "
    "keeps the damaged book."
)
_NO_SEARCH = "Documents are missing or can't be trusted, or the library can't be opened."
_SHOWN = 20

WORDS_REPAIRED = "The words of all documents are indexed again from the texts."
GRAPH_REBUILT = "The dense graph is built again; nothing had to be encoded."


def library_sound(documents: int, *, thorough: bool) -> Finding:
    """The database can be read; ``thorough``: every page and document was."""
    how = "all pages and documents are undamaged" if thorough else "it can be opened and read"
    return Finding(LIBRARY, f"{plural(documents, 'document')}; {how}", figures={"documents": documents})


def library_damaged(reason: str) -> Finding:
    """Pages or documents are not what was written."""
    return Finding(LIBRARY, reason, ok=False, why=_NO_SEARCH, advice=_REPAIR, error="ResourceError")


def library_lost(path: Path) -> Finding:
    """There is no database where one was."""
    return Finding(LIBRARY, f"{path} is gone", ok=False, why=_NO_SEARCH, advice=_REPAIR)


def library_newer(path: Path, version: int) -> Finding:
    """A newer program has written it."""
    known = migrate.LIBRARY.version
    return Finding(
        LIBRARY,
        f"{path} has schema version {version}; this program knows versions up to {known}",
        ok=False,
        why="This program does not know what is in it, so it changes nothing.",
        advice="Open it with a newer Claimlight.",
    )


def library_older(version: int) -> Finding:
    """It is brought to this version when it is opened for writing."""
    return Finding(
        LIBRARY,
        f"schema version {version}, which this program brings to {migrate.LIBRARY.version}",
        why="It was not checked: its documents are checked once it has this version.",
        advice="Open it once where it can be written, with `claimlight library info`, and check it again.",
    )


def library_foreign(path: Path, objects: Sequence[str]) -> Finding:
    """Somebody added tables, views or triggers."""
    return Finding(
        LIBRARY,
        f"{path} holds {', '.join(objects)}, which no Claimlight library has",
        ok=False,
        why="A trigger or a view in a file that was handed over changes what is written and shown.",
        advice="Get the file again from its source, or import the patent files into a new library.",
    )


def words_damaged(reason: str) -> Finding:
    """The index of words does not agree with the texts."""
    return Finding(WORDS, reason, ok=False, why="Queries miss documents, or find wrong ones.", advice=_REPAIR)


def pictures_damaged(reason: str) -> Finding:
    """Drawings that were kept."""
    return Finding(
        "drawings of the library",
        reason,
        ok=False,
        why="Some drawings can't be shown.",
        advice="Move the file away and run `claimlight library drawings` to copy the pictures again.",
    )


def index_refused(reason: str) -> Finding:
    """An index of a newer program."""
    return Finding(
        INDEX,
        reason,
        ok=False,
        why="Only keywords are searched.",
        advice="Open the library with a newer Claimlight.",
    )


def index_damaged(found: IndexState) -> Finding:
    """Segments or the pointer."""
    faults = [*filter(None, (found.pointer_fault,)), *found.faults]
    return Finding(
        INDEX,
        faults[0] + (f" ({len(faults) - 1} more)" if len(faults) > 1 else ""),
        ok=False,
        why="Only keywords are searched.",
        advice=_REPAIR,
        figures={"segments": len(found.segments)},
    )


def graph_damaged(reason: str) -> Finding:
    """Searches read all vectors instead."""
    return Finding(
        INDEX,
        f"the dense graph is damaged: {reason}",
        ok=False,
        why="Semantic search reads every vector, which is slower.",
        advice=_REPAIR,
    )


def other_model(encoder: str) -> Finding:
    """The model in use is another one than that of the index."""
    return Finding(
        INDEX,
        f"it was built with the model package {encoder}, which is not the one in use",
        why="Vectors of two models can't be compared, so only keywords are searched.",
        advice="Choose that package in the settings (encoder.package), or build the index again with "
        "`claimlight index --rebuild`.",
    )


def index_state(info: LibraryInfo, *, again: int, thorough: bool) -> Finding:
    """How much of the library is in a sound index; ``again``: documents whose part of it was damaged."""
    waiting = max(info.waiting, again)
    figures = {"waiting": waiting, "claims_only": info.claims_only}
    if waiting:
        return Finding(
            INDEX,
            f"{plural(waiting, 'document is', 'documents are')} not in it",
            why="These documents are searched by keywords only.",
            advice="Run `claimlight index`.",
            figures=figures,
        )
    rest = f"; {info.claims_only:,} by title, abstract and claims only" if info.claims_only else ""
    how = ", byte by byte" if thorough else ""
    return Finding(
        INDEX, f"{plural(info.indexed_documents, 'document')}{rest}; undamaged{how}", figures=figures
    )


def index_sound(*, thorough: bool) -> Finding:
    """Nothing is wrong with its files."""
    return Finding(INDEX, "undamaged, byte by byte" if thorough else "undamaged")


def book_state(found: BookState) -> Finding:
    """The case book and what there is to repair it with."""
    if found.refused:
        return Finding(
            BOOK, found.refused, ok=False, why="It can't be opened.", advice="Nothing was changed."
        )
    if found.unchecked:
        return Finding(
            BOOK,
            f"{found.path} is encrypted; not checked: {found.unchecked}"
            if found.there
            else f"{found.path} is damaged or gone",
            # A passphrase that was given and does not fit is a check that failed.
            ok=found.there and found.unchecked == NONE_GIVEN,
            why="Nothing of it can be checked without its passphrase.",
            advice="Run `claimlight cases check`, and `claimlight cases restore` if it is damaged: they ask "
            "for the passphrase.",
        )
    if not found.damaged and not found.pages and not found.rows:
        newest = "" if found.newest is None else f"; newest backup of {found.newest.backup.day}"
        how = "encrypted; " if found.encrypted else ""
        return Finding(
            BOOK, f"{how}every row is as it was written{newest}", figures={"backups": found.backups}
        )
    state = found.pages or f"damaged: {found.rows[0]}"
    more = len(found.rows) - 1
    return Finding(
        BOOK,
        state + (f" ({more} more)" if more > 0 and not found.pages else ""),
        ok=False,
        why="Categories, notes or sets are missing or can't be trusted.",
        advice=_RESTORE_BOOK if found.encrypted else _REPAIR_BOOK,
        figures={"rows": len(found.rows), "backups": found.backups},
    )


def bad_backups(found: BookState) -> Finding:
    """Backups that would not be used, or only if there is no other."""
    items = "; ".join(
        f"backup {item.backup.number} of {item.backup.day}: "
        f"{item.fault or plural(item.faults, 'damaged row')}"
        for item in found.bad_backups[:_SHOWN]
    )
    return Finding(
        "backups of the cases",
        items,
        why="Sound backups are used instead of these, which are kept.",
        advice="Check the disk if there are many.",
        figures={"damaged": len(found.bad_backups)},
    )


def package_damaged(name: str, reason: str, *, in_use: bool, shipped: bool) -> Finding:
    """A model package whose files are not those of its manifest."""
    how = (
        "Install Claimlight again."
        if shipped
        else (f"Remove it with `claimlight models remove {name}` and add it again from its source.")
    )
    return Finding(f"package {name}", reason, ok=not in_use, why="It is refused when it is used.", advice=how)


def leftovers(paths: Sequence[Path]) -> Finding:
    """Files that killed processes left."""
    return Finding(
        "unfinished files",
        f"{', '.join(str(path) for path in paths[:_SHOWN])}",
        why="They were left by a process that was killed, take space, and may contain texts of cases.",
        advice="`claimlight doctor --repair` removes them.",
        figures={"files": len(paths)},
    )


def restore(folder: Path) -> RepairStep:
    """Step ``library``."""
    return RepairStep(
        "library",
        f"make a new database for {folder} of every document that is undamaged, and read the others again "
        "from their files",
        "library.db.damaged-N beside it",
    )


def index_words(folder: Path) -> RepairStep:
    """Step ``words``."""
    return RepairStep("words", f"index the words of {folder} again from the texts, in place", "")


def mend(index: Path) -> RepairStep:
    """Step ``index``."""
    return RepairStep(
        "index",
        f"take the damaged parts out of {index}; the rest stays in use",
        f"{index.name}.damaged-N beside it",
    )


def build_graph() -> RepairStep:
    """Step ``graph``."""
    return RepairStep("graph", "build the dense graph again from the vectors of the index", "")


def repair_book(found: BookState) -> RepairStep:
    """Step ``case book``."""
    backup = "its undamaged rows"
    if found.newest is not None:
        backup += f" and backup {found.newest.backup.number} of {found.newest.backup.day}"
    return RepairStep(
        "case book", f"make {found.path} again of {backup}", f"{found.path.name}.damaged-N beside it"
    )


def remove_leftovers(paths: Sequence[Path]) -> RepairStep:
    """Step ``leftovers``."""
    return RepairStep("leftovers", f"remove {plural(len(paths), 'unfinished file')} of killed processes", "")


def leftovers_removed(many: int) -> str:
    """Result of ``leftovers``."""
    return f"{plural(many, 'unfinished file is', 'unfinished files are')} removed."


def library_restored(done: LibraryRestored) -> Iterator[str]:
    """Result of ``library``."""
    yield f"{plural(done.kept_documents, 'undamaged document is', 'undamaged documents are')} kept."
    if done.read_again:
        yield f"{plural(done.read_again, 'document is', 'documents are')} read again, as they were."
    if done.read_differently:
        yield (
            f"{plural(done.read_differently, 'document is', 'documents are')} read from files that say "
            "something else now, or were not known; `claimlight index` indexes them."
        )
    if done.returned:
        yield (
            f"Read from files, though removed or replaced before: {_list(done.returned)}. `claimlight "
            "library remove` removes what you do not want."
        )
    if done.missing:
        yield (
            f"{plural(len(done.missing), 'document is', 'documents are')} missing: {_list(done.missing)}. "
            "If you have their files: `claimlight import`, or repair again with `--from FOLDER`."
        )
    if not done.complete:
        yield "The list of documents could not be read whole: there may have been others."
    if done.index_keeps:
        yield f"The index of {plural(done.index_keeps, 'document')} stays valid."
    if done.kept:
        yield f"The damaged database is kept as {done.kept}."


def index_mended(done: Mended, folder: Path) -> Iterator[str]:
    """Result of ``index``."""
    if done.again or done.descriptions:
        what = " and ".join(
            filter(
                None,
                (
                    plural(done.again, "document") if done.again else "",
                    f"the description of {plural(done.descriptions, 'document')}"
                    if done.descriptions
                    else "",
                ),
            )
        )
        yield f"To be encoded again: {what}. Run `claimlight index --library {folder}`."
    else:
        yield "Nothing has to be encoded again."
    if done.kept:
        yield f"The damaged files are kept in {done.kept}."


def book_repaired(done: BookSalvaged) -> Iterator[str]:
    """Result of ``case book``."""
    if done.backup:
        yield f"The backup {done.backup} of {done.day} was used."
    if done.newer:
        yield f"{plural(done.newer, 'row')} of the damaged book or its backup are back as they were written."
    if done.from_history:
        yield f"As the history of the case says: {_list(done.from_history)}."
    if done.older:
        yield (
            f"As in the backup again, later changes are in the kept file only: {_list(done.older)}. "
            "Check these."
        )
    if done.lost:
        yield f"Neither the history nor a backup has these; they need your decision: {_list(done.lost)}."
    if not done.whole:
        since = f" since {done.day}" if done.day else ""
        yield f"Parts of the book could not be read: look through the cases worked on{since}."
    if done.kept:
        yield f"The damaged book is kept as {done.kept}."


def _list(names: Sequence[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")
