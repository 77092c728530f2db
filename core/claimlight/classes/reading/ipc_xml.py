"""The scheme XML of the IPC, as WIPO's master files have it: nested ``ipcEntry`` below one root.

The root (``IPCScheme``, in older files ``staticIpc``) names the edition. Kinds of entries: ``s`` section,
``t`` subsection, ``c`` class, ``u`` subclass, ``m`` main group, ``1`` to ``9``, ``A``, ``B`` subgroups by
their dots, ``g`` guidance heading, ``i`` subclass index, ``n`` note. Symbols have 14 characters.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from claimlight.classes.reading.records import Reading, Record, clean
from claimlight.errors import ParseError
from claimlight.formats.parts.symbols import read_class
from claimlight.formats.xml.parsing import line_of
from claimlight.types import ClassNote, ClassReference

ROOTS = ("IPCScheme", "staticIpc")
_DEPTHS = {"s": 0, "c": 1, "u": 2, "m": 3} | {kind: 4 + n for n, kind in enumerate("123456789ABC")}
_SIGNS = {"emdash": "—", "endash": "–", "ldash": "–", "nbsp": " ", "degree": "°"}
"""Elements that stand for a character."""


def read_ipc_scheme(root: etree._Element) -> Reading:
    """The entries of a file with local names; raises `ParseError` with the line."""
    edition = root.get("edition", "")
    version = f"{edition[:4]}.{edition[4:6]}" if edition[:6].isdecimal() else ""
    reading = Reading("ipc", version)
    _read_below(root, reading)
    return reading


def _read_below(parent: etree._Element, reading: Reading) -> None:
    heading = ""
    for entry in parent.findall("ipcEntry"):
        kind = entry.get("kind", "")
        depth = _DEPTHS.get(kind)
        if depth is not None:
            reading.records.append(_read_entry(entry, depth, heading))
            heading = ""
        elif kind == "g":
            heading = _read_title(entry)[0]
        elif kind == "n" and reading.records:
            _read_note(entry, reading)
        _read_below(entry, reading)


def _read_entry(entry: etree._Element, depth: int, heading: str) -> Record:
    written = entry.get("symbol", "")
    symbol = read_class(written)
    if not symbol:
        raise ParseError(f"{written or 'an entry'} is no symbol of the IPC", line=line_of(entry))
    title, references = _read_title(entry)
    return Record(
        symbol,
        depth,
        title,
        heading=heading,
        allocatable=depth > 1,
        additional_only=entry.get("entryType") == "I",
        references=references,
    )


def _read_title(entry: etree._Element) -> tuple[str, list[ClassReference]]:
    parts: list[str] = []
    references: list[ClassReference] = []
    for part in entry.findall("textBody/title/titlePart"):
        texts = [_flatten(text) for text in part.findall("text")]
        parts.append(clean(" ".join(texts)))
        for reference in part.findall("entryReference"):
            named: list[str] = []
            text = clean(_flatten(reference, named))
            references.append(ClassReference(text, tuple(dict.fromkeys(named))))
    return clean("; ".join(part for part in parts if part)), references


def _read_note(entry: etree._Element, reading: Reading) -> None:
    """A note belongs to the entry that it names."""
    owner = read_class(entry.get("symbol", ""))
    text = "\n".join(_paragraphs(entry, ""))
    record = next((each for each in reversed(reading.records) if each.symbol == owner), None)
    if record is not None and text:
        record.notes.append(ClassNote(warning=False, text=text))


def _paragraphs(element: etree._Element, indent: str) -> Iterator[str]:
    """The paragraphs of a note as lines, those inside of others indented."""
    for child in element:
        if child.tag != "noteParagraph":
            yield from _paragraphs(child, indent)
            continue
        nested = child.find(".//noteParagraph") is not None
        texts = [_flatten(part) for part in child if part.find(".//noteParagraph") is None]
        text = clean(" ".join([child.text or "", *texts]) if nested else _flatten(child))
        if text:
            yield f"{indent}{text}"
        if nested:
            yield from _paragraphs(child, f"{indent}  ")


def _flatten(element: etree._Element, named: list[str] | None = None) -> str:
    """The text of an element with its references written out; they are added to ``named``."""
    text = element.text or ""
    for child in element:
        if child.tag in ("sref", "mref"):
            ends = [read_class(child.get(name, "")) for name in ("ref", "endRef")]
            written = "-".join(end for end in ends if end)
            text += f" {written}"
            if named is not None and written:
                named.append(written)
        elif child.tag in _SIGNS:
            text += _SIGNS[child.tag]
        else:
            text += _flatten(child, named)
        text += child.tail or ""
    return text
