"""Documents with the classes they have: from JSON lines, or from a library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from sqlalchemy import select

from claimlight.encoders import EncoderInput
from claimlight.errors import InputError
from claimlight.evaluation.judgements import JudgedFamilies, read_numbered_lines
from claimlight.files import parse_json
from claimlight.services.indexing.encoding import choose_passages
from claimlight.services.library.library import Library
from claimlight.store import repository
from claimlight.store.library_tables import ClassRow, Document
from claimlight.store.values import StoredDocument
from claimlight.tasks import TaskContext
from claimlight.types import PatentId, Progress, Scheme, Section

_STEP = 500


class Part(StrEnum):
    """What of a document is read."""

    TITLE = "title"
    ABSTRACT = "abstract"
    CLAIMS = "claims"


@dataclass(frozen=True, slots=True)
class ClassifiedDocument:
    """A document with its classes."""

    name: str
    title: str
    abstract: str
    claims: tuple[str, ...]
    symbols: tuple[str, ...]
    """CPC or IPC, as deep as they are known."""
    family: str = ""
    """Empty for a document that has no relatives."""

    def input(self, parts: Sequence[Part]) -> EncoderInput:
        """The parts in the order title, abstract, claims, a newline between."""
        texts = {
            Part.TITLE: self.title,
            Part.ABSTRACT: self.abstract,
            Part.CLAIMS: "\n".join(self.claims),
        }
        read = [text for part in Part if part in parts and (text := texts[part].strip())]
        return EncoderInput("\n".join(read), Section.ABSTRACT)


def read_documents(
    path: Path, *, field: str, families: JudgedFamilies | None = None
) -> Iterator[ClassifiedDocument]:
    """Documents of a file of JSON lines, gzipped or not, one object to a line.

    ``_id``, ``title``, ``abstract`` (or ``text``), ``claims`` (a text or a list), the list of symbols under
    ``field``, and ``family``, which the file of families goes before. Only ``_id`` and one text must be
    there; a document without symbols has none. Anything else is an `InputError` with the line.
    """
    seen: set[str] = set()
    for number, row in json_lines(path):
        place = f"{path}, line {number}"
        name = _text(row, "_id", place)
        if not name:
            raise InputError(f'{place}: the document has no "_id".')
        if name in seen:
            raise InputError(f"{place}: {name} was there before; names must differ.")
        seen.add(name)
        document = ClassifiedDocument(
            name=name,
            title=_text(row, "title", place),
            abstract=_text(row, "abstract", place) or _text(row, "text", place),
            claims=_texts(row, "claims", place),
            symbols=_texts(row, field, place),
            family=(families.label(name) if families else "") or _text(row, "family", place),
        )
        if not document.input(tuple(Part)).text:
            raise InputError(f'{place}: {name} has no text under "title", "abstract", "text" or "claims".')
        yield document


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Numbered objects of a file of JSON lines, gzipped or not."""
    for number, line in read_numbered_lines(path):
        try:
            row = parse_json(line)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: this is not JSON ({error}).") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: an object was expected, not {line[:40]!r}.")
        yield number, row


def strings(value: Any) -> tuple[str, ...] | None:
    """A list of texts, or one; None for anything else."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return None


def library_documents(library: Library, scheme: Scheme, context: TaskContext) -> list[ClassifiedDocument]:
    """The documents of a library, by id; of each section the language that is indexed. Reports `Progress`."""
    symbols: dict[int, list[str]] = {}
    with library.store.read(context) as connection:
        query = select(ClassRow.document_id, ClassRow.symbol).where(ClassRow.scheme == scheme.value)
        for row in connection.execute(query.order_by(ClassRow.document_id, ClassRow.position)):
            symbols.setdefault(row.document_id, []).append(row.symbol)
        heads = {
            row.id: (row.title, row.family_key)
            for row in connection.execute(select(Document.id, Document.title, Document.family_key))
        }
    found: list[ClassifiedDocument] = []
    last = PatentId(0)
    while some := repository.read_documents_after(library.store, last, _STEP):
        context.report(Progress("documents", len(found), len(heads), "documents", 0.0, None))
        for stored in some:
            title, family = heads[stored.id]
            found.append(_document(stored, title, family, symbols.get(stored.id, ())))
        last = some[-1].id
    return found


def _document(stored: StoredDocument, title: str, family: str, symbols: Iterable[str]) -> ClassifiedDocument:
    passages = choose_passages(stored)
    abstracts = [passage.text for passage in passages if passage.section.front]
    # An abstract passage begins with the title.
    bodies = [text.removeprefix(title).strip() for text in abstracts]
    return ClassifiedDocument(
        name=str(stored.publication),
        title=title,
        abstract="\n".join(bodies),
        claims=tuple(passage.text for passage in passages if passage.section is Section.CLAIMS),
        symbols=tuple(symbols),
        family=family,
    )


def _text(row: dict[str, Any], key: str, place: str) -> str:
    value = row.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f'{place}: "{key}" must be a text.')
    return value


def _texts(row: dict[str, Any], key: str, place: str) -> tuple[str, ...]:
    value = row.get(key)
    if value is None:
        return ()
    found = strings(value)
    if found is None:
        raise InputError(f'{place}: "{key}" must be a list of texts.')
    return found
