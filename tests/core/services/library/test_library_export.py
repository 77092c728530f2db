"""Export: what comes out reads back as what is in the library, and a fault never leaves half a file."""

from __future__ import annotations

import codecs
import csv
import errno
import gc
import json
import os
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight.errors import InputError, ResourceError, TaskCancelled
from claimlight.services.library import export as exports
from claimlight.services.library import export_files
from claimlight.services.library.export import export, kind_of
from claimlight.services.library.export_columns import COLUMNS, LISTED, TEXT_COLUMN, WHOLE
from claimlight.services.library.export_files import CellKind, harmless
from claimlight.services.library.library import Library
from claimlight.tasks import TaskContext
from claimlight.types import (
    Citation,
    Claim,
    ClaimElement,
    ClassSymbol,
    ExportKind,
    LocalText,
    Origin,
    Party,
    PatentId,
    Priority,
    Progress,
    PublicationNumber,
    Related,
    Relation,
    Role,
    Scheme,
    Source,
)
from tests.core.store import invented
from tests.fakes import add, library, patent
from tests.forks import Forks

pyarrow = pytest.importorskip("pyarrow", reason="needs claimlight[export]")
parquet = pytest.importorskip("pyarrow.parquet", reason="needs claimlight[export]")

PATENTS = [
    replace(
        patent("1000001", "=SUM(A1) damper", claims=["A wheel.", "The wheel of claim 1."], priority="55"),
        titles=(LocalText("=SUM(A1) damper", "en"), LocalText("Rad mit Dämpfer", "de")),
        abstracts=(LocalText('A "wheel";\nwith spokes, 𝛼.', "en"),),
        classes=(
            ClassSymbol(Scheme.IPC, "B60B 1/00"),
            ClassSymbol(Scheme.CPC, "B60B 1/02"),
            ClassSymbol(Scheme.CPC, "F16F 15/12", first=True),
            ClassSymbol(Scheme.CPC, "F16F 15/00"),
            ClassSymbol(Scheme.CPC, "B60B 1/02", version="2013"),
            ClassSymbol(Scheme.OTHER, "USPC 301/55"),
        ),
        parties=(
            Party(Role.INVENTOR, "Ada Rim"),
            Party(Role.ASSIGNEE, "-Wheel AG"),
            Party(Role.APPLICANT, "Rim; Spoke"),
        ),
        citations=(
            Citation(PublicationNumber("EP", "1000002", "A1"), origin=Origin.SEARCH),
            Citation(None, "Wheels, 1990"),
        ),
    ),
    patent("1000002", "Bicycle", claims=["A bicycle."], priority="55"),
    patent("1000003", "Undated", published=None),
]
HIERARCHY = {
    "cpc_section": ["F", "B"],
    "cpc_class": ["F16", "B60"],
    "cpc_subclass": ["F16F", "B60B"],
    "cpc_main_group": ["F16F 15", "B60B 1"],
    "cpc_subgroup": ["F16F 15/12", "B60B 1/02", "F16F 15/00"],
}


@pytest.fixture
def made(tmp_path):
    with library(tmp_path / "L", PATENTS) as opened:
        yield opened


def week(many, seed=7):
    """Invented patents with numbers of their own for each seed."""
    made = invented.week(many, seed=seed)
    number = PublicationNumber("EP", f"{seed}", "A1")
    return [
        replace(
            item,
            publication=replace(number, number=f"{seed}{item.publication.number}"),
            source=Source("made by hand", ordinal=n),
        )
        for n, item in enumerate(made)
    ]


def written(made, path, patents=None, **more):
    count = export(made, patents, path, kind=kind_of(path), context=TaskContext(), **more)
    rows = read(path)
    assert len(rows) == count
    return rows


def read(path: Path) -> list[dict]:
    """The rows of any kind of file in one form: lists, dates, numbers."""
    if path.suffix == ".parquet":
        return parquet.read_table(path).to_pylist()
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = [{name: plain(cell) for name, cell in row.items()} for row in csv.DictReader(stream)]
    return [{name: typed(name, cell, path.suffix) for name, cell in row.items()} for row in rows]


def plain(cell: str) -> str:
    return cell[1:] if cell.startswith("'") else cell


MORE = (*LISTED, *WHOLE)
KINDS = {column.name: column.kind for column in (*COLUMNS, TEXT_COLUMN, *(item for item, _ in MORE))}


def typed(name: str, cell, suffix: str):
    match KINDS[name]:
        case CellKind.DAY:
            return date.fromisoformat(cell) if cell else None
        case CellKind.COUNT:
            return int(cell)
        case CellKind.LIST if suffix == ".csv":
            return cell.split("; ") if cell else []
        case CellKind.RECORDS if suffix == ".jsonl":
            return cell if name == "citations" else [dated(item) for item in cell]
    return cell


def dated(item: dict) -> dict:
    """A record of JSON lines with its dates as Parquet has them."""
    return {k: date.fromisoformat(v) if k == "date" and v else v for k, v in item.items()}


def flat(row: dict) -> dict:
    """What all kinds of file write alike."""
    shared = {name for name, kind in KINDS.items() if kind is not CellKind.RECORDS}
    return {name: cell for name, cell in row.items() if name in shared}


@pytest.mark.parametrize("kind", ExportKind)
def test_a_row_says_what_the_library_holds(made, tmp_path, kind):
    first, second, third = written(made, tmp_path / f"out.{kind.value}")
    assert [row["publication"] for row in (first, second, third)] == [
        "EP1000001A1",
        "EP1000002A1",
        "EP1000003A1",
    ]
    assert {name: first[name] for name in HIERARCHY} == HIERARCHY
    applicants = ["-Wheel AG", "Rim", "Spoke"] if kind is ExportKind.CSV else ["-Wheel AG", "Rim; Spoke"]
    assert first | {
        "country": "EP", "number": "1000001", "kind": "A1", "published": date(2010, 5, 4),
        "filed": date(2009, 1, 2), "priority": date(2008, 1, 2), "application": "EP19991000001",
        "priorities": ["GB55"], "language": "en", "title": "=SUM(A1) damper",
        "abstract": 'A "wheel";\nwith spokes, 𝛼.', "other_titles": ["de: Rad mit Dämpfer"],
        "other_abstracts": [], "applicant": "-Wheel AG", "applicants": applicants, "inventors": ["Ada Rim"],
        "ipc": ["B60B 1/00"], "family_size": 2, "claims": 2, "passages": 4, "cites": 2, "cited_by": 0,
    } == first  # fmt: skip
    assert (second["cited_by"], second["family"], second["cpc_subgroup"]) == (1, first["family"], [])
    assert (third["published"], third["family_size"]) == (None, 1)
    more = LISTED if kind is ExportKind.CSV else MORE
    assert list(first) == [column.name for column in (*COLUMNS, *(item for item, _ in more))]


WHEEL = invented.patent(
    1000009,
    related=(
        Related(Relation.CONTINUATION, PublicationNumber("EP", "98000001"), date(1998, 3, 5)),
        Related(
            Relation.DIVISION,
            PublicationNumber("EP", "0999999", "A2"),
            of=PublicationNumber("EP", "98000001"),
        ),
    ),
    family="77",
    priorities=(
        Priority("DE", "19812345.6", date(1998, 11, 9), "national"),
        Priority("", "", date(1998, 3, 4)),
    ),
    claims=(
        Claim(1, "Ein Rad.", "de"),
        Claim(1, "A wheel, comprising:\na rim.", "en", (), (ClaimElement(0, 19, 0), ClaimElement(20, 26, 1))),
        Claim(2, "The wheel of claim 1.", "en", (1,)),
    ),
)
LISTED_OF_WHEEL = {
    "classifications": [
        {"scheme": "cpc", "symbol": "B60B 1/02", "inventive": False, "first": False, "version": "2013-01-01"},
        {"scheme": "cpc", "symbol": "F16F 15/12", "inventive": True, "first": True, "version": ""},
        {"scheme": "ipc", "symbol": "B60B 1/00", "inventive": None, "first": False, "version": ""},
    ],
    "citations": [
        {"publication": "US4000000A", "text": "", "category": "X", "origin": "search", "claims": "1",
         "passage": "column 2", "date": "1976-12"},
        {"publication": None, "text": "Wheels, 1990", "category": "A", "origin": "applicant", "claims": "",
         "passage": "", "date": ""},
    ],
    "parties": [
        {"role": "inventor", "name": "Ada Rim", "country": ""},
        {"role": "applicant", "name": "Wheel AG", "country": "DE"},
    ],
    "priority_claims": [
        {"country": "DE", "number": "19812345.6", "date": date(1998, 11, 9), "kind": "national"},
        {"country": "", "number": "", "date": date(1998, 3, 4), "kind": ""},
    ],
    "relations": [
        {"publication": "EP98000001", "relation": "continuation", "date": date(1998, 3, 5), "of": None},
        {"publication": "EP0999999A2", "relation": "division", "date": None, "of": "EP98000001"},
    ],
    "family_members": ["EP1000010B1"],
    "office_family": "77",
    "origins": [
        {"path": invented.PATH, "member": "", "document": 10, "dialect": "invented", "parts": []},
    ],
}  # fmt: skip
TEXTS_OF_WHEEL = {
    "titles": [
        {"language": "en", "text": "Wheel with damper"},
        {"language": "de", "text": "Rad mit Dämpfer"},
    ],
    "abstracts": [{"language": "en", "text": "A wheel whose spokes are damped."}],
    "claim_texts": [
        {"number": 1, "language": "en", "text": "A wheel, comprising:\na rim.", "parents": [],
         "elements": [{"start": 0, "end": 19, "depth": 0}, {"start": 20, "end": 26, "depth": 1}]},
        {"number": 2, "language": "en", "text": "The wheel of claim 1.", "parents": [1], "elements": []},
        {"number": 1, "language": "de", "text": "Ein Rad.", "parents": [], "elements": []},
    ],
    "description": [
        {"label": "[0001]", "section": "background", "heading": "BACKGROUND", "language": "en",
         "text": "Wheels run unevenly."},
        {"label": "p. 2", "section": "detailed", "heading": "DETAILED DESCRIPTION", "language": "en",
         "text": "The damper sits at the rim."},
    ],
}  # fmt: skip


@pytest.fixture
def wheel(tmp_path):
    grant = replace(WHEEL, publication=PublicationNumber("EP", "1000010", "B1"))
    with Library.create(tmp_path / "W") as opened:
        invented.write(opened.store, WHEEL, grant)
        yield opened


@pytest.mark.parametrize("kind", [ExportKind.JSONL, ExportKind.PARQUET])
def test_lines_and_parquet_hold_the_whole_document(wheel, tmp_path, kind):
    path = tmp_path / f"out.{kind.value}"
    row = written(wheel, path, [PatentId(1)])[0]
    expected = LISTED_OF_WHEEL | TEXTS_OF_WHEEL
    assert {name: row[name] for name in expected} == expected
    assert (row["claims"], row["priorities"]) == (2, ["DE19812345.6"]), "a date alone is no number"
    front = written(wheel, path, [PatentId(1)], front_page=True)[0]
    assert front == {name: cell for name, cell in row.items() if name not in TEXTS_OF_WHEEL}


def test_csv_writes_records_as_lines_and_texts_when_asked(wheel, tmp_path):
    row = written(wheel, tmp_path / "out.csv", [PatentId(1)])[0]
    listed = {
        "classifications": (
            "CPC B60B 1/02 (additional, 2013-01-01); CPC F16F 15/12 (first, inventive); IPC B60B 1/00"
        ),
        "citations": "US4000000A (1976-12, X, search, claims 1, column 2); Wheels, 1990 (A, applicant)",
        "parties": "inventor: Ada Rim; applicant: Wheel AG (DE)",
        "priority_claims": "DE 19812345.6 1998-11-09 (national); 1998-03-04",
        "relations": "EP98000001 (continuation, 1998-03-05); EP0999999A2 (division, of EP98000001)",
        "family_members": ["EP1000010B1"],
        "office_family": "77",
        "origins": f"{invented.PATH} (invented, document 10)",
    }
    assert {name: row[name] for name in listed} == listed
    assert list(row)[: len(COLUMNS)] == [column.name for column in COLUMNS], "old columns keep their places"
    assert not {"text", *TEXTS_OF_WHEEL} & set(row)
    whole = written(wheel, tmp_path / "out.csv", [PatentId(1)], text=True)[0]
    assert list(whole)[len(COLUMNS)] == "text"
    assert whole["claim_texts"] == (
        "en 1. A wheel, comprising:\na rim.\n\nen 2. The wheel of claim 1.\n\nde 1. Ein Rad."
    )
    assert whole["description"] == "[0001] Wheels run unevenly.\n\np. 2 The damper sits at the rim."
    assert written(wheel, tmp_path / "out.csv", [PatentId(1)], text=True, front_page=True)[0] == {
        name: cell for name, cell in whole.items() if name not in TEXTS_OF_WHEEL
    }


def test_a_merged_document_names_the_record_of_each_part(wheel, tmp_path):
    later = replace(
        WHEEL,
        source=Source("/exchange.zip", "week.xml", 3, 0, "docdb"),
        claims=(),
        description=(),
        citations=(
            *WHEEL.citations,
            Citation(PublicationNumber("US", "4000002", "A"), "", "Y", Origin.SEARCH),
        ),
    )
    invented.write(wheel.store, later)
    row = next(row for row in written(wheel, tmp_path / "out.jsonl") if row["publication"] == "EP1000009A1")
    parts = {item["path"]: item["parts"] for item in row["origins"]}
    assert "citations" in parts["/exchange.zip"]
    assert {"claims", "description"} <= set(parts[invented.PATH])
    assert {item["member"] for item in row["origins"]} == {"", "week.xml"}


def test_long_texts_close_a_row_group_early(wheel, tmp_path, monkeypatch):
    monkeypatch.setattr(export_files, "GROUP_CHARACTERS", 100)
    written(wheel, tmp_path / "out.parquet")
    assert parquet.ParquetFile(tmp_path / "out.parquet").num_row_groups == 2


@pytest.mark.parametrize("kind", ExportKind)
def test_a_set_keeps_its_order_and_leaves_out_what_is_gone(made, tmp_path, kind):
    path = tmp_path / f"out.{kind.value}"
    rows = written(made, path, [PatentId(3), PatentId(99), PatentId(1)])
    assert [row["number"] for row in rows] == ["1000003", "1000001"]
    assert written(made, path, []) == [], "an empty set is a file with no rows"


def test_text_is_there_when_asked_for(made, tmp_path):
    rows = written(made, tmp_path / "out.jsonl", [PatentId(1)], text=True)
    (only,) = rows
    assert only["text"] == (
        '=SUM(A1) damper\n\nA "wheel";\nwith spokes, 𝛼.\n\nA wheel.\n\nThe wheel of claim 1.'
    )


@pytest.mark.parametrize("kind", ExportKind)
def test_all_three_kinds_hold_the_same_of_any_patents(tmp_path_factory, kind):
    folder = tmp_path_factory.mktemp("any")
    patents = [*(invented.patent(1_000_000 + n, source=Source("made by hand", ordinal=n)) for n in range(3))]
    patents += week(20)
    with library(folder / "L", patents) as made:
        rows = written(made, folder / f"out.{kind.value}")
        reference = written(made, folder / "reference.parquet")
    assert len(rows) == len(patents)
    if kind is ExportKind.CSV:
        rows, reference = [flat(row) for row in rows], [flat(row) for row in reference]
    assert rows == reference


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\x00")))
def test_no_cell_is_a_formula_and_each_reads_back(text):
    cell = harmless(text)
    assert not cell.startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠", "|", "\t", "\r", "\n"))
    assert plain(cell) == text


@pytest.mark.parametrize("text", ["＝1+1", "＋1", "－1", "＠SUM(A1)", "|calc", "\n=1"])
def test_formulas_in_wide_letters_and_old_signs_are_harmless(text):
    assert harmless(text) == f"'{text}"


def test_csv_is_made_for_spreadsheets(made, tmp_path):
    written(made, tmp_path / "out.csv")
    body = (tmp_path / "out.csv").read_bytes()
    assert body.startswith(codecs.BOM_UTF8 + b"publication,country,")
    assert b",'=SUM(A1) damper," in body
    assert b",'-Wheel AG," in body
    assert body.count(b"\r\n") == 4


def test_an_ending_tells_the_kind():
    assert [kind_of(Path(f"x.{kind.upper()}")) for kind in ExportKind] == list(ExportKind)
    with pytest.raises(
        InputError, match=r"x\.xls has no known extension: .* one of \.csv, \.parquet, \.jsonl"
    ):
        kind_of(Path("x.xls"))


def test_parquet_without_its_package_says_what_to_do(made, tmp_path, monkeypatch):
    monkeypatch.setattr(export_files, "find_spec", lambda _: None)
    with pytest.raises(ResourceError, match=r"install claimlight\[export\], or write CSV"):
        written(made, tmp_path / "out.parquet")
    assert [item.name for item in tmp_path.iterdir()] == ["L"]
    assert len(written(made, tmp_path / "out.csv")) == 3


def test_parquet_has_types(made, tmp_path):
    written(made, tmp_path / "out.parquet")
    schema = parquet.read_schema(tmp_path / "out.parquet")
    assert schema.field("published").type == pyarrow.date32()
    assert schema.field("cpc_subgroup").type == pyarrow.list_(pyarrow.string())
    assert schema.field("claims").type == pyarrow.int32()


class Faulty:
    """A file whose n-th write, or whose sync, fails."""

    def __init__(self, stream, left, code):
        self._stream, self.left, self._code = stream, left, code

    def write(self, data):
        self.left -= 1
        if self.left < 0:
            raise OSError(self._code, os.strerror(self._code))
        return self._stream.write(data)

    def __getattr__(self, name):
        return getattr(self._stream, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stream.close()


@pytest.mark.parametrize("kind", ExportKind)
def test_whichever_write_fails_the_old_file_stays_whole(made, tmp_path, monkeypatch, kind):
    """The disk fills up at the first write, the second, and so on until an export passes untouched."""
    path = tmp_path / f"out.{kind.value}"
    path.write_bytes(b"what was there")
    opened, limit = [], 0

    def failing(target, mode):
        opened.append(Faulty(target.open(mode), limit, errno.ENOSPC))
        return opened[-1]

    monkeypatch.setitem(exports.files._OPENERS, exports.files.Access.AS_BEFORE, failing)
    told = []
    while not opened or opened[-1].left < 0:
        limit = len(opened)
        try:
            export(made, None, path, kind=kind, context=TaskContext())
        except ResourceError as error:
            told.append(str(error))
            left = {item.name for item in tmp_path.iterdir()}
            assert (left, path.read_bytes()) == ({"L", path.name}, b"what was there")
    assert set(told) == {f"{path} could not be written: the disk is full. The previous file is unchanged."}
    assert len(told) == len(opened) - 1 > 2, "several writes failed before one export passed"
    assert len(read(path)) == 3


def test_a_sync_that_fails_is_not_saved(made, tmp_path, monkeypatch):
    def broken(_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(exports.files.os, "fsync", broken)
    with pytest.raises(ResourceError, match="Input/output error"):
        export(made, None, tmp_path / "out.csv", kind=ExportKind.CSV, context=TaskContext())
    assert [item.name for item in tmp_path.iterdir()] == ["L"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits as POSIX has them")
def test_a_real_limit_on_the_file(made, tmp_path):
    """The kernel refuses to let the file grow: nothing half is left."""
    program = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from claimlight.services.library.export import export, kind_of\n"
        "from claimlight.services.library.library import Library\n"
        "from claimlight.tasks import TaskContext\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "path = Path(sys.argv[2])\n"
        "with Library.open(Path(sys.argv[1]), read_only=True) as library:\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))\n"
        "    try: export(library, None, path, kind=kind_of(path), context=TaskContext())\n"
        "    except Exception as error: print(type(error).__name__, error)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, str(made.folder), str(tmp_path / "out.jsonl")]
    told = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
    assert told.startswith("ResourceError")
    assert "the disk is full" in told
    assert [item.name for item in tmp_path.iterdir()] == ["L"]


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
def test_killed_at_any_write_the_name_has_the_old_file_or_the_new(made, tmp_path):
    whole = tmp_path / "whole.jsonl"
    export(made, None, whole, kind=ExportKind.JSONL, context=TaskContext())
    path, seen = tmp_path / "out.jsonl", []
    with Forks(Path(__file__).with_name("export_fakes.py")) as forks:
        for step in range(1, 20):
            path.write_bytes(b"what was there")
            done = forks.run(made.folder, path, step)
            seen.append(path.read_bytes())
            assert seen[-1] in (b"what was there", whole.read_bytes())
            if done.returncode == 0:
                break
            assert done.returncode == -9
    assert seen[0] == b"what was there"
    assert seen[-2:] == [whole.read_bytes()] * 2, "killed after the rename, and not killed at all"


def test_a_folder_that_is_not_there(made, tmp_path):
    with pytest.raises(ResourceError, match="No such file or directory"):
        export(made, None, tmp_path / "no" / "out.csv", kind=ExportKind.CSV, context=TaskContext())


def test_it_reports_and_stops(made, tmp_path, monkeypatch):
    monkeypatch.setattr(exports, "BATCH", 1)
    told = []
    context = TaskContext(told.append)
    export(made, None, tmp_path / "out.csv", kind=ExportKind.CSV, context=context)
    assert isinstance(told[-1], Progress)
    assert (told[-1].done, told[-1].total, told[-1].unit) == (3, 3, "documents")
    stopped = TaskContext()
    stopped.cancel()
    with pytest.raises(TaskCancelled):
        export(made, None, tmp_path / "other.csv", kind=ExportKind.CSV, context=stopped)
    assert {item.name for item in tmp_path.iterdir()} == {"L", "out.csv"}


@pytest.mark.parametrize("kind", ExportKind)
def test_memory_does_not_grow_with_the_library(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(exports, "BATCH", 50)
    monkeypatch.setattr(export_files, "ROW_GROUP", 100)
    peaks, sizes = [], []
    with library(tmp_path / "L", week(160)) as made:
        for rounds in (1, 2):
            if rounds == 2:
                add(made, [item for seed in (1, 2, 3) for item in week(160, seed)])
            plain, path = tmp_path / f"plain{rounds}.jsonl", tmp_path / f"out{rounds}.{kind.value}"
            export(made, None, plain, kind=ExportKind.JSONL, context=TaskContext(), text=True)
            sizes.append(plain.stat().st_size)
            gc.collect()
            tracemalloc.start()
            count = export(made, None, path, kind=kind, context=TaskContext(), text=True)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert count == 640
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 2, (
        "half of what was added, whenever cycles are collected"
    )
