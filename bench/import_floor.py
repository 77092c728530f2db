"""Import of USPTO grants against its floor: each part of the work done bare, and nothing else.

    python -m bench.import_floor [--source FOLDER] [--repeat 3] [--out FILE]

The floor is the sum of three parts, each alone in the same run, in one transaction and with the library's own
tables, pragmas and FTS5 options: ``lxml`` parses the same bytes; ``executemany`` writes the same rows; FTS5
takes the same texts. The import is `import_paths` with one reading process, and with as many as it chooses.
Every run is a process of its own; the best of ``--repeat`` counts. Bars: at most 1.3 times the floor on one
core, 2.5 times faster than that on four, and memory that does not grow with the file.

Three sizes (x1, x4, x16) are made of the grants of ``--source``, numbered anew so that none meets another.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lxml import etree

from core.formats import SourceReader, Unread
from core.services.importing import prepare
from core.services.library import Library, import_paths
from core.settings import Settings, changed
from core.store import rows as layout
from core.store import tables as library_tables
from core.store import writer
from core.store.rows import DocumentRows
from core.tasks import TaskContext

ROOT = Path(__file__).resolve().parents[1]
BAR_ONE, BAR_FOUR = 1.3, 2.5
REAL = ROOT.parent / "shared" / "data" / "xml" / "us-grant-v4"
SAMPLE = ROOT / "resources" / "sample" / "xml"
NUMBER = re.compile(
    rb"(<(?:publication|application)-reference\b.*?<doc-number>)[^<]*(</doc-number>)", re.DOTALL
)


def documents(paths: list[Path]) -> list[bytes]:
    """The grants of some files, each cut out and bare."""
    found = (item for path in paths for item in SourceReader(path, TaskContext()).unread())
    pieces = (item.piece for item in found if isinstance(item, Unread))
    return [piece.data for piece in pieces if b"<us-patent-grant" in piece.head]


def make_source(grants: list[bytes], copies: int, path: Path) -> None:
    """One concatenated file; every document gets a publication and an application number of its own."""
    numbers = itertools.count(20_000_000)
    with path.open("wb") as stream:
        for document in grants * copies:
            number = next(numbers)
            stream.write(NUMBER.sub(rb"\g<1>%d\g<2>" % number, document, count=2).rstrip() + b"\n")


# The floor


def parse_alone(path: Path) -> Callable[[], object]:
    grants = documents([path])

    def run() -> None:
        for document in grants:
            etree.fromstring(document)

    return run


def _prepared(path: Path) -> list[DocumentRows]:
    items = (item for item in SourceReader(path, TaskContext()).unread() if isinstance(item, Unread))
    return [rows for rows in (prepare(item.read()) for item in items) if isinstance(rows, DocumentRows)]


def _connect(folder: Path) -> sqlite3.Connection:
    """An empty library, as the import opens it."""
    Library.create(folder).close()
    connection = sqlite3.connect(folder / "library.db", isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "temp_store = MEMORY", "cache_size = -65536"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def rows_alone(path: Path, folder: Path) -> Callable[[], object]:
    documents, passages = [], []
    children: list[list[tuple]] = [[] for _ in layout.CHILDREN]
    for number, item in enumerate(_prepared(path), 1):
        place = (item.family_keys[0], item.digest, item.text_length, len(passages) + 1, len(item.passages))
        source = (1, 1, item.source.member, item.source.ordinal, item.source.offset, item.source.dialect)
        documents.append((number, *item.document, *place, *source))
        passages += [(n, number, *row) for n, row in enumerate(item.passages, len(passages) + 1)]
        for rows, values in zip(children, item.children, strict=True):
            rows += [(number, *row) for row in values]
    tables = [
        ("document", f"id, {layout.DOCUMENT}, {library_tables.PLACED}", documents),
        ("passage", f"id, document_id, {layout.PASSAGE}", passages),
        *(
            (table, f"document_id, {columns}", rows)
            for (table, columns), rows in zip(layout.CHILDREN, children, strict=True)
        ),
    ]
    connection = _connect(folder)

    def run() -> None:
        connection.execute("BEGIN IMMEDIATE")
        for table, columns, rows in tables:
            marks = ", ".join("?" * (columns.count(",") + 1))
            connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
        connection.execute("COMMIT")

    return run


def fts_alone(path: Path, folder: Path) -> Callable[[], object]:
    texts = [row[-1] for item in _prepared(path) for row in item.passages]
    connection = _connect(folder)

    def run() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO passage_fts (rowid, text) VALUES (?, ?)", enumerate(texts, 1))
        connection.execute("COMMIT")

    return run


# What is measured against it, and the parts it is made of


def import_with(workers: int, path: Path, folder: Path) -> Callable[[], object]:
    library = Library.create(folder)
    settings = changed(Settings(), "imports.workers", workers)
    return lambda: import_paths(library, [path], TaskContext(), settings)


def split_stage(path: Path) -> Callable[[], object]:
    return lambda: documents([path])


def read_stage(path: Path) -> Callable[[], object]:
    """Parse and read the dialect, record by record, nothing kept."""
    items = [item for item in SourceReader(path, TaskContext()).unread() if isinstance(item, Unread)]

    def run() -> None:
        for item in items:
            item.read()

    return run


def rows_stage(path: Path) -> Callable[[], object]:
    records = list(SourceReader(path, TaskContext()))

    def run() -> None:
        for record in records:
            prepare(record)

    return run


def write_stage(path: Path, folder: Path) -> Callable[[], object]:
    """The writer alone, in the batches of the import."""
    library = Library.create(folder)
    prepared = _prepared(path)
    state = writer.SourceState(str(path), 1, 1, len(prepared), complete=True, from_start=True)

    def run() -> None:
        for start in range(0, len(prepared), 200):
            writer.write_batch(library.store, prepared[start : start + 200], (), (state,))

    return run


PARTS: dict[str, Callable[[Path, Path], Callable[[], object]]] = {
    "parse": lambda path, _: parse_alone(path),
    "rows": rows_alone,
    "fts5": fts_alone,
    "import": lambda path, folder: import_with(1, path, folder),
    "import_parallel": lambda path, folder: import_with(0, path, folder),
    "stage_split": lambda path, _: split_stage(path),
    "stage_read": lambda path, _: read_stage(path),
    "stage_rows": lambda path, _: rows_stage(path),
    "stage_write": write_stage,
}
FLOOR = ("parse", "rows", "fts5")


def child(part: str, path: Path) -> None:
    """One part, once, in this process, on one core unless it is the parallel import; prints what it took."""
    if part != "import_parallel" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory(prefix="import-floor-") as folder:
        run = PARTS[part](path, Path(folder, "library"))
        wall, cpu = perf_counter(), process_time()
        run()
        wall, cpu = perf_counter() - wall, process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sys.stdout.write(json.dumps({"seconds": wall, "cpu": cpu, "peak_mib": peak}))


def measure(part: str, path: Path, repeat: int) -> dict[str, float]:
    """The best of some runs, each in a process of its own."""
    command = [sys.executable, "-m", "bench.import_floor", "--child", part, "--path", str(path)]
    runs = [json.loads(subprocess.check_output(command, cwd=ROOT)) for _ in range(repeat)]
    best = {key: min(run[key] for run in runs) for key in ("seconds", "cpu")}
    return {**best, "peak_mib": max(run["peak_mib"] for run in runs)}


def size_row(factor: int, grants: list[bytes], repeat: int, folder: Path) -> dict[str, object]:
    """All parts for one size; the CPU ratio is there because other programs share the machine."""
    path = folder / f"x{factor}.xml"
    part = grants[::4] if factor == 1 else grants
    make_source(part, max(1, factor // 4), path)
    found = {name: measure(name, path, repeat) for name in PARTS}
    path_size = path.stat().st_size
    path.unlink()
    floor = sum(found[name]["seconds"] for name in FLOOR)
    floor_cpu = sum(found[name]["cpu"] for name in FLOOR)
    one, many = found["import"], found["import_parallel"]
    return {
        "factor": factor,
        "documents": len(part) * max(1, factor // 4),
        "megabytes": round(path_size / 1e6, 1),
        "floor_seconds": round(floor, 3),
        "import_seconds": round(one["seconds"], 3),
        "ratio": round(one["seconds"] / floor, 2),
        "ratio_cpu": round(one["cpu"] / floor_cpu, 2),
        "parallel_seconds": round(many["seconds"], 3),
        "parallel_faster": round(one["seconds"] / many["seconds"], 2),
        "peak_mib": round(one["peak_mib"]),
        "parts": {name: {k: round(v, 3) for k, v in values.items()} for name, values in found.items()},
    }


def report(rows: list[dict], source: Path) -> dict[str, object]:
    first, last = rows[0], rows[-1]
    grown = math.log(last["megabytes"] / first["megabytes"]) or math.nan
    return {
        "benchmark": "import_floor",
        "source": source.name,
        "cores": os.cpu_count(),
        "load_after": os.getloadavg()[0],
        "rows": rows,
        "growth_exponent": round(math.log(last["import_seconds"] / first["import_seconds"]) / grown, 2),
        "bar": BAR_ONE,
        "reached": last["ratio"] <= BAR_ONE,
        "bar_parallel": BAR_FOUR,
        "reached_parallel": last["parallel_faster"] >= BAR_FOUR,
        "memory_growth": round(last["peak_mib"] / rows[-2:][0]["peak_mib"], 2),
    }


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=REAL if REAL.is_dir() else SAMPLE)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--child", choices=PARTS)
    parser.add_argument("--path", type=Path)
    return parser.parse_args()


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*") if path.suffix in {".xml", ".zip"})


def main() -> None:
    arguments = options()
    if arguments.child:
        child(arguments.child, arguments.path)
        return
    grants = documents(list(_files(arguments.source)))
    with tempfile.TemporaryDirectory(prefix="import-floor-") as folder:
        rows = [size_row(size, grants, arguments.repeat, Path(folder)) for size in arguments.sizes]
    text = json.dumps(report(rows, arguments.source), indent=2)
    if arguments.out:
        arguments.out.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
