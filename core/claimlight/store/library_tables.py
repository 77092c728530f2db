"""Tables of a library: documents, their passages, and the sources of imports.

Ids of documents and passages come from counters in ``meta`` and are never reused, because an index outlives
the rows it was built from. The passages of a document are consecutive rows, so a document stores only the
first and their number, and passages need no index.
Days are integers ``yyyymmdd``.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Index, Integer, LargeBinary
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

_CLUSTERED = {"sqlite_with_rowid": False}
"""Rows are stored in primary key order, so that those of one document are adjacent."""


class Library(DeclarativeBase):
    """Base of the tables of ``library.db``, and of those of a shared library."""

    # An integer of SQLite has 64 bits, whatever it is called.
    type_annotation_map = {int: BigInteger().with_variant(Integer(), "sqlite")}  # noqa: RUF012


class Meta(Library):
    """Counters and marks: ``version``, ``next_document``, ``next_passage``."""

    __tablename__ = "meta"
    __table_args__ = _CLUSTERED

    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[int]


class SourceFile(Library):
    """A file that was read: how far, and whether to its end. The resume point of an import."""

    __tablename__ = "source"

    id: Mapped[int] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(unique=True)
    size: Mapped[int]
    modified: Mapped[int]
    """Modification time of the file in nanoseconds."""
    records: Mapped[int]
    """Records committed so far, counted over the whole file."""
    complete: Mapped[bool]


class Document(Library):
    """One publication."""

    __tablename__ = "document"
    __table_args__ = (
        Index("document_key", "number_key", "kind", unique=True),
        Index("document_published", "published"),
        Index("document_filed", "filed"),
        Index("document_priority", "priority"),
        Index("document_family", "family_key"),
        Index("document_application", "application_key"),
        Index("document_source", "source_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    publication: Mapped[str]
    country: Mapped[str]
    number: Mapped[str]
    kind: Mapped[str]
    number_key: Mapped[str]
    """Country and number in the one spelling that all spellings of it share."""
    title: Mapped[str]
    language: Mapped[str]
    published: Mapped[int | None]
    filed: Mapped[int | None]
    priority: Mapped[int | None]
    application_country: Mapped[str]
    application_number: Mapped[str]
    application_key: Mapped[str]
    applicant: Mapped[str]
    classes: Mapped[str]
    """CPC symbols, else IPC, first ones first, one a line."""
    family: Mapped[str]
    """As the office gives it."""
    family_key: Mapped[str]
    digest: Mapped[bytes] = mapped_column(LargeBinary)
    text_length: Mapped[int]
    first_passage: Mapped[int]
    passages: Mapped[int]
    source_id: Mapped[int]
    """File of the record; of a merged document, of the record with its text."""
    modified: Mapped[int]
    """Modification time of that file when it was read, in nanoseconds."""
    member: Mapped[str]
    ordinal: Mapped[int]
    offset: Mapped[int]
    dialect: Mapped[str]
    reading: Mapped[int] = mapped_column(server_default="0")
    """Revision of the reader that read the record; see `claimlight.store.record_merging.READING`."""


class PartOriginRow(Library):
    """The record that a part of a merged document is from; a document of one record has none."""

    __tablename__ = "part_origin"
    __table_args__ = _CLUSTERED

    document_id: Mapped[int] = mapped_column(primary_key=True)
    part: Mapped[str] = mapped_column(primary_key=True)
    richness: Mapped[int]
    """How much the part says; see `claimlight.store.record_merging`."""
    value: Mapped[str]
    """For the language: its value in the record."""
    source_id: Mapped[int]
    modified: Mapped[int]
    member: Mapped[str]
    ordinal: Mapped[int]
    offset: Mapped[int]
    dialect: Mapped[str]
    reading: Mapped[int] = mapped_column(server_default="0")


class Passage(Library):
    """One passage: the only place where text is kept."""

    __tablename__ = "passage"

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int]
    section: Mapped[str]
    label: Mapped[str]
    heading: Mapped[str]
    language: Mapped[str]
    claim: Mapped[int]
    parents: Mapped[str]
    """Claim numbers, separated by spaces."""
    elements: Mapped[str]
    """``start:end:depth`` of each nested claim-text, separated by spaces."""
    text: Mapped[str]


class ClassRow(Library):
    """One classification of a document."""

    __tablename__ = "class_symbol"
    __table_args__ = (Index("class_symbol_scheme", "scheme", "symbol"), _CLUSTERED)

    document_id: Mapped[int] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    scheme: Mapped[str]
    symbol: Mapped[str]
    inventive: Mapped[bool | None]
    first: Mapped[bool]
    version: Mapped[str]


class CitationRow(Library):
    """One citation of a document."""

    __tablename__ = "citation"
    __table_args__ = (Index("citation_cited", "cited_key"), _CLUSTERED)

    document_id: Mapped[int] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    cited_key: Mapped[str | None]
    """`Document.number_key` of the cited publication; NULL for other literature."""
    country: Mapped[str]
    number: Mapped[str]
    kind: Mapped[str]
    text: Mapped[str]
    category: Mapped[str]
    origin: Mapped[str]
    claims: Mapped[str]
    passage: Mapped[str]
    date: Mapped[str] = mapped_column(server_default="")
    """ISO 8601, as far as it was given."""


class PartyRow(Library):
    """A person or organisation of a document."""

    __tablename__ = "party"
    __table_args__ = _CLUSTERED

    document_id: Mapped[int] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    role: Mapped[str]
    name: Mapped[str]
    country: Mapped[str]


class PriorityRow(Library):
    """A priority claim of a document."""

    __tablename__ = "priority"
    __table_args__ = _CLUSTERED

    document_id: Mapped[int] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    country: Mapped[str]
    number: Mapped[str]
    day: Mapped[int | None]
    kind: Mapped[str] = mapped_column(server_default="")


class RelatedRow(Library):
    """A document of the same filing history."""

    __tablename__ = "related"
    __table_args__ = (Index("related_number", "number"), _CLUSTERED)

    document_id: Mapped[int] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    country: Mapped[str]
    number: Mapped[str]
    kind: Mapped[str]
    relation: Mapped[str] = mapped_column(server_default="other")
    day: Mapped[int | None]
    of_country: Mapped[str] = mapped_column(server_default="")
    """The document that has this relation; empty if it is the document itself."""
    of_number: Mapped[str] = mapped_column(server_default="")
    of_kind: Mapped[str] = mapped_column(server_default="")


class PictureRow(Library):
    """A picture that the file of a document names."""

    __tablename__ = "picture"
    __table_args__ = _CLUSTERED

    document_id: Mapped[int] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    file: Mapped[str]
    kind: Mapped[str]
    figures: Mapped[str]
    """Labels of figures, separated by spaces."""
    width: Mapped[int]
    """Millimetres; 0 if unknown."""
    height: Mapped[int]
    landscape: Mapped[bool]


class FamilyAlias(Library):
    """A family that was found to be part of another: documents of one application share a family."""

    __tablename__ = "family_alias"
    __table_args__ = (Index("family_alias_label", "family_key"), _CLUSTERED)

    key: Mapped[str] = mapped_column(primary_key=True)
    family_key: Mapped[str]


class QuarantineRow(Library):
    """A quarantined document, and why."""

    __tablename__ = "quarantine"
    __table_args__ = (Index("quarantine_source", "source_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int]
    member: Mapped[str]
    ordinal: Mapped[int]
    offset: Mapped[int]
    dialect: Mapped[str]
    line: Mapped[int]
    reason: Mapped[str]


class ImportRunRow(Library):
    """One import: when it ran and how it ended; see `claimlight.store.import_runs`."""

    __tablename__ = "import_run"

    number: Mapped[int] = mapped_column(primary_key=True)
    started: Mapped[str]
    """ISO 8601, UTC; imports are ordered by their number, because clocks go back."""
    finished: Mapped[str | None]
    """NULL while it runs, and if it was killed."""
    state: Mapped[str]
    paths: Mapped[str]
    """JSON."""
    milliseconds: Mapped[int]


class ImportFileRow(Library):
    """What one file gave in one import."""

    __tablename__ = "import_file"
    __table_args__ = _CLUSTERED

    run: Mapped[int] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    path: Mapped[str]
    taken: Mapped[int]
    merged: Mapped[int]
    unchanged: Mapped[int]
    skipped: Mapped[int]
    quarantined: Mapped[int]
    reread: Mapped[int] = mapped_column(server_default="0")


class ImportSkipRow(Library):
    """How many documents an import skipped for one reason."""

    __tablename__ = "import_skip"
    __table_args__ = _CLUSTERED

    run: Mapped[int] = mapped_column(primary_key=True)
    reason: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]


class ImportFaultRow(Library):
    """A document that an import quarantined; kept when its file is read again."""

    __tablename__ = "import_fault"
    __table_args__ = (Index("import_fault_run", "run"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run: Mapped[int]
    path: Mapped[str]
    member: Mapped[str]
    ordinal: Mapped[int]
    offset: Mapped[int]
    dialect: Mapped[str]
    line: Mapped[int]
    reason: Mapped[str]


class Removed(Library):
    """A document that was replaced or deleted: what an index must forget."""

    __tablename__ = "removed"

    document_id: Mapped[int] = mapped_column(primary_key=True)
    version: Mapped[int]
    """`library_version` of the commit that removed it."""
    publication: Mapped[str]
