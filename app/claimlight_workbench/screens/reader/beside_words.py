"""What the strip above each of two documents says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import format_publication
from claimlight_workbench.language import tell, tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from claimlight.types import DateFinding, DocumentView, Mark

BESIDE, OPEN = tr("Beside"), tr("Open")
"""The two sides: the document that is kept, and the one that follows the list."""


def side_line(
    role: str, view: DocumentView | None, marks: Sequence[Mark], dates: DateFinding | None, *, active: bool
) -> str:
    """A side in a line: which it is, its date status, and its categories in the case."""
    if view is None:
        return tr("{role}: no document", role=role)
    summary = view.summary
    published = (
        tr("published {published}", published=summary.published.isoformat())
        if summary.published is not None
        else ""
    )
    status = tell(dates.label) if dates is not None else ""
    name = f"{'▸ ' if active else ''}{role}: {format_publication(str(summary.publication))}"
    return "  ·  ".join(filter(None, (name, mark_words(marks), status, published)))


def mark_words(marks: Sequence[Mark]) -> str:
    """The categories of a document, each with its claim."""
    given = (each for each in marks if each.category)
    return ", ".join(
        f"{each.category}{(tr(' for claim {claim}', claim=each.claim) if each.claim else '')}"
        for each in given
    )


def side_spoken(line: str, *, active: bool) -> str:
    """The line for a screen reader, which does not read the sign."""
    said = line.removeprefix("▸ ")
    return tr("{said}, keys go to this side", said=said) if active else said
