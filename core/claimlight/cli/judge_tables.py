"""Tables for the terminal of what a judge's verdicts were worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from claimlight.services.search.verdict_words import (
    RELIABILITY_HEADINGS,
    RELIABILITY_TITLE,
    WORDING_HEADINGS,
    WORDING_TITLE,
    reliability_rows,
    wording_rows,
)
from claimlight.types import Reliability, WordingFigures


def make_reliability_tables(found: Reliability) -> Iterator[Table]:
    """Verdicts by kind of wording; share of disclosing cells by probability."""
    yield _table(WORDING_TITLE, WORDING_HEADINGS, wording_rows(found.wordings))
    yield _table(RELIABILITY_TITLE, RELIABILITY_HEADINGS, reliability_rows(found))


def make_wording_table(name: str, found: Sequence[WordingFigures]) -> Table:
    """Verdicts of one system by kind of wording."""
    return _table(f"{escape(name)}: {WORDING_TITLE.lower()}", WORDING_HEADINGS, wording_rows(found))


def _table(title: str, headings: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Table:
    first, *others = headings
    table = Table(first, title=title, title_justify="left")
    for heading in others:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*row)
    return table
