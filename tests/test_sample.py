"""The shipped sample library is what its sources say, is readable, and keeps the promises of its case."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from claimlight.formats import SourceReader, list_sources
from claimlight.tasks import TaskContext
from claimlight.types import Patent, Scheme

SAMPLE = Path(__file__).resolve().parents[1] / "resources" / "sample"
CASE = tomllib.loads((SAMPLE / "case.toml").read_text(encoding="utf-8"))
PRIOR_ART = ("anticipates", "combine_x", "combine_y")


@cache
def builder() -> ModuleType:
    """The build script, which belongs to no package."""
    spec = importlib.util.spec_from_file_location("sample_build", SAMPLE / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def read(path: Path) -> list[Patent]:
    patents = []
    for source in list_sources([path]):
        for record in SourceReader(source, TaskContext()):
            assert isinstance(record, Patent), record
            patents.append(record)
    return patents


@cache
def library() -> dict[str, Patent]:
    patents = read(SAMPLE / "xml")
    found = {str(patent.publication): patent for patent in patents}
    assert len(found) == len(patents)
    return found


@cache
def application() -> Patent:
    (patent,) = read(SAMPLE / CASE["application"])
    return patent


def plain(text: str) -> str:
    """Claim text on one line and without reference numerals."""
    return re.sub(r"\s+", " ", re.sub(r" \(\d+\w*\)", "", text))


def test_build_is_committed_and_repeatable(tmp_path: Path) -> None:
    built = builder().build(tmp_path)
    committed = [SAMPLE / path.relative_to(tmp_path) for path in built]
    assert sorted([*(SAMPLE / "xml").glob("*"), SAMPLE / "application.xml"]) == sorted(committed)
    for path, other in zip(built, committed, strict=True):
        assert path.read_bytes() == other.read_bytes(), path.name
    before = [path.read_bytes() for path in built]
    assert [path.read_bytes() for path in builder().build(tmp_path)] == before


def test_stale_files_are_removed(tmp_path: Path) -> None:
    stale = tmp_path / "xml" / "EP8000000A1.xml"
    stale.parent.mkdir()
    stale.touch()
    builder().build(tmp_path)
    assert not stale.exists()


def test_reader_finds_what_was_written() -> None:
    authored = {document.publication: document for document in builder().read_library()}
    assert library().keys() == authored.keys()
    for number, patent in library().items():
        document = authored[number]
        assert patent.published == document.published
        assert patent.filed == document.filed
        assert {title.text.casefold() for title in patent.titles} >= {document.title.casefold()}
        assert [claim.number for claim in patent.claims] == [claim.number for claim in document.claims]
        assert [claim.parents for claim in patent.claims] == [claim.parents for claim in document.claims]
        assert [len(claim.elements) for claim in patent.claims] == [
            len(claim.lines) for claim in document.claims
        ]
        count = sum(len(section.paragraphs) for section in document.sections)
        assert [paragraph.number for paragraph in patent.description] == [
            f"{place:04d}" for place in range(1, count + 1)
        ]
        assert len(patent.priorities) == len(document.priorities)
        cpc = [entry for entry in patent.classes if entry.scheme is Scheme.CPC]
        assert [(entry.symbol, entry.inventive) for entry in cpc] == [
            (entry.symbol, entry.inventive) for entry in document.cpc
        ]


def test_library_is_broad() -> None:
    patents = library().values()
    assert len(patents) >= 60
    sections = {
        entry.symbol[0]
        for patent in patents
        for entry in patent.classes
        if entry.scheme is Scheme.CPC and entry.first
    }
    assert sections >= set("ABCDEFGH")
    families = Counter(document.family for document in builder().read_library())
    assert sum(count > 1 for count in families.values()) >= 2
    cited = {str(citation.publication) for patent in patents for citation in patent.citations}
    assert cited & library().keys()


def test_no_paragraph_repeats_between_families() -> None:
    seen: dict[str, str] = {}
    for document in builder().read_library():
        for section in document.sections:
            for paragraph in section.paragraphs:
                assert seen.setdefault(paragraph, document.family) == document.family, paragraph


def test_offices_publish_on_their_weekday() -> None:
    for document in builder().read_library():
        assert document.published.weekday() == (1 if document.office == "US" else 2), document.publication


def test_case_names_the_application() -> None:
    patent = application()
    assert str(patent.publication) == CASE["publication"]
    assert patent.publication not in {other.publication for other in library().values()}
    assert patent.published is None
    assert patent.filed == CASE["filed"]
    assert [priority.date for priority in patent.priorities] == [CASE["priority"]]
    assert len(patent.claims) == 10
    assert patent.claims[2].parents == (1,)


@pytest.mark.parametrize("role", [*PRIOR_ART, "late", "own_family"])
def test_case_publications_are_in_the_library(role: str) -> None:
    entry = CASE[role]
    patent = library()[entry["publication"]]
    numbers = {paragraph.number for paragraph in patent.description}
    assert numbers >= set(entry.get("paragraphs", ()))
    for feature in entry.get("features", ()):
        assert feature["paragraphs"]
        assert numbers >= set(feature["paragraphs"])


@pytest.mark.parametrize("role", PRIOR_ART)
def test_case_features_are_quoted_from_the_claim(role: str) -> None:
    entry: dict[str, Any] = CASE[role]
    by_number = {claim.number: claim for claim in application().claims}
    claim = by_number[entry["claim"]]
    text = plain(" ".join(by_number[number].text for number in (*claim.parents, claim.number)))
    for feature in entry["features"]:
        assert feature["feature"] in text


def published(role: str) -> date:
    day = library()[CASE[role]["publication"]].published
    assert day is not None
    return day


def test_case_dates_and_family() -> None:
    assert all(published(role) < CASE["priority"] for role in PRIOR_ART)
    assert published("late") == CASE["late"]["published"] > CASE["priority"]
    assert published("own_family") == CASE["own_family"]["published"]
    own = {(entry.country, entry.number) for entry in application().priorities}
    kin = [
        number
        for number, patent in library().items()
        if own & {(entry.country, entry.number) for entry in patent.priorities}
    ]
    assert kin == [CASE["own_family"]["publication"]]
    assert CASE["own_family"]["priority"] in {number for _, number in own}


SOURCE = """
office = "EP"
number = "8999999"
kind = "A1"
published = 2020-01-01
filed = 2019-01-01
application = "19999999.9"
family = "lid"
figures = 1
title = "Lid"
title_de = "Deckel"
title_fr = "Couvercle"
cpc = ["B65D 41/04"]
ipc = ["B65D 41/04"]
applicants = []
inventors = []
[[claims]]
number = 1
text = "A lid."
[[claims]]
number = 2
parents = [1]
text = "The lid of claim 1."
[[sections]]
kind = "detailed"
heading = ""
text = "The lid of Fig. 1 fits."
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("", "", ""),
        ("parents = [1]", "", r"claim 2 refers to \[1\]"),
        ("of claim 1", "of claims 1 to 3", r"refers to \[1, 2, 3\]"),
        ("number = 2", "number = 3", "claim 3 stands where claim 2 should"),
        ("Fig. 1", "Fig. 2", "Fig. 2 has no drawing sheet"),
        ('"detailed"', '"details"', "unknown section kind"),
        ('"EP"', '"WO"', "unknown office"),
        ('cpc = ["B65D 41/04"]', 'cpc = ["B65D41/04"]', "no class symbol"),
        ('family = "lid"', "", "family is missing"),
        ('title = "Lid"', "title = Lid", "Invalid value"),
        ("A lid.", "- a lid", "claim 1 has no preamble"),
    ],
)
def test_faulty_source_is_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "lid.toml"
    path.write_text(SOURCE.replace(old, new) if old else SOURCE, encoding="utf-8")
    module = builder()
    if not message:
        assert module.read_document(path).publication == "EP8999999A1"
        return
    with pytest.raises(module.SourceError, match=message):
        module.read_document(path)


def test_family_without_common_priority_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.toml").write_text(SOURCE, encoding="utf-8")
    other = SOURCE.replace("8999999", "8999998").replace("19999999.9", "19999998.1")
    (tmp_path / "a" / "two.toml").write_text(other, encoding="utf-8")
    with pytest.raises(builder().SourceError, match="family lid"):
        builder().read_library(tmp_path)
