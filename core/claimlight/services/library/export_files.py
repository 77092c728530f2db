"""The three kinds of file an export writes, row by row: CSV, JSON lines and Parquet."""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from importlib.util import find_spec
from typing import Any, BinaryIO, Protocol

from claimlight.errors import ResourceError
from claimlight.types import ExportKind

Record = dict[str, Any]
"""One object of a column of records: its fields by name."""
Cell = str | int | date | tuple[str, ...] | tuple[Record, ...] | None
JOINT = "; "
"""Between the values of a list in CSV."""
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "|", "\t", "\r", "\n", "'")
"""What spreadsheets begin a formula with, wide forms of East Asian keyboards and old macro signs included."""
ROW_GROUP = 2_000
"""Rows of one Parquet row group at most: what is held in memory at once."""
GROUP_CHARACTERS = 16 << 20
"""Text after which a row group is closed before it has all its rows: descriptions are long."""


class CellKind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    LIST = "list"
    DAY = "day"
    COUNT = "count"
    FLAG = "flag"
    """True, false, or null where the office does not say; in records only."""
    NUMBERS = "numbers"
    """In records only."""
    RECORDS = "records"
    """A list of objects, all with the same fields."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table, or one field of its records."""

    name: str
    kind: CellKind
    help: str = ""
    fields: tuple[Column, ...] = ()
    """Of records."""
    line: Callable[[Record], str] | None = None
    """How a record is written where cells are text (CSV)."""
    joint: str = JOINT
    """What stands between the lines of records there."""


class RowWriter(Protocol):
    """Takes rows; cells stand in the order of the columns."""

    def write(self, rows: Sequence[Sequence[Cell]]) -> None: ...


def open_writer(
    kind: ExportKind, stream: BinaryIO, columns: Sequence[Column]
) -> AbstractContextManager[RowWriter]:
    """A writer of one kind; everything has gone into ``stream`` when the block is left."""
    match kind:
        case ExportKind.CSV:
            return _csv(stream, columns)
        case ExportKind.JSONL:
            return _jsonl(stream, columns)
        case ExportKind.PARQUET:
            return _parquet(stream, columns)


def harmless(text: str) -> str:
    """A cell no spreadsheet takes for a formula: what begins like one gets an apostrophe in front.

    So does what begins with an apostrophe; a reader that wants the text takes one leading apostrophe away.
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


class _Utf8:
    """Text into a stream of bytes, with no buffer of its own that could outlive a fault."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(text.encode())


class _CsvRows:
    def __init__(self, stream: BinaryIO, columns: Sequence[Column]) -> None:
        self._rows = csv.writer(_Utf8(stream))
        self._columns = columns
        self._rows.writerow([column.name for column in columns])

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        self._rows.writerows(
            [_csv_cell(cell, column) for cell, column in zip(row, self._columns, strict=True)] for row in rows
        )


def _csv_cell(cell: Cell, column: Column) -> str | int:
    if column.line is not None and isinstance(cell, tuple):
        return harmless(column.joint.join(column.line(item) for item in cell if isinstance(item, dict)))
    match cell:
        case None:
            return ""
        case int():
            return cell
        case date():
            return cell.isoformat()
        case tuple():
            return harmless(JOINT.join(item for item in cell if isinstance(item, str)))
    return harmless(cell)


@contextmanager
def _csv(stream: BinaryIO, columns: Sequence[Column]) -> Iterator[RowWriter]:
    """As RFC 4180 has it, in UTF-8 with the mark by which spreadsheets know it."""
    stream.write(codecs.BOM_UTF8)
    yield _CsvRows(stream, columns)


class _JsonRows:
    def __init__(self, stream: BinaryIO, columns: Sequence[Column]) -> None:
        self._stream = stream
        self._names = [column.name for column in columns]

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        for row in rows:
            body = dict(zip(self._names, row, strict=True))
            line = json.dumps(body, ensure_ascii=False, default=date.isoformat)
            self._stream.write(line.encode() + b"\n")


@contextmanager
def _jsonl(stream: BinaryIO, columns: Sequence[Column]) -> Iterator[RowWriter]:
    yield _JsonRows(stream, columns)


class _ParquetRows:
    """Gathers rows to groups; one group is in memory at a time."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema
        self._waiting: list[Sequence[Cell]] = []
        self._characters = 0

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        for row in rows:
            self._waiting.append(row)
            self._characters += _characters(row)
            if len(self._waiting) >= ROW_GROUP or self._characters >= GROUP_CHARACTERS:
                self.flush()

    def flush(self) -> None:
        import pyarrow

        if self._waiting:
            columns = zip(*self._waiting, strict=True)
            arrays = [pyarrow.array(c, field.type) for c, field in zip(columns, self._schema, strict=True)]
            self._writer.write_batch(pyarrow.record_batch(arrays, schema=self._schema))
            self._waiting, self._characters = [], 0


def _characters(cells: Iterable[Any]) -> int:
    """How much text there is, in records too."""
    found = 0
    for cell in cells:
        if isinstance(cell, str):
            found += len(cell)
        elif isinstance(cell, tuple):
            found += _characters(cell)
        elif isinstance(cell, dict):
            found += _characters(cell.values())
    return found


@contextmanager
def _parquet(stream: BinaryIO, columns: Sequence[Column]) -> Iterator[RowWriter]:
    """Lists are lists, days are dates, counts are integers; compressed with zstd."""
    if find_spec("pyarrow") is None:
        raise ResourceError(
            "Parquet needs the package pyarrow, which is not installed: install claimlight[export], or write "
            "CSV (.csv) or JSON lines (.jsonl), which need nothing more."
        )
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([(column.name, _arrow_type(column)) for column in columns])
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        rows = _ParquetRows(writer, schema)
        yield rows
        rows.flush()


def _arrow_type(column: Column) -> Any:
    import pyarrow

    match column.kind:
        case CellKind.TEXT:
            return pyarrow.string()
        case CellKind.LIST:
            return pyarrow.list_(pyarrow.string())
        case CellKind.DAY:
            return pyarrow.date32()
        case CellKind.COUNT:
            return pyarrow.int32()
        case CellKind.FLAG:
            return pyarrow.bool_()
        case CellKind.NUMBERS:
            return pyarrow.list_(pyarrow.int32())
        case CellKind.RECORDS:
            of = pyarrow.struct([(field.name, _arrow_type(field)) for field in column.fields])
            return pyarrow.list_(of)
