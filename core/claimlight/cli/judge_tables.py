"""Tables for the terminal of what a judge's verdicts were worth."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from claimlight.services.search.verdict_words import (
    RELIABILITY_HEADINGS,
    RELIABILITY_TITLE,
    WORDING_HEADINGS,
    WORDING_TITLE,
    reliability_rows,
    wording_rows,
)
from claimlight.types import Reliability


def make_reliability_tables(found: Reliability) -> Iterator[Table]:
    """Verdicts by kind of wording; share of disclosing cells by probability."""
    yield _table(WORDING_TITLE, WORDING_HEADINGS, wording_rows(found))
    yield _table(RELIABILITY_TITLE, RELIABILITY_HEADINGS, reliability_rows(found))


def _table(title: str, headings: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Table:
    first, *others = headings
    table = Table(first, title=title, title_justify="left")
    for heading in others:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*row)
    return table
