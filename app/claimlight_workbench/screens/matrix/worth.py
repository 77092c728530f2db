"""What a verdict is worth: the promise of each word, when there is none, and what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLayout,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.search.cell_words import CHART_SIGN
from claimlight.services.search.verdict_words import (
    ABSTENTION,
    NO_JUDGE,
    PROBABILITY,
    PROMISES,
    RELIABILITY_TITLE,
    WORDING_HEADINGS,
    WORDING_TITLE,
    judge_sentences,
    second_sentences,
    wording_rows,
)
from claimlight.types import ChartVerdict
from claimlight_workbench import design
from claimlight_workbench.language import tell, tr, trn
from claimlight_workbench.text_size import scale_pixels
from claimlight_workbench.widgets.reliability_diagram import ReliabilityDiagram
from claimlight_workbench.widgets.row_table import prepare_rows
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from claimlight.services.models.judges import JudgeFacts
    from claimlight.types import Reliability

_WIDE = 660
_FIGURES = 540
_BETWEEN, _MARGINS = 24, 40
_AROUND = 130
"""Height of what is around the text: title bar of the window, buttons, margins."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
GUIDE = "docs/guide/verdicts.md"
ABOUT = tr(
    "Dots: the cells of one tenth of probability, larger for more cells; bars: 95 % "
    "intervals. On the dashed line probabilities are exact. Dotted: where the verdicts "
    "begin."
)
"""How the diagram is read."""


class VerdictSheet(OrderedDialog):
    """Plain text, as everything that may name files or models; Esc closes it."""

    def __init__(self, facts: JudgeFacts | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("What a verdict is worth"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = QWidget()
        text = QVBoxLayout(words)
        text.setContentsMargins(0, 0, 0, 0)
        text.setSpacing(design.NEAR)
        for head, lines in describe_worth(facts):
            text.addWidget(_make_title(head))
            for line in lines:
                text.addWidget(_make_text(line, _WIDE))
        text.addStretch(1)
        self._words = _Scrolled(words)
        self._words.setAccessibleName(self.windowTitle())
        halves = QHBoxLayout()
        halves.setSpacing(_BETWEEN)
        halves.addWidget(self._words)
        column = QVBoxLayout(self)
        column.addLayout(halves)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._buttons.rejected.connect(self.reject)
        column.addWidget(self._buttons)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        judges = (facts, facts.second) if facts is not None else ()
        figures = [
            JudgeFigures(each, each.reliability, deep=facts is not None and facts.second is not None)
            for each in judges
            if each is not None and each.reliability is not None
        ]
        if figures:
            self._offer_figures(figures, halves)

    def _offer_figures(self, figures: Sequence[JudgeFigures], halves: QHBoxLayout) -> None:
        """Beside the text, so that the sheet stays as high as it is; in its place on a narrow screen."""
        self.figures: QWidget = figures[0]
        if len(figures) > 1:
            self.figures = tabs = QTabWidget()
            tabs.setAccessibleName(tr("Figures by wording"))
            for each in figures:
                tabs.addTab(each, each.judge.replace("&", "&&"))
        self.figures.hide()
        halves.addWidget(self.figures)
        self.more = self._buttons.addButton(tr("Figures by wording"), QDialogButtonBox.ButtonRole.ActionRole)
        self.more.setCheckable(True)
        self.more.setAutoDefault(False)
        self.more.setToolTip(tr("Show or hide the verdicts by kind of wording and the reliability diagram"))
        self.more.toggled.connect(self._show_figures)

    def _show_figures(self) -> None:
        shown = self.more.isChecked()
        both = self._words.sizeHint().width() + _BETWEEN + self.figures.sizeHint().width() + _MARGINS
        self._words.setVisible(not shown or both <= self.screen().availableGeometry().width())
        self.figures.setVisible(shown)


class _Scrolled(QScrollArea):
    """As high as what it holds, or as the screen has room: with two judges the text is longer than some."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__()
        self._inside = inside
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setWidget(inside)

    def sizeHint(self) -> QSize:
        """As wide as the text, and the bar if there is one."""
        whole = self._inside.sizeHint()
        room = self.screen().availableGeometry().height() - scale_pixels(_AROUND)
        if whole.height() <= room:
            return whole
        return QSize(whole.width() + self.verticalScrollBar().sizeHint().width(), room)


class JudgeFigures(QWidget):
    """Verdicts by kind of wording as a table, and the reliability diagram.

    ``deep``: say that they hold of as many passages as the judge reads at most.
    """

    def __init__(self, facts: JudgeFacts, found: Reliability, *, deep: bool = False) -> None:
        super().__init__()
        self.judge = facts.name
        self.table = _make_table(found)
        bounds = facts.figures_bounds or facts
        self.diagram = ReliabilityDiagram(found, disclosed=bounds.disclosed, candidate=bounds.candidate)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(design.NEAR)
        if deep and facts.candidates:
            read = trn(
                "Figures with up to {n:,} passage of a document read",
                "Figures with up to {n:,} passages of a document read",
                facts.candidates,
            )
            column.addWidget(_make_text(read, _FIGURES))
        column.addWidget(_make_title(WORDING_TITLE))
        column.addWidget(self.table)
        column.addWidget(_make_title(tell(RELIABILITY_TITLE)))
        column.addWidget(self.diagram)
        column.addWidget(_make_text(ABOUT, _FIGURES))
        column.addStretch(1)


def describe_worth(facts: JudgeFacts | None) -> list[tuple[str, list[str]]]:
    """Headings and paragraphs of the sheet."""
    verdicts = [f"{CHART_SIGN[each]} {tell(each.value)}: {tell(PROMISES[each])}" for each in ChartVerdict]
    return [
        (
            tr("The three verdicts"),
            [*verdicts, tr("The figure is the {probability}.", probability=tell(PROBABILITY))],
        ),
        (tr("When there is no verdict"), list(map(tell, ABSTENTION))),
        (tr("The judge"), list(map(tell, judge_sentences(facts))) if facts is not None else [tell(NO_JUDGE)]),
        *(
            [(tr("Second judge"), list(map(tell, second_sentences(facts.second))))]
            if facts is not None and facts.second is not None
            else []
        ),
        (tr("More"), [tr("The page {guide} has the figures and how they were measured.", guide=GUIDE)]),
    ]


def _make_table(found: Reliability) -> QTableWidget:
    """As high as its rows: nothing in it scrolls."""
    rows = wording_rows(found.wordings)
    table = QTableWidget(len(rows), len(WORDING_HEADINGS))
    prepare_rows(table, WORDING_TITLE)
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    table.setHorizontalHeaderLabels(WORDING_HEADINGS)
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text)
            if column:
                item.setTextAlignment(_RIGHT)
            table.setItem(row, column, item)
    for column in range(1, len(WORDING_HEADINGS)):
        if (heading := table.horizontalHeaderItem(column)) is not None:
            heading.setTextAlignment(_RIGHT)
    table.verticalHeader().setDefaultSectionSize(scale_pixels(table.verticalHeader().defaultSectionSize()))
    table.resizeColumnsToContents()
    scrolling = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    table.setVerticalScrollBarPolicy(scrolling)
    table.setHorizontalScrollBarPolicy(scrolling)
    header, frame = table.horizontalHeader(), 2 * table.frameWidth()
    table.setFixedSize(
        max(scale_pixels(_FIGURES), header.length() + frame),
        header.sizeHint().height() + table.verticalHeader().length() + frame,
    )
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    return table


def _make_title(text: str) -> QLabel:
    title = QLabel(text)
    title.setObjectName("title")
    return title


def _make_text(text: str, width: int) -> QLabel:
    label = make_wrapped_label(text)
    # Of a fixed width it knows its height: the sheet is as high as its text.
    label.setFixedWidth(scale_pixels(width))
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label
