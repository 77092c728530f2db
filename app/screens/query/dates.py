"""The dates of the application: filed, priority, whether the priority holds, and that of a single claim."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from PySide6.QtCore import QDate, QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDateEdit,
    QGridLayout,
    QLabel,
    QMenu,
    QToolButton,
    QWidget,
    QWidgetAction,
)

from core.types import ClaimPriority, ReferenceDates


class OptionalDate(QWidget):
    """A date that may be missing: a box that says whether there is one, and the day."""

    edited = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QCheckBox(name)
        self.day = QDateEdit(QDate.currentDate())
        self.day.setDisplayFormat("yyyy-MM-dd")
        self.day.setCalendarPopup(True)
        self.day.setAccessibleName(name)
        self.day.setEnabled(False)
        self.box.toggled.connect(self.day.setEnabled)
        self.box.toggled.connect(self.edited)
        self.day.dateChanged.connect(self.edited)

    def value(self) -> date | None:
        """The day; None where there is none."""
        chosen = self.day.date()
        return date(chosen.year(), chosen.month(), chosen.day()) if self.box.isChecked() else None

    def show_value(self, value: date | None) -> None:
        """Show a day without telling."""
        with QSignalBlocker(self.box), QSignalBlocker(self.day):
            self.box.setChecked(value is not None)
            self.day.setEnabled(value is not None)
            if value is not None:
                self.day.setDate(QDate(value.year, value.month, value.day))


class DatesPanel(QWidget):
    """What the button opens."""

    chosen = Signal(object)
    """`ReferenceDates`, or None where there is no date."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dates = ReferenceDates()
        self._claim = 0
        self.filed = OptionalDate("Filed")
        self.priority = OptionalDate("Earliest priority")
        self.verified = QCheckBox("Priority verified")
        self.verified.setToolTip("Until it is found valid, the filing date counts for every claim")
        self.own = OptionalDate("This claim has another priority")
        self.own.box.setToolTip("Ticked with a day: that one counts for the claim that is searched")
        self.none = QCheckBox("This claim has no priority")
        grid = QGridLayout(self)
        for row, item in enumerate((self.filed, self.priority)):
            grid.addWidget(item.box, row, 0)
            grid.addWidget(item.day, row, 1)
            item.edited.connect(self._edited)
        grid.addWidget(self.verified, 2, 0, 1, 2)
        grid.addWidget(self.own.box, 3, 0)
        grid.addWidget(self.own.day, 3, 1)
        grid.addWidget(self.none, 4, 0, 1, 2)
        help_line = QLabel("They give every row its zone: prior art, P, E.")
        help_line.setObjectName("muted")
        grid.addWidget(help_line, 5, 0, 1, 2)
        self.verified.toggled.connect(self._edited)
        self.own.edited.connect(lambda: self._of_claim(self.none))
        self.none.toggled.connect(lambda: self._of_claim(self.own.box))

    def show_dates(self, dates: ReferenceDates, claim: int) -> None:
        """Show dates without telling."""
        self._dates, self._claim = dates, claim
        self.filed.show_value(dates.filed)
        self.priority.show_value(dates.priority)
        own = next((each for each in dates.claims if each.claim == claim), None)
        self.own.box.setText(
            f"Claim {claim} has another priority" if claim else "This claim has another priority"
        )
        self.none.setText(f"Claim {claim} has no priority" if claim else "This claim has no priority")
        self.own.show_value(own.priority if own is not None else None)
        with QSignalBlocker(self.verified), QSignalBlocker(self.none):
            self.verified.setChecked(dates.verified)
            self.none.setChecked(own is not None and own.priority is None)

    def _of_claim(self, other: QCheckBox) -> None:
        """A priority of its own and none at all exclude each other."""
        sender_on = self.own.box.isChecked() if other is self.none else self.none.isChecked()
        if sender_on and other.isChecked():
            with QSignalBlocker(other):
                other.setChecked(False)
            self.own.day.setEnabled(self.own.box.isChecked())
        self._edited()

    def _edited(self) -> None:
        others = tuple(each for each in self._dates.claims if each.claim != self._claim)
        own: tuple[ClaimPriority, ...] = ()
        if self.none.isChecked() or self.own.value() is not None:
            own = (ClaimPriority(self._claim, None if self.none.isChecked() else self.own.value()),)
        self._dates = replace(
            self._dates,
            filed=self.filed.value(),
            priority=self.priority.value(),
            verified=self.verified.isChecked(),
            claims=(*others, *own),
        )
        known = self._dates.filed is not None or self._dates.priority is not None
        self.chosen.emit(self._dates if known else None)


class DatesButton(QToolButton):
    """Says the dates; opens the panel that changes them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.panel = DatesPanel()
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        action = QWidgetAction(menu)
        action.setDefaultWidget(self.panel)
        menu.addAction(action)
        self.setMenu(menu)
        self._short = False
        self._words = ("", "")
        self.show_dates(None, 0)

    def set_short(self, *, short: bool) -> None:
        """In a narrow window the button names the earlier date only."""
        if short != self._short:
            self._short = short
            self.setText(self._words[short])

    def show_dates(self, dates: ReferenceDates | None, claim: int) -> None:
        """Show the dates that count for a claim."""
        self.panel.show_dates(dates or ReferenceDates(), claim)
        words = dates_text(dates, claim)
        self._words = (words, words.rpartition(", ")[2])
        self.setText(self._words[self._short])
        self.setAccessibleName(f"Dates of the application: {words}")
        self.setToolTip(
            "Filing and priority date of the application, for the zones of the results\n"
            + (
                f"what counts for claim {claim}: {dates.relevant(claim)}"
                if dates is not None
                else "none given"
            )
        )


def dates_text(dates: ReferenceDates | None, claim: int) -> str:
    """``filed 2019-05-02, prio 2018-05-03 ✓``."""
    if dates is None:
        return "Dates…"
    own = next((each for each in dates.claims if each.claim == claim), None)
    priority = own.priority if own is not None else dates.priority
    parts = [f"filed {dates.filed}"] if dates.filed is not None else []
    if priority is not None:
        parts.append(f"prio {priority} {'✓' if dates.verified else '(not verified)'}")
    elif own is not None:
        parts.append("no priority")
    return ", ".join(parts) or "Dates…"
