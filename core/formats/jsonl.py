"""One patent per line of JSON: its keys are found by their common names or by a column mapping.

``publication_number`` (or what stands for it) is needed; ``title``, ``abstract``, ``claims`` (a list of
numbered strings or one string), ``description`` with Markdown headings, dates, classes, parties and the
rest of `core.formats.columns.Field` are taken where they are there.
"""

from __future__ import annotations

import json
import re
from typing import Any

from core.errors import ParseError
from core.formats.base import Format
from core.formats.columns import WEAK, Assigned, ColumnMapping, Field, assign, automatic
from core.formats.records import Reader
from core.types import Patent, Source

_KEY = re.compile(rb'"([^"\\]{1,80})"\s*:')
_TELLING = {Field.PUBLICATION, Field.CLAIMS, Field.ABSTRACT, Field.DESCRIPTION}
AUTOMATIC = ColumnMapping()


def sniff(head: bytes) -> int:
    begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not begin.startswith(b"{"):
        return 0
    keys = [key.decode("utf-8", "replace") for key in _KEY.findall(begin.split(b"\n", 1)[0])]
    return 50 if any(automatic(key) in _TELLING and key.lower().strip("_") not in WEAK for key in keys) else 0


def sniff_mapped(head: bytes, mapping: ColumnMapping) -> bool:
    """Whether the first line has a column that the mapping names."""
    begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not begin.startswith(b"{"):
        return False
    keys = {key.decode("utf-8", "replace") for key in _KEY.findall(begin.split(b"\n", 1)[0])}
    return any(name.partition(".")[0] in keys for name in mapping.named())


def read(document: bytes, source: Source) -> Patent:
    """One record; raises `ParseError` where the line is no object or lacks its number."""
    return read_mapped(document, source, AUTOMATIC)


def read_mapped(document: bytes, source: Source, mapping: ColumnMapping) -> Patent:
    """As `read`, with the columns of a mapping."""
    record = _record(document)
    return Reader(record, assign(record, mapping), mapping).patent(source)


def columns_of(document: bytes, mapping: ColumnMapping) -> Assigned:
    """What the keys of one line stand for; nothing where it can't be read."""
    try:
        return assign(_record(document), mapping)
    except ParseError:
        return Assigned((), (), ())


def _record(document: bytes) -> dict[str, Any]:
    try:
        record = json.loads(document.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ParseError(f"not UTF-8: {error.reason} at byte {error.start}", line=1) from error
    except (ValueError, RecursionError) as error:
        raise ParseError(f"not JSON: {error}", line=1) from error
    if not isinstance(record, dict):
        raise ParseError("not a JSON object", line=1)
    return record


FORMAT = Format("jsonl", sniff, read)
