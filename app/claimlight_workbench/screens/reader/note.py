"""The note under the document: the highlighted match, its lines wrapped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.screens.reader.describe import link_words
from claimlight_workbench.widgets.chips import chip_font, chip_height, chip_icon, chip_width
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from claimlight.types import PassageHit, PassageId, Query
    from claimlight_workbench.models.links import Link


class LinkNote(QFrame):
    """Chip of the feature, both terms, and below them concept and contribution."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._feature = ""
        self.setObjectName("strip")
        self.setAccessibleName(tr("The highlighted match"))
        self.chip = QLabel()
        self.first = make_wrapped_label()
        self.second = make_wrapped_label(name="muted")
        top = QHBoxLayout()
        top.setSpacing(design.TIGHT)
        top.addWidget(self.chip, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self.first, 1)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(*design.STRIP)
        inside.setSpacing(design.HAIR)
        inside.addLayout(top)
        inside.addWidget(self.second)
        # Room for two lines of each, so that pointing at another match seldom moves the text above.
        line = self.fontMetrics().lineSpacing()
        self.first.setMinimumHeight(max(chip_height() + 2, 2 * line))
        self.second.setMinimumHeight(2 * line)
        for label in (self.first, self.second):
            label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)

    def text(self) -> str:
        """All its words."""
        return "  ·  ".join(each for each in (self._feature, self.first.text(), self.second.text()) if each)

    def say(self, words: str) -> None:
        """Show a text that is not about a match."""
        self._show("", words, "")

    def show_links(
        self, links: tuple[Link, ...], query: Query, passages: dict[PassageId, PassageHit]
    ) -> None:
        """Show the strongest of some matches."""
        words = link_words(links, query, passages)
        self._show(words.feature, words.met, words.details)

    def _show(self, feature: str, first: str, second: str) -> None:
        self._feature = feature
        self.chip.setVisible(bool(feature))
        if feature:
            width = chip_width(chip_font(self.font()), feature)
            icon = chip_icon(feature, self.font(), ratio=self.devicePixelRatioF())
            self.chip.setPixmap(icon.pixmap(width, chip_height()))
        else:
            self.chip.setPixmap(QPixmap())
        self.first.setText(first)
        self.second.setText(second)
        self.setAccessibleDescription(self.text())
