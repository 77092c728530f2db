"""What is fuzzed: every reader of something that comes from outside, with the good inputs it is fed on.

The good inputs are samples of the test suite, parts of the sample library, and files that are made here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz import mutating, package_targets, stored_targets
from tests.fuzz.making import Made, make_archives, make_parquet, make_pictures, with_secret

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "core" / "formats" / "samples"


@dataclass(frozen=True, slots=True)
class Target:
    """A reader and its inputs."""

    name: str
    make: Callable[[Path], Made]
    """Good inputs and the reader, which may use the folder."""
    words: tuple[bytes, ...] = ()
    """Words of the format that are put into inputs."""
    weight: float = 1.0
    """Its share of the executions of a run; below 1 where one takes long."""
    native: bool = False
    """Whether a library in C reads the input and may end the process: only `python -m tests.fuzz` runs it."""


def _reads_file(seeds: list[bytes], name: str) -> Callable[[Path], Made]:
    def make(folder: Path) -> Made:
        from claimlight.formats import SourceReader
        from claimlight.services.library.importing import make_rows
        from claimlight.tasks import TaskContext

        path = folder / name

        def read(data: bytes) -> object:
            path.write_bytes(with_secret(data, folder))
            # As an import does: what can't be stored is quarantined as well.
            return [make_rows(record) for record in SourceReader(path, TaskContext())]

        return seeds, read

    return make


def _formats() -> list[Target]:
    found = []
    for folder in sorted(SAMPLES.iterdir()):
        # Beside each sample is the record that is expected of it, ``NAME.json``.
        files = sorted(path for path in folder.iterdir() if path.with_name(f"{path.name}.json").exists())
        seeds = [path.read_bytes() for path in files]
        head = seeds[0].lstrip()[:1]
        words = {b"<": mutating.XML, b"{": mutating.JSON, b"[": mutating.JSON}.get(head, mutating.TABLE)
        found.append(Target(f"format {folder.name}", _reads_file(seeds, files[0].name), words))
    return found


def _archives(folder: Path) -> Made:
    from claimlight.formats.containers import picture_files
    from claimlight.tasks import TaskContext

    seeds = make_archives((SAMPLES / "patent-document" / "pump.xml").read_bytes())
    _, documents = _reads_file(seeds, "file")(folder)

    def read(data: bytes) -> object:
        records = documents(data)
        found = picture_files.read_archived(
            folder / "file", lambda _: True, TaskContext(), enter=lambda _: True
        )
        return records, list(found)

    return seeds, read


def _parquet(folder: Path) -> Made:
    return _reads_file(make_parquet(folder), "rows.parquet")(folder)


def _pictures(folder: Path) -> Made:
    from claimlight.services.drawings import decoding

    def read(data: bytes) -> object:
        return decoding.count_sheets(data), decoding.decode(data, longest=120)

    return make_pictures(), read


def _titles(folder: Path) -> Made:
    return _schemes(folder, ["TITLES_B", "TITLES_H"], "cpc-2024.01.tsv")


def _scheme_xml(folder: Path) -> Made:
    return _schemes(folder, ["CPC_XML", "IPC_XML"], "scheme-2024.01.xml")


def _schemes(folder: Path, names: list[str], file: str) -> Made:
    from claimlight.classes.editions import Editions
    from claimlight.classes.importing import import_edition
    from claimlight.tasks import TaskContext
    from claimlight.types import Scheme
    from tests.core.classes import invented

    seeds = [getattr(invented, name).encode() for name in names]
    path = folder / file

    def read(data: bytes) -> object:
        path.write_bytes(with_secret(data, folder))
        for left in (folder / "Classes").glob("*.db"):
            left.unlink()
        report = import_edition(
            Editions(folder / "Classes"), path, TaskContext(), scheme=Scheme.CPC, version="2024.01"
        )
        return report.info.entries

    return seeds, read


def _query(folder: Path) -> Made:
    from claimlight.retrieval.boolean import canonical
    from claimlight.retrieval.boolean.operators import EXAMPLES
    from claimlight.retrieval.boolean.parser import parse
    from tests.core.services.sets.set_fakes import LINES, PATENTS, WORDS, index, numbers, run, searcher
    from tests.fakes import library, stack

    made, model = library(folder / "L", PATENTS), stack(WORDS)
    index(made, model)
    sets = searcher(made, model)
    lines = [*LINES[:2], LINES[3], *(text for text, _ in EXAMPLES)]
    lines += ["(bicycle OR kettle$3) NEAR3 frame.ti,clm.", "PD<20100101 NOT XOR wheel?", "A61K/low AND 55"]

    def read(data: bytes) -> object:
        line = data.decode("utf-8", "replace")
        sets.complete(line, min(len(line), 7))
        node = parse(line)
        text = canonical.format_canonical(node)
        if canonical.format_canonical(parse(text)) != text:
            raise AssertionError(f"{line!r} and its canonical form {text!r} differ")
        return text, numbers(run(sets, line))

    return [line.encode() for line in lines], read


def _claims(folder: Path) -> Made:
    from claimlight.services.search import queries

    texts = [
        "1. A bicycle comprising: a frame (10); a viscous damper (12a); and a brake.\n"
        "2. The bicycle of claim 1, wherein the brake (14) is a disc.\n"
        "3. A kettle according to any of claims 1-2.",
        "What is claimed is: 1. Fahrrad mit einem Rahmen (3), dadurch gekennzeichnet, dass (a) er federt; "
        "(b) er rostet. 2. Fahrrad nach Anspruch 1.",
    ]

    def read(data: bytes) -> object:
        text = data.decode("utf-8", "replace")
        found = [item.number for item in queries.claims_of_text(text)]
        return found, queries.query_from_text(text)

    return [text.encode() for text in texts], read


def _judged(folder: Path) -> Made:
    from claimlight.evaluation import judgements, runs

    path = folder / "judged"

    def read(data: bytes) -> object:
        path.write_bytes(data)
        found: list[object] = []
        from claimlight.errors import AppError

        for reader in (judgements.read_judgements, judgements.read_families, runs.read_run,
                       lambda at: list(judgements.read_texts(at))):  # fmt: skip
            try:
                found.append(reader(path))
            except AppError as error:
                found.append(str(error))
        return found

    seeds = [b"q1 0 US1 1\nq1 0 US2 0\n", b"q1 Q0 US1 1 3.5 run\nq1 Q0 US2 2 1.5 run\n",
             b'{"_id": "q1", "title": "A", "text": "a damper"}\n{"_id": "q2", "text": "b"}\n']  # fmt: skip
    return seeds, read


TARGETS: tuple[Target, ...] = (
    *_formats(),
    Target("archives", _archives, mutating.ZIP, 2),
    Target("parquet", _parquet, (b"PAR1",), native=True),
    Target("pictures", _pictures, (b"%PDF-", b"endobj", b"\xff\xd8\xff", b"IHDR", b"IDAT"), 0.5, native=True),
    Target("classes titles", _titles, mutating.TABLE, 0.5),
    Target("classes xml", _scheme_xml, mutating.XML, 0.5),
    Target("query line", _query, mutating.QUERY, 2),
    Target("claims", _claims, (b"1. ", b"claim ", b"(", b")", b"; ", b"wherein", b"nach Anspruch ")),
    Target("judged data", _judged, (*mutating.TABLE, *mutating.JSON), 0.5),
    *(Target(name, make, words, weight, native)
      for name, make, words, weight, native in (*package_targets.TARGETS, *stored_targets.TARGETS)),
)  # fmt: skip
