"""The query bar: claim, date limit, dates of the application, rankers, search button."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDateEdit,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from claimlight.types import SEARCH_RANKERS, Ranker
from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.screens.query.claim_list import list_claims
from claimlight_workbench.screens.query.claim_tree import ClaimPicker
from claimlight_workbench.screens.query.dates import DatesButton
from claimlight_workbench.widgets.key_tips import set_tip
from claimlight_workbench.widgets.named_box import name_box
from claimlight_workbench.wording import RANKER_NAMES, wrap_tip

if TYPE_CHECKING:
    from claimlight.types import ClassFilter, ReferenceDates
    from claimlight_workbench.values import ClaimSet

_ROOM_FOR_ALL = 255
"""Width in letters from which all dates and the count are written out."""
_BESIDE = 6
"""Letters that the frame of the class filter takes besides its text."""
_LEG_HELP = {
    Ranker.BM25: tr("Words found in both texts (BM25)"),
    Ranker.DENSE: tr("Similar content of whole sections, even in other words (dense vectors)"),
    Ranker.CENTERS: tr("Terms that share a concept; matches are explained one by one (centers)"),
}


class QueryBar(QWidget):
    """Claim picker, date limit, dates of the application, rankers, count, search button."""

    claim_chosen = Signal(int)
    before_chosen = Signal(object)
    legs_chosen = Signal(object)
    dates_chosen = Signal(object)
    """`ReferenceDates`, or None."""
    within_left = Signal()
    """Documents of all classes are to be shown again."""
    run_pressed = Signal()
    left = Signal()
    """A claim was chosen by key: the focus returns to the results."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.claim = ClaimPicker()
        name_box(self.claim, tr("Claim to search"))
        self.claim.setMinimumContentsLength(12)
        self.claim.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.claim.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.source = QLabel(tr("No claims yet"))
        self.source.setObjectName("title")
        self.dated = QCheckBox(tr("Published before"))
        self.date = QDateEdit(QDate.currentDate())
        self.date.setDisplayFormat("yyyy-MM-dd")
        self.date.setCalendarPopup(True)
        self.date.setAccessibleName(tr("Published before"))
        self.dated.setToolTip(
            tr(
                "Hide documents published on or after this date. Off: documents of every date status "
                "are shown"
            )
        )
        self.date.setEnabled(False)
        self.within = QToolButton()
        self.within.setObjectName("words")
        self.within.setCheckable(True)
        self.within.hide()
        self.dates = DatesButton()
        self.legs = {leg: QCheckBox(name) for leg, name in RANKER_NAMES.items()}
        self.count = QLabel("")
        self.count.setObjectName("muted")
        self.run = QPushButton(tr("Search claim"))
        self.run.setObjectName("primary")
        set_tip(self.run, tr("Search the library with the claim"), command=tr("Search claim"))
        self.run.setEnabled(False)
        self._lay_out()
        self._by_key = False
        self.claim.activated.connect(self._claim_taken)
        self.dated.toggled.connect(self._date_edited)
        self.date.dateChanged.connect(self._date_edited)
        for leg, box in self.legs.items():
            box.setChecked(True)
            box.setToolTip(_LEG_HELP[leg])
            box.toggled.connect(self._legs_edited)
        self.dates.panel.chosen.connect(self.dates_chosen)
        self.within.clicked.connect(self._leave_within)
        self.run.clicked.connect(self.run_pressed)

    def sizeHint(self) -> QSize:
        return QSize(900, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Write dates and count out if there is room."""
        letters = self.width() // max(1, self.fontMetrics().averageCharWidth())
        filtered = len(self.within.text()) + _BESIDE if self.within.text() else 0
        whole = letters >= _ROOM_FOR_ALL + filtered
        self.dates.set_short(short=not whole)
        self.count.setVisible(whole)

    def show_claims(self, claims: ClaimSet | None) -> None:
        """Fill the picker."""
        with QSignalBlocker(self.claim):
            self.claim.clear()
            if claims is not None:
                for number, text in list_claims(claims.claims, dict(claims.missing)):
                    self.claim.addItem(text, number)
                self.claim.show_claims(claims.claims, dict(claims.missing))
        self.source.setText(claims.source if claims is not None else tr("No claims yet"))
        self.run.setEnabled(claims is not None)

    def choose_claim(self) -> None:
        """Open the list of claims, to choose one by key."""
        self._by_key = True
        self.claim.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.claim.showPopup()

    def show_claim(self, number: int) -> None:
        """Select a claim, without a signal."""
        with QSignalBlocker(self.claim):
            self.claim.setCurrentIndex(self.claim.findData(number))

    def show_before(self, before: date | None) -> None:
        """Show the date limit, without a signal; None keeps the proposed date."""
        with QSignalBlocker(self.dated), QSignalBlocker(self.date):
            self.dated.setChecked(before is not None)
            self.date.setEnabled(before is not None)
            if before is not None:
                self.date.setDate(QDate(before.year, before.month, before.day))

    def show_proposal(self, day: date | None) -> None:
        """The date proposed when the limit is switched on."""
        if day is not None and not self.dated.isChecked():
            with QSignalBlocker(self.date):
                self.date.setDate(QDate(day.year, day.month, day.day))

    def show_within(self, classes: tuple[ClassFilter, ...]) -> None:
        """Show the class filter; without classes there is nothing to show."""
        names = tr(" or ").join(map(str, classes))
        more = f" +{len(classes) - 1}" if len(classes) > 1 else ""
        self.within.setText(
            tr("Only {symbol}{more} ✕", symbol=classes[0].symbol, more=more) if classes else ""
        )
        self.within.setAccessibleName(tr("Only documents of {names}", names=names) if classes else "")
        self.within.setToolTip(
            wrap_tip(
                tr(
                    "Only documents of {names}, with everything below. Click: documents of all classes",
                    names=names,
                )
            )
        )
        self.within.setChecked(bool(classes))
        self.within.setVisible(bool(classes))
        self._fit()

    def show_dates(self, dates: ReferenceDates | None, claim: int) -> None:
        """Show the dates of the application that count for a claim."""
        self.dates.show_dates(dates, claim)
        self.claim.show_dates(dates)

    def _claim_taken(self, row: int) -> None:
        self.claim_chosen.emit(self.claim.itemData(row))
        if self._by_key:
            self._by_key = False
            self.left.emit()

    def show_legs(self, legs: tuple[Ranker, ...]) -> None:
        """Show the rankers in use, without a signal."""
        for leg, box in self.legs.items():
            with QSignalBlocker(box):
                box.setChecked(leg in legs)

    def show_count(self, text: str) -> None:
        """Show how many documents were found."""
        self.count.setText(text)

    def set_running(self, *, running: bool) -> None:
        """Show on the button whether a search runs; pressing it again restarts the search."""
        self.run.setText(tr("Running…") if running else tr("Search claim"))

    def _lay_out(self) -> None:
        line = QHBoxLayout(self)
        line.setContentsMargins(*design.BAR)
        line.setSpacing(design.APART)
        line.addWidget(self.source)
        line.addWidget(self.claim, 1)
        line.addSpacing(design.TIGHT)
        line.addWidget(self.dated)
        line.addWidget(self.date)
        line.addWidget(self.dates)
        line.addWidget(self.within)
        line.addSpacing(design.TIGHT)
        for box in self.legs.values():
            line.addWidget(box)
        line.addSpacing(design.TIGHT)
        line.addWidget(self.count)
        line.addWidget(self.run)

    def _date_edited(self) -> None:
        self.date.setEnabled(self.dated.isChecked())
        chosen = self.date.date()
        day = date(chosen.year(), chosen.month(), chosen.day())
        self.before_chosen.emit(day if self.dated.isChecked() else None)

    def _leave_within(self) -> None:
        # Its look follows the filter, not the click.
        self.within.setChecked(True)
        self.within_left.emit()

    def _legs_edited(self) -> None:
        # No ranker at all would find nothing: switching the last one off brings all of them back.
        chosen = tuple(leg for leg, box in self.legs.items() if box.isChecked()) or SEARCH_RANKERS
        self.show_legs(chosen)
        self.legs_chosen.emit(chosen)
