"""The texts of a document that a classifier reads: title with abstract, and claims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from claimlight.errors import InputError
from claimlight.formats import read_source
from claimlight.formats.plain_text import is_structured, read_plain_text
from claimlight.index.sections import SectionKind, kind_of
from claimlight.services.indexing.encoding import choose_passages
from claimlight.services.library.library import Library
from claimlight.store import repository
from claimlight.store.publication_keys import parse_publication, publication_key
from claimlight.store.values import StoredDocument, StoredPassage
from claimlight.tasks import TaskContext
from claimlight.text.claims import drop_cancelled, read_pasted_claims
from claimlight.text.normalise import normalise
from claimlight.types import (
    ClassText,
    LocalText,
    Patent,
    PatentId,
    Quarantined,
    Section,
    Skipped,
)

READ = {SectionKind.ABSTRACT: Section.ABSTRACT, SectionKind.CLAIMS: Section.CLAIMS}
"""The parts of a document that are read, each as a text of its own."""


def texts_of_document(document: StoredDocument) -> tuple[ClassText, ...]:
    """Title with abstract, and claims, of the language that is indexed; what is missing is left out."""
    passages = choose_passages(document)
    found: list[ClassText] = []
    for kind, section in READ.items():
        text, places = _joined([passage for passage in passages if kind_of(passage.section) is kind])
        if text.strip():
            found.append(ClassText(text, section, places))
    return tuple(found)


def texts_of_file(path: Path, context: TaskContext) -> tuple[ClassText, ...]:
    """Title with abstract, and claims, of the first document in a file; of plain text all of it.

    `InputError` if the file can't be read or holds no text.
    """
    if not is_structured(path):
        text = normalise(read_plain_text(path)).strip()
        if not text:
            raise InputError(f"{path} is empty: there is no text to classify.")
        section = Section.CLAIMS if len(read_pasted_claims(text)) > 1 else Section.ABSTRACT
        return (ClassText(text, section),)
    fault = "it is empty"
    for record in read_source(path, context):
        match record:
            case Patent():
                found = texts_of_patent(record)
                if found:
                    return found
                fault = f"{record.publication} has neither title, abstract nor claims"
            case Quarantined() | Skipped():
                fault = record.reason
    raise InputError(f"{path} contains no text to classify: {fault}.")


def texts_of_patent(patent: Patent) -> tuple[ClassText, ...]:
    """Title with abstract, and claims, each in English before the document's own language."""
    title = _in_one_language(patent.titles, patent.language)
    abstract = _in_one_language(patent.abstracts, patent.language)
    front = "\n".join(part for part in (" ".join(title.split()), abstract.strip()) if part)
    own = drop_cancelled(patent.claims)
    language = _choose_language([claim.language for claim in own], patent.language)
    claims = "\n".join(claim.text for claim in own if claim.language == language)
    found = (ClassText(front, Section.ABSTRACT), ClassText(claims, Section.CLAIMS))
    return tuple(item for item in found if item.text.strip())


def _in_one_language(texts: Sequence[LocalText], own: str) -> str:
    language = _choose_language([item.language for item in texts], own)
    return next((item.text for item in texts if item.language == language), "")


def _choose_language(there: Sequence[str], own: str) -> str:
    """As `choose_passages` chooses: English, else the document's own, else the first."""
    return next((item for item in ("en", own) if item in there), there[0] if there else "")


def read_document(library: Library, patent: PatentId) -> StoredDocument:
    """A document of a library; `InputError` if it is not there."""
    found = repository.read_documents_after(library.store, PatentId(patent - 1), 1)
    if not found or found[0].id != patent:
        raise InputError("The document is no longer in the library.")
    return found[0]


def _joined(passages: Sequence[StoredPassage]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The texts of some passages, a line break between them, and where each begins."""
    places: list[tuple[int, int]] = []
    length = 0
    for passage in passages:
        places.append((int(passage.id), length))
        length += len(passage.text) + 1
    return "\n".join(passage.text for passage in passages), tuple(places)


def document_key(name: str) -> str:
    """A publication number without its kind code, in one spelling; any other name as it is."""
    parsed = parse_publication(name)
    return name if parsed is None else publication_key(parsed.country, parsed.number)
