"""What the language reference shows is what the language is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import claimlight
from claimlight.retrieval.boolean.canonical import format_canonical
from claimlight.retrieval.boolean.fields import FIELDS
from claimlight.retrieval.boolean.operators import EXAMPLES as LINES
from claimlight.retrieval.boolean.operators import OPERATORS, RELATED
from claimlight.retrieval.boolean.parser import parse
from claimlight.retrieval.boolean.wildcards import MAX_EXPANSION

PAGE = Path(__file__).resolve().parents[4] / "docs" / "reference" / "query.md"
TEXT = PAGE.read_text(encoding="utf-8")
WRITTEN = re.sub(r"<!-- generated: .*?<!-- end -->", "", TEXT, flags=re.DOTALL)
EXAMPLES = re.findall(r"^\| `(.+?)` \| ", WRITTEN, re.MULTILINE)
FOUND = ["damper", "damp$", "damp$2", "fluid AND damper", "fluid OR damper", "damper.ti.", "PD<2015"]
"""Examples that find something in the sample library."""


@pytest.fixture(scope="module")
def library():
    with claimlight.sample() as opened:
        yield opened


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 30


@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_can_be_read(line: str) -> None:
    text = format_canonical(parse(line))
    assert format_canonical(parse(text)) == text


def test_the_example_of_nested_nearness_is_read() -> None:
    assert format_canonical(parse("(damper$2 OR absorber) ADJ3 (fluid SAME valve).clm.")) == (
        "(damper$2 OR absorber) ADJ3 (fluid.clm. SAME valve.clm.)"
    )


def test_every_field_and_the_limit_are_told() -> None:
    for item in FIELDS:
        assert re.search(rf"(?i)\b{item.field.value}\b", TEXT), item.field
    assert f"{MAX_EXPANSION:,} words" in TEXT


@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_can_be_run(library, line: str) -> None:
    found = library.query(line)
    assert found.canonical == format_canonical(parse(line))
    assert (found.documents > 0) >= (line in FOUND)


def test_the_examples_that_find_something_are_of_the_page() -> None:
    assert set(FOUND) <= set(EXAMPLES)


@pytest.mark.parametrize("name", [name for name, _ in OPERATORS])
def test_every_operator_can_be_run(library, name: str) -> None:
    assert library.query(f"fluid {name} damper").documents <= library.query("fluid OR damper").documents


def test_the_lines_of_citations_can_be_read() -> None:
    part = TEXT.partition("## Citations and families")[2].partition("\n## ")[0]
    lines = re.findall(r"^    (\S.*?)(?:   .*)?$", part, re.MULTILINE)
    assert len(lines) == 5
    assert all(format_canonical(parse(line)) for line in lines)
    assert all(f"`{name}…`" in part for name, _ in RELATED)


def test_the_lines_below_semantic_operators_can_be_read() -> None:
    lines = re.findall(r"^    (\S.*?)(?:   .*)?$", TEXT.partition("## Semantic operators")[2], re.MULTILINE)
    assert len(lines) == 6
    assert all(format_canonical(parse(line)) for line in lines)


@pytest.mark.parametrize("line", [line for line, _ in LINES])
def test_the_lines_of_the_help_can_be_read(line: str) -> None:
    assert format_canonical(parse(line))
