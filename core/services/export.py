"""Export: the documents of a set, or of the whole library, as a table for spreadsheets and notebooks.

One row for each document, with the CPC symbols at all five levels in columns of their own. Documents
are read and written in small batches, so memory does not grow with the library. The file gets its name
when it is whole and on disk; until then it is a temporary file beside it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from sqlalchemy import Connection

from core import files
from core.errors import InputError, ResourceError
from core.services.export_files import Cell, CellKind, Column, RowWriter, open_writer
from core.services.library import Library
from core.services.rates import Rate
from core.store.front_pages import FrontPage, front_pages
from core.tasks import TaskContext
from core.text.class_levels import ClassLevels, class_levels
from core.types import ExportKind, Party, PatentId, Role, Scheme

BATCH = 250
"""Documents read and written at once."""


_TEXT, _LIST, _DAY, _COUNT = CellKind
COLUMNS = (
    Column("publication", _TEXT, "number with country and kind code"),
    Column("country", _TEXT, "office"),
    Column("number", _TEXT, ""),
    Column("kind", _TEXT, "kind code"),
    Column("published", _DAY, ""),
    Column("filed", _DAY, ""),
    Column("priority", _DAY, "the earliest priority date"),
    Column("application", _TEXT, "application number"),
    Column("priorities", _LIST, "priority numbers"),
    Column("language", _TEXT, "of the document"),
    Column("title", _TEXT, "in the language of the document"),
    Column("abstract", _TEXT, "in the language of the document"),
    Column("other_titles", _LIST, "in other languages, each with its language in front"),
    Column("other_abstracts", _LIST, "in other languages, each with its language in front"),
    Column("applicant", _TEXT, "the name that lists show: assignee, else applicant, else inventor"),
    Column("applicants", _LIST, "applicants and assignees"),
    Column("inventors", _LIST, ""),
    Column("family", _TEXT, "key of the simple family"),
    Column("cpc_section", _LIST, "CPC: A"),
    Column("cpc_class", _LIST, "CPC: A61"),
    Column("cpc_subclass", _LIST, "CPC: A61B"),
    Column("cpc_main_group", _LIST, "CPC: A61B 5"),
    Column("cpc_subgroup", _LIST, "CPC: A61B 5/0205, the whole symbol"),
    Column("ipc", _LIST, "IPC symbols"),
    Column("family_size", _COUNT, "documents of the family in this library"),
    Column("claims", _COUNT, "how many claims"),
    Column("passages", _COUNT, "how many passages"),
    Column("cites", _COUNT, "documents and other literature cited"),
    Column("cited_by", _COUNT, "documents of this library that cite it"),
)
TEXT_COLUMN = Column("text", _TEXT, "title, abstract and claims, one after the other")


def kind_of(path: Path) -> ExportKind:
    """What a file is written as, by its ending."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in list(ExportKind):
        endings = ", ".join(f".{kind.value}" for kind in ExportKind)
        raise InputError(f"{path} does not say what it is to be: let its name end in one of {endings}.")
    return ExportKind(ending)


def export(
    library: Library,
    patents: Sequence[PatentId] | None,
    to: Path | BinaryIO,
    *,
    kind: ExportKind,
    context: TaskContext,
    text: bool = False,
) -> int:
    """Write documents, or with None all of the library, in this order; the number of rows.

    ``text`` adds a column with title, abstract and claims. ``to`` is a file, which is replaced when the new
    one is whole (whatever goes wrong before leaves it as it was), or an open stream, which gets each batch
    as soon as it is read and stays open. Documents the library no longer holds are left out.
    """
    columns = (*COLUMNS, TEXT_COLUMN) if text else COLUMNS
    rows = 0
    with (
        _replacing(to) if isinstance(to, Path) else nullcontext(to) as stream,
        open_writer(kind, stream, columns) as writer,
        library.store.read(context) as connection,
    ):
        ids = _all(connection) if patents is None else patents
        rate = Rate("export", len(ids), "documents", context)
        for some in _batches(ids):
            rows += _write(writer, front_pages(connection, some), text=text)
            rate.advance(len(some))
    return rows


def _write(writer: RowWriter, pages: Sequence[FrontPage], *, text: bool) -> int:
    writer.write([[*_cells(page), *([_text(page)] if text else [])] for page in pages])
    return len(pages)


def _all(connection: Connection) -> Sequence[PatentId]:
    return connection.exec_driver_sql("SELECT id FROM document ORDER BY id").scalars().all()


def _batches(ids: Sequence[PatentId]) -> Iterator[list[int]]:
    remaining = iter(ids)
    while some := [int(item) for item in islice(remaining, BATCH)]:
        yield some


def _cells(page: FrontPage) -> list[Cell]:
    """In the order of `COLUMNS`."""
    number = page.publication
    applicants = _names(page.parties, Role.APPLICANT, Role.ASSIGNEE)
    return [
        *(str(number), number.country, number.number, number.kind),
        *(page.published, page.filed, page.priority),
        str(page.application) if page.application else "",
        tuple(f"{item.country}{item.number}" for item in page.priorities),
        page.language,
        page.titles[0].text if page.titles else "",
        page.abstracts[0].text if page.abstracts else "",
        tuple(f"{item.language}: {item.text}" for item in page.titles[1:]),
        tuple(f"{item.language}: {item.text}" for item in page.abstracts[1:]),
        page.applicant,
        applicants,
        _names(page.parties, Role.INVENTOR),
        page.family,
        *_hierarchy(_first_first(page, Scheme.CPC)),
        tuple(_first_first(page, Scheme.IPC)),
        *(page.family_size, len(page.claims), page.passages, page.cites, page.cited_by),
    ]


def _names(parties: Sequence[Party], *roles: Role) -> tuple[str, ...]:
    return tuple(dict.fromkeys(party.name for party in parties if party.role in roles))


def _first_first(page: FrontPage, scheme: Scheme) -> list[str]:
    """The symbols of a scheme, the main one in front, none twice."""
    found = sorted((item for item in page.classes if item.scheme is scheme), key=lambda item: not item.first)
    return list(dict.fromkeys(item.symbol for item in found))


def _hierarchy(symbols: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """At each level, from section to subgroup, every class the document stands in, once."""
    found = [levels for levels in map(class_levels, symbols) if levels is not None]
    for level in fields(ClassLevels):
        yield tuple(dict.fromkeys(name for item in found if (name := getattr(item, level.name))))


def _text(page: FrontPage) -> str:
    front = (*(item.text for item in (*page.titles[:1], *page.abstracts[:1])), *page.claims)
    return "\n\n".join(front)


def _open(path: Path) -> BinaryIO:
    return cast("BinaryIO", files.open_private(path, "xb"))


def _keep_rights(path: Path, temporary: Path) -> None:
    """A file that the user has opened to others before stays open to them; a new one is his alone."""
    with suppress(OSError):
        temporary.chmod(stat.S_IMODE(path.stat().st_mode))


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the name ``path`` when everything is in it and on disk, and is gone otherwise."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with _open(temporary) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        _keep_rights(path, temporary)
        temporary.replace(path)
        files.sync_folder(path.parent)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        reason = "the disk is full" if full else error.strerror or str(error)
        raise ResourceError(
            f"{path} could not be written: {reason}. What stood under that name is as it was."
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
