"""Title lists: a line each with symbol, level and title, separated by tabs; of the CPC and of the IPC.

The level is empty for section, class and subclass, 0 for a main group and the number of dots for a subgroup.
The title has its references in round brackets and, in the CPC, what the IPC does not have in braces.
"""

from __future__ import annotations

from claimlight.classes.reading.records import Reading, Record, clean, depth_of, find_symbols, make_references
from claimlight.errors import ParseError
from claimlight.formats.parts.symbols import read_class
from claimlight.types import ClassReference

_COLUMNS = 3
_DOTS = 20
"""More dots than any scheme has: a level above is a fault of the file."""
_WORDS_OF_REFERENCE = ("takes precedence", "take precedence", "see ", "provided for in")


def looks_like_title_list(head: str) -> bool:
    """Whether the first line with text is one of a title list."""
    line = next((line for line in head.splitlines() if line.strip()), "")
    cells = line.lstrip("\ufeff").split("\t")
    return (
        len(cells) == _COLUMNS
        and bool(read_class(cells[0]))
        and cells[1].strip().isdigit() | (not cells[1].strip())
    )


def read_title_list(text: str) -> Reading:
    """The entries of a list; raises `ParseError` with the line."""
    reading = Reading()
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        if line.strip():
            reading.records.append(_read_line(line.rstrip("\r"), number))
    return reading


def _read_line(line: str, number: int) -> Record:
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        raise ParseError(f"{len(cells)} columns instead of {_COLUMNS} (symbol, level, title)", line=number)
    symbol = read_class(cells[0])
    if not symbol:
        raise ParseError(f"{cells[0].strip() or 'an empty cell'} is no symbol of CPC or IPC", line=number)
    depth, level = depth_of(symbol), cells[1].strip()
    if level and not (len(level) <= 2 and level.isdecimal() and int(level) <= _DOTS):
        raise ParseError(f"the level {level} is no number of dots", line=number)
    if bool(level) != (" " in symbol):
        raise ParseError(f"{symbol} has the level {level or '(none)'}", line=number)
    title, references = split_references(cells[2])
    return Record(symbol, depth + int(level or 0), title, references=references)


def split_references(title: str) -> tuple[str, list[ClassReference]]:
    """A title without its references and braces, and the references.

    Brackets that name no symbol and refer to nothing, as in ``(bio)absorbable``, remain in the title.
    """
    plain = title.replace("{", "").replace("}", "")
    if "(" not in plain:
        return clean(plain), []
    kept: list[str] = []
    references: list[ClassReference] = []
    opened: list[str] = []
    for sign in plain:
        if sign == "(":
            opened.append("")
        elif sign == ")" and opened:
            inner = opened.pop()
            symbols = find_symbols(inner)
            if not opened and (symbols or any(words in inner for words in _WORDS_OF_REFERENCE)):
                references += make_references(inner)
            else:
                _add(opened, kept, f"({inner})")
        else:
            _add(opened, kept, sign)
    # A bracket that the file does not close is text.
    kept += [f"({inner}" for inner in opened]
    return clean("".join(kept)), references


def _add(opened: list[str], kept: list[str], text: str) -> None:
    if opened:
        opened[-1] += text
    else:
        kept.append(text)
