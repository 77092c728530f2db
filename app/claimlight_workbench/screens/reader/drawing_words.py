"""The words of the drawings view for a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import PictureKind, PictureState
from claimlight_workbench.language import tell, tr

if TYPE_CHECKING:
    from claimlight.types import DrawingPage, Drawings

SIDEWAYS = tr("The text on this page is probably sideways.")
_LISTED = 2
"""Figures of a page that are listed; of more, the first and the last are named."""
NONE_OPEN = tr("No document open")
READING = tr("Reading the drawings…")
_KINDS = {
    PictureKind.FRONT: tr("front page"),
    PictureKind.DRAWING: tr("drawing"),
    PictureKind.PAGE: tr("printed page"),
    PictureKind.CHEMISTRY: tr("chemical formula"),
    PictureKind.FORMULA: tr("formula"),
    PictureKind.TABLE: tr("table"),
    PictureKind.SEQUENCE: tr("sequence"),
    PictureKind.IMAGE: tr("picture in the text"),
}


def figures_on(drawings: Drawings, page: DrawingPage) -> str:
    """``Fig. 2``, ``Fig. 3A–3F``, in parentheses if the page is guessed; empty if none is known."""
    figures = [each for each in drawings.figures if each.page == page.number]
    if not figures:
        return ""
    labels = [each.label for each in figures]
    first = drawings.figures.index(figures[0])
    following = list(drawings.figures[first : first + len(figures)]) == figures
    many = following and len(labels) > _LISTED
    text = tr("Fig. {labels}", labels=f"{labels[0]}–{labels[-1]}" if many else ", ".join(labels))
    return f"({text})" if any(each.guessed for each in figures) else text


def page_words(drawings: Drawings, page: DrawingPage) -> str:
    """``2 · Fig. 2A, 2B``: number, figures or kind, and whether it is guessed or missing."""
    figures = [each for each in drawings.figures if each.page == page.number]
    labels = ", ".join(each.label for each in figures)
    what = tr("Fig. {labels}", labels=labels) if figures else _KINDS[page.picture.kind]
    if any(each.guessed for each in figures):
        what = tr("{what} (guessed)", what=what)
    if page.state is PictureState.MISSING:
        what = tr("{what} – picture missing", what=what)
    return f"{page.number} · {what}"


def caption_words(drawings: Drawings, page: DrawingPage) -> str:
    """The captions of the figures on a page, as in the document."""
    return " · ".join(each.caption for each in drawings.figures if each.page == page.number and each.caption)


def none_words(reason: str) -> str:
    """Why nothing can be shown."""
    return tr("No drawing of this document can be shown.") + f"\n\n{tell(reason)}"


def missing_words(fault: str) -> str:
    """Why a page can't be shown."""
    return tr("The picture of this page can't be shown.") + f"\n\n{fault}"
