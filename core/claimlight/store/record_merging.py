"""Merges the records of one publication into one document, part by part.

Each part is kept from the best record so far. Records are totally ordered: more content, then the newer
file, then the greater digest, then the place. So the result does not depend on the order, number and
batches of imports, and only the best need be stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple

from claimlight.store.content import TEXT_PARTS, Content, Row, read_content
from claimlight.store.rows import DocumentRows, make_rows
from claimlight.types import Part, PublicationNumber, Relation, Source

READING = 3
"""Revision of the reader, `claimlight.formats`.

Raise it when the reader extracts more, or other data, from the same file: records of an older reader are then
read again when their file is imported again.
"""

_BEARERS = (Part.DESCRIPTION, Part.CLAIMS, Part.ABSTRACTS, Part.TITLES, *Part)
"""The source of a document is the record of the first of these parts that it has."""
_LANGUAGE = 6
"""Column of the language in a row of a document."""
# The EPO prints seven digits, with leading zeros.
_EP_DIGITS = 7
_KEYED = 2
"""Leading columns of a citation that are not from the record: position and key."""


class Place(NamedTuple):
    """The place of a record, and the time of its file when it was read."""

    modified: int
    """Nanoseconds."""
    path: str
    member: str
    ordinal: int
    offset: int
    dialect: str
    reading: int = READING
    """The revision of the reader that read it there."""

    @classmethod
    def of(cls, source: Source, modified: int) -> Place:
        return cls(modified, source.path, source.member, source.ordinal, source.offset, source.dialect)

    def reads_again(self, older: Place) -> bool:
        """Whether this is the record of ``older``, read by a newer reader."""
        return (
            self.reading > older.reading
            and (self.path, self.member, self.ordinal) == (older.path, older.member, older.ordinal)
            and self.modified >= older.modified
        )

    @property
    def source(self) -> Source:
        """Without the time and the reader."""
        return Source(self.path, self.member, self.ordinal, self.offset, self.dialect)


class Stamp(NamedTuple):
    """How good a part is, and the record it is from; the greater one wins."""

    richness: int
    modified: int
    digest: bytes
    place: Place

    def beats(self, other: Stamp) -> bool:
        """Whether the part is to be kept; of one record, what the newer reader made of it counts."""
        if self.place.reads_again(other.place) or other.place.reads_again(self.place):
            return self.place.reading > other.place.reading
        return self > other


@dataclass(frozen=True, slots=True)
class Merged:
    """A document with the record each of its parts is from."""

    content: Content
    stamps: dict[Part, Stamp]
    """Stamps of the parts that are not empty."""
    seen: Place
    """The record of a document without any part."""

    @classmethod
    def of_record(cls, rows: DocumentRows, place: Place) -> Merged:
        """A single record."""
        content = read_content(rows.document, rows.passages, rows.children)
        return cls.of_content(content, place, rows.text_length)

    @classmethod
    def of_content(cls, content: Content, place: Place, text_length: int) -> Merged:
        """A document whose parts are all from one record."""
        stamps = {}
        for part in Part:
            # The language goes with the longest text; plus one, as a record without text has a language too.
            richness = text_length + 1 if part is Part.LANGUAGE else measure_richness(content, part)
            if content.part(part) and richness:
                stamps[part] = Stamp(richness, place.modified, digest_content(content, part), place)
        return cls(content, stamps, place)

    def joined(self, other: Merged) -> Merged:
        """Both merged: the better of each part, without parts that a newer reader no longer finds."""
        values: dict[str, object] = {}
        stamps: dict[Part, Stamp] = {}
        for part in Part:
            mine, theirs = self.stamps.get(part), other.stamps.get(part)
            if theirs is not None and (mine is None or theirs.beats(mine)):
                stamps[part] = theirs
                values[part.value] = other.content.part(part)
            elif mine is not None and (theirs is not None or not other.seen.reads_again(mine.place)):
                stamps[part] = mine
            elif mine is not None:
                values[part.value] = other.content.part(part)
        values["publication"] = max(self.content.publication, other.content.publication, key=_rank_spelling)
        content = replace(self.content, **values)  # type: ignore[arg-type]
        return Merged(content, stamps, max(self.seen, other.seen))

    @property
    def place(self) -> Place:
        """The record that is stored as the source of the document."""
        return next((self.stamps[part].place for part in _BEARERS if part in self.stamps), self.seen)

    def told_by(self, rows: DocumentRows) -> bool:
        """Whether all parts are from one record, so that no origins need be stored."""
        language = self.stamps.get(Part.LANGUAGE)
        whole = language is None or (
            language.richness == rows.text_length + 1 and self.content.language == rows.document[_LANGUAGE]
        )
        return whole and len({stamp.place for stamp in self.stamps.values()}) <= 1

    def rows(self) -> DocumentRows:
        """The rows of the document."""
        return make_rows(self.content, self.place.source)

    def moved(self, place: Place) -> Merged:
        """The same from another record that says the same."""
        stamps = {
            part: stamp._replace(modified=place.modified, place=place) for part, stamp in self.stamps.items()
        }
        return Merged(self.content, stamps, place)

    def clashes(self, other: Merged) -> Iterator[Part]:
        """The parts that differ between equally good records; which one is kept is arbitrary."""
        for part in self.stamps.keys() & other.stamps.keys():
            one, two = self.stamps[part], other.stamps[part]
            if one.digest != two.digest and not two.place.reads_again(one.place):
                mine, theirs = normalise_content(self.content, part), normalise_content(other.content, part)
                if not (mine <= theirs or theirs <= mine):
                    yield part

    def reads_again(self, place: Place) -> bool:
        """Whether a part is from the record at ``place``, as an older reader read it."""
        places = {self.seen, *(stamp.place for stamp in self.stamps.values())}
        return any(place.reads_again(older) for older in places)

    def differs(self, other: Merged) -> Iterator[Part]:
        """The parts with another content."""
        for part in Part:
            mine, theirs = self.stamps.get(part), other.stamps.get(part)
            if (mine and mine.digest) != (theirs and theirs.digest):
                yield part


def measure_richness(content: Content, part: Part) -> int:
    """Amount of content: characters of texts, filled cells of tables; 0 if empty."""
    value = content.part(part)
    if part in TEXT_PARTS:
        assert isinstance(value, tuple)
        return sum(len(str(row[-1])) for row in value)
    if isinstance(value, tuple):
        rows = value if value and isinstance(value[0], tuple) else (value,)
        return sum(_count_filled(row, part) for row in rows)
    return int(bool(value))


def _count_filled(row: Row, part: Part) -> int:
    cells = row if part is Part.APPLICATION else row[_KEYED if part is Part.CITATIONS else 1 :]
    unsaid = Relation.OTHER.value if part is Part.RELATED else ""
    return sum(cell not in (None, "", False, unsaid) for cell in cells)


def normalise_content(content: Content, part: Part) -> frozenset[object]:
    """The content of a part without regard to order, line breaks and letter case."""
    value = content.part(part)
    if part in TEXT_PARTS:
        assert isinstance(value, tuple)
        cut = 2 if part is Part.CLAIMS else 0 if part is Part.DESCRIPTION else 1
        return frozenset((*row[:cut], " ".join(str(row[-1]).split()).casefold()) for row in value)
    if part is Part.APPLICATION:
        return frozenset((place, cell) for place, cell in enumerate(content.application) if cell)
    if isinstance(value, tuple):
        return frozenset(_identify_row(row, part) for row in value)
    return frozenset() if part is Part.LANGUAGE else frozenset([value])


def _identify_row(row: Row, part: Part) -> object:
    """The identifying columns of a row, without descriptive ones."""
    if part is Part.CITATIONS:
        return row[1] or str(row[5]).casefold()
    if part is Part.CLASSES:
        return row[1:3]
    return tuple(str(cell).casefold() for cell in row[1:3])


def digest_content(content: Content, part: Part) -> bytes:
    """Digest of the normalised content of a part."""
    value = content.part(part)
    # Without the key, which is derived: another version of the program may derive it differently.
    if part is Part.CITATIONS:
        value = tuple(row[_KEYED:] for row in content.citations)
    return blake2b(repr(value).encode(), digest_size=16).digest()


def _rank_spelling(publication: PublicationNumber) -> tuple[bool, int, str]:
    """Rank of the spellings of one number: as the office prints it, then the longest."""
    number = publication.number
    printed = len(number) == _EP_DIGITS if publication.country == "EP" else not number.startswith("0")
    return (printed, len(number), number)
