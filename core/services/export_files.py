"""The three kinds of file an export writes, row by row: CSV, JSON lines and Parquet."""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from importlib.util import find_spec
from typing import Any, BinaryIO, Protocol

from core.errors import ResourceError
from core.types import ExportKind

Cell = str | int | date | tuple[str, ...] | None
JOINT = "; "
"""Between the values of a list in CSV."""
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "|", "\t", "\r", "\n", "'")
"""What spreadsheets begin a formula with, wide forms of East Asian keyboards and old macro signs included."""
ROW_GROUP = 2_000
"""Rows of one Parquet row group: what is held in memory at once."""


class CellKind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    LIST = "list"
    DAY = "day"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table."""

    name: str
    kind: CellKind
    help: str


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
    def __init__(self, stream: BinaryIO) -> None:
        self._rows = csv.writer(_Utf8(stream))

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        self._rows.writerows([_csv_cell(cell) for cell in row] for row in rows)


def _csv_cell(cell: Cell) -> str | int:
    match cell:
        case None:
            return ""
        case int():
            return cell
        case date():
            return cell.isoformat()
        case tuple():
            return harmless(JOINT.join(cell))
    return harmless(cell)


@contextmanager
def _csv(stream: BinaryIO, columns: Sequence[Column]) -> Iterator[RowWriter]:
    """As RFC 4180 has it, in UTF-8 with the mark by which spreadsheets know it."""
    stream.write(codecs.BOM_UTF8)
    rows = _CsvRows(stream)
    rows.write([[column.name for column in columns]])
    yield rows


class _JsonRows:
    def __init__(self, stream: BinaryIO, columns: Sequence[Column]) -> None:
        self._stream = stream
        self._names = [column.name for column in columns]

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        for row in rows:
            cells = (cell.isoformat() if isinstance(cell, date) else cell for cell in row)
            body = dict(zip(self._names, cells, strict=True))
            self._stream.write(json.dumps(body, ensure_ascii=False).encode() + b"\n")


@contextmanager
def _jsonl(stream: BinaryIO, columns: Sequence[Column]) -> Iterator[RowWriter]:
    yield _JsonRows(stream, columns)


class _ParquetRows:
    """Gathers rows to groups; one group is in memory at a time."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer, self._schema = writer, schema
        self._waiting: list[Sequence[Cell]] = []

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        self._waiting += rows
        if len(self._waiting) >= ROW_GROUP:
            self.flush()

    def flush(self) -> None:
        import pyarrow

        if self._waiting:
            columns = zip(*self._waiting, strict=True)
            arrays = [pyarrow.array(c, field.type) for c, field in zip(columns, self._schema, strict=True)]
            self._writer.write_batch(pyarrow.record_batch(arrays, schema=self._schema))
            self._waiting = []


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

    types = {
        CellKind.TEXT: pyarrow.string(),
        CellKind.LIST: pyarrow.list_(pyarrow.string()),
        CellKind.DAY: pyarrow.date32(),
        CellKind.COUNT: pyarrow.int32(),
    }
    schema = pyarrow.schema([(column.name, types[column.kind]) for column in columns])
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        rows = _ParquetRows(writer, schema)
        yield rows
        rows.flush()
