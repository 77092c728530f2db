"""Words that speak for a class, in the reader: how they are painted, and the button that ends it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QToolButton, QWidget

from claimlight_workbench import theme
from claimlight_workbench.language import tr, trn
from claimlight_workbench.widgets.linked_text import Mark
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from claimlight_workbench.models.class_marks import ClassBoard
    from claimlight_workbench.screens.reader.document_text import DocumentText


class ClassMarksButton(QToolButton):
    """There while words are marked; a click removes the marks."""

    def __init__(self, board: ClassBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._board = board
        self.setObjectName("words")
        self.clicked.connect(lambda: board.show(None))
        board.changed.connect(self._follow)
        self.hide()

    def _follow(self) -> None:
        shown = self._board.shown
        self.setVisible(shown is not None)
        if shown is not None:
            told = tr(
                "{places} marked that speak for {name}",
                places=trn("{n:,} place", "{n:,} places", shown.count),
                name=shown.name,
            )
            self.setText(f"{shown.name} ✕")
            self.setAccessibleName(told)
            self.setToolTip(
                wrap_tip(
                    tr(
                        "{told}: underlined, the darker the more the probability falls without it. Click: "
                        "show the matches of the claim again",
                        told=told,
                    )
                )
            )


def class_marks(text: DocumentText | None, board: ClassBoard, first: int, last: int) -> Sequence[Mark]:
    """The marks in a range of positions."""
    if text is None or board.shown is None:
        return ()
    colours = theme.active()
    wave = QTextCharFormat.UnderlineStyle.WaveUnderline
    return [
        Mark(
            placed.offset(mark.span.start),
            placed.offset(mark.span.end),
            background=theme.weight_tint(colours, mark.strength),
            underline=colours.text,
            line=wave,
        )
        for placed in text.between(first, last)
        for mark in board.of(text.view.summary.id, placed.passage.id)
    ]
