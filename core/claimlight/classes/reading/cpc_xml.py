"""The scheme XML of the CPC: ``class-scheme`` with nested ``classification-item``.

Levels of the file: 2 section, 3 subsection, 4 class, 5 subclass, 6 guidance heading, 7 main group, 8 and more
subgroup. Subsections and headings are no classes; a heading is kept with its first main group.
"""

from __future__ import annotations

from datetime import date

from lxml import etree

from claimlight.classes.reading.records import Move, Reading, Record, clean, find_symbols, make_references
from claimlight.errors import ParseError
from claimlight.formats.parts.symbols import read_class
from claimlight.formats.xml.parsing import line_of
from claimlight.types import ClassNote, ClassReference

ROOT = "class-scheme"
_DEPTHS = {2: 0, 4: 1, 5: 2}
_HEADING, _MAIN_GROUP = 6, 7
_SOURCE, _NOT_USED = "reclass-source", "ipc-not-used"


def read_cpc_scheme(root: etree._Element) -> Reading:
    """The entries of a file; raises `ParseError` with the line."""
    reading = Reading(root.get("scheme-type", ""), root.get("publication-date", "")[:7].replace("-", "."))
    for item in root.findall("classification-item"):
        _read_item(item, reading, "")
    return reading


def _read_item(item: etree._Element, reading: Reading, heading: str) -> None:
    written = item.findtext("classification-symbol") or ""
    symbol, level = read_class(written), item.get("level", "")
    if not symbol or not level.isdecimal() or len(level) > 2:
        raise ParseError(
            f"{written.strip() or 'an entry'} has no symbol or level of the CPC", line=line_of(item)
        )
    title, references = _read_title(item.find("class-title"))
    depth = _DEPTHS.get(int(level), int(level) - _MAIN_GROUP + 3 if int(level) >= _MAIN_GROUP else None)
    below = ""
    if depth is None:
        below = title if int(level) == _HEADING else ""
    else:
        reading.records.append(
            Record(
                symbol,
                depth,
                title,
                heading=heading,
                allocatable=item.get("not-allocatable") != "true",
                additional_only=item.get("additional-only") == "true",
                frozen=item.get("status") == "frozen",
                revised=_read_day(item.get("date-revised", "")),
                concordant=read_class(item.get("ipc-concordant", "")),
                notes=_read_notes(item),
                references=references,
            )
        )
        reading.moves += _read_moves(item, symbol)
    for number, child in enumerate(item.findall("classification-item")):
        _read_item(child, reading, "" if number else below)


def _read_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _read_title(title: etree._Element | None) -> tuple[str, list[ClassReference]]:
    references: list[ClassReference] = []
    if title is None:
        return "", references
    parts = []
    for part in title.findall("title-part"):
        texts: list[str] = []
        _read_part(part, texts, references)
        parts.append(clean("".join(texts)))
    return clean("; ".join(part for part in parts if part)), references


def _read_part(element: etree._Element, texts: list[str], references: list[ClassReference]) -> None:
    """The text of a title part outside its references, and these."""
    for child in element:
        if child.tag == "reference":
            references += make_references("".join(map(str, child.itertext())))
        elif child.tag == "text":
            texts.append("".join(map(str, child.itertext())))
        else:
            _read_part(child, texts, references)


def _read_notes(item: etree._Element) -> list[ClassNote]:
    notes = item.findall("notes-and-warnings/note")
    found = [ClassNote(note.get("type") == "warning", "\n".join(_paragraphs(note, ""))) for note in notes]
    return [note for note in found if note.text]


def _paragraphs(parent: etree._Element, indent: str) -> list[str]:
    """The paragraphs of a note as lines; subnotes are indented, rows of a table are lines."""
    lines: list[str] = []
    for paragraph in parent.findall("note-paragraph"):
        text, below = _read_paragraph(paragraph, indent)
        lines += [f"{indent}{clean(line)}" for line in text.split("\n") if clean(line)] + below
    return lines


def _read_paragraph(element: etree._Element, indent: str) -> tuple[str, list[str]]:
    text, below = element.text or "", list[str]()
    for child in element:
        if child.tag == "subnote":
            below += _paragraphs(child, f"{indent}  ")
        elif child.tag == "table":
            rows = (_row(row) for row in child.iter("row"))
            below += [f"{indent}  {row}" for row in rows if row]
        elif child.tag == "br":
            text += "\n"
        else:
            inner, deeper = _read_paragraph(child, indent)
            text += inner
            below += deeper
        text += child.tail or ""
    return text, below


def _row(row: etree._Element) -> str:
    cells = (clean("".join(map(str, entry.itertext()))) for entry in row.findall("entry"))
    return " ".join(cell for cell in cells if cell)


def _read_moves(item: etree._Element, symbol: str) -> list[Move]:
    """What the warnings of an entry say of documents that went or are going elsewhere."""
    moves: list[Move] = []
    for paragraph in item.findall("notes-and-warnings/note/note-paragraph"):
        kind = paragraph.get("warning-type")
        text = clean("".join(map(str, paragraph.itertext())))
        if kind == _SOURCE:
            targets = [target for target in find_symbols(text) if target != symbol]
            if targets:
                moves.append(Move(symbol, tuple(targets), text))
        elif kind == _NOT_USED:
            # A row each: the symbols of the IPC, then those of the CPC that cover them.
            for row in paragraph.iter("row"):
                entries = row.findall("entry")
                if len(entries) > 1:
                    moves += _not_used(entries)
    return moves


def _not_used(entries: list[etree._Element]) -> list[Move]:
    sources = find_symbols("".join(map(str, entries[0].itertext())))
    targets = find_symbols(" ".join("".join(map(str, entry.itertext())) for entry in entries[1:]))
    text = clean(" ".join(clean("".join(map(str, entry.itertext()))) for entry in entries))
    return [Move(source, targets, text) for source in sources if targets and "-" not in source]
