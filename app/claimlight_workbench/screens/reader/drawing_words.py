"""The words of the drawings view for a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import PictureKind, PictureState
from claimlight_workbench.language import tr

if TYPE_CHECKING:
    from claimlight.types import DrawingPage, Drawings

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


def page_words(drawings: Drawings, page: DrawingPage) -> str:
    """``2 · Fig. 2A, 2B``: number, figures or kind, and whether it is guessed or missing."""
    figures = [each for each in drawings.figures if each.page == page.number]
    labels = ", ".join(each.label for each in figures)
    what = tr("Fig. {labels}", labels=labels) if figures else _KINDS[page.picture.kind]
    if any(each.guessed for each in figures):
        what = tr("{what} (page guessed)", what=what)
    if page.state is PictureState.MISSING:
        what = tr("{what} – picture missing", what=what)
    return f"{page.number} · {what}"


def caption_words(drawings: Drawings, page: DrawingPage) -> str:
    """The captions of the figures on a page, as in the document."""
    return " · ".join(each.caption for each in drawings.figures if each.page == page.number and each.caption)


def none_words(reason: str) -> str:
    """Why nothing can be shown."""
    return tr("No drawing of this document can be shown.") + f"\n\n{reason}"


def missing_words(fault: str) -> str:
    """Why a page can't be shown."""
    return tr("The picture of this page can't be shown.") + f"\n\n{fault}"
