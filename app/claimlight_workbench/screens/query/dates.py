"""The dates of the application: filing, priority and its validity, priority by claim, the law."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from PySide6.QtCore import QDate, QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDateEdit,
    QGridLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
    QWidgetAction,
)

from claimlight.types import ClaimPriority, ReferenceDates, RuleSet
from claimlight_workbench.language import tr
from claimlight_workbench.widgets import tab_order

_RULES = {
    RuleSet.EPC: (tr("EPC"), tr("Art. 54(2), 54(3), 56, 87 to 89 EPC")),
    RuleSet.US: (tr("US (AIA)"), tr("35 USC 102(a)(1), (a)(2), (b)(1), (b)(2), 103")),
}
_ARROW = 12
"""Pixels."""


class OptionalDate(QWidget):
    """An optional date: a check box and the date."""

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
        """The day; None if there is none."""
        chosen = self.day.date()
        return date(chosen.year(), chosen.month(), chosen.day()) if self.box.isChecked() else None

    def show_value(self, value: date | None, *, proposed: date | None = None) -> None:
        """Show a date, without a signal; for None the box is off and shows the proposed date."""
        with QSignalBlocker(self.box), QSignalBlocker(self.day):
            self.box.setChecked(value is not None)
            self.day.setEnabled(value is not None)
            day = value or proposed
            if day is not None:
                self.day.setDate(QDate(day.year, day.month, day.day))


class DatesPanel(QWidget):
    """The panel that the button opens."""

    chosen = Signal(object)
    """`ReferenceDates`, or None if there is no date."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dates = ReferenceDates()
        self._claim = 0
        self.rules = QComboBox()
        self.rules.setAccessibleName(tr("Law for the date status"))
        for rules, (name, tip) in _RULES.items():
            self.rules.addItem(name, rules.value)
            self.rules.setItemData(self.rules.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.rules.setToolTip("\n".join(f"{name}: {tip}" for name, tip in _RULES.values()))
        self.filed = OptionalDate(tr("Filed"))
        self.priority = OptionalDate(tr("Earliest priority"))
        self.verified = QCheckBox(tr("Priority valid"))
        self.verified.setToolTip(
            tr(
                "Tick this once you have found the priority valid (Art. 87 to 89 EPC; 35 USC 119, "
                "120).\nUntil then the filing date is the relevant date, and documents published "
                "between the two are marked P."
            )
        )
        self.own = OptionalDate(tr("Different priority date for this claim"))
        self.own.box.setToolTip(tr("This priority date counts for the claim that is searched"))
        self.none = QCheckBox(tr("This claim not entitled to priority"))
        self.relevant = QLabel()
        self.relevant.setObjectName("muted")
        self.proposal = QLabel(tr("Taken from the application file or document; please confirm."))
        self.proposal.setObjectName("warning")
        self.confirm = QPushButton(tr("Confirm dates"))
        # In a menu, which has no default button, Enter presses it too.
        self.confirm.setAutoDefault(True)
        self.confirm.setToolTip(
            tr("Confirm that these are the dates of the application; changing one confirms them too")
        )
        self._lay_out()
        # `activated` is a choice of the user; `currentIndexChanged` would also follow `show_dates`.
        self.rules.activated.connect(self._edited)
        self.filed.edited.connect(self._edited)
        self.priority.edited.connect(self._edited)
        self.verified.toggled.connect(self._edited)
        self.own.edited.connect(lambda: self._of_claim(self.none))
        self.none.toggled.connect(lambda: self._of_claim(self.own.box))
        self.confirm.clicked.connect(self._edited)

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        law = QLabel(tr("Law"))
        law.setBuddy(self.rules)
        grid.addWidget(law, 0, 0)
        grid.addWidget(self.rules, 0, 1)
        for row, item in enumerate((self.filed, self.priority), 1):
            grid.addWidget(item.box, row, 0)
            grid.addWidget(item.day, row, 1)
        grid.addWidget(self.verified, 3, 0, 1, 2)
        grid.addWidget(self.own.box, 4, 0)
        grid.addWidget(self.own.day, 4, 1)
        grid.addWidget(self.none, 5, 0, 1, 2)
        grid.addWidget(self.relevant, 6, 0, 1, 2)
        grid.addWidget(self.proposal, 7, 0, 1, 2)
        grid.addWidget(self.confirm, 8, 0, 1, 2)

    def focusNextPrevChild(self, forward: bool) -> bool:  # noqa: FBT001 - as Qt declares it
        # The menu that holds the panel would take the keys, and keep them.
        return tab_order.step(self, forward=forward)

    def take_keys(self) -> None:
        """Begin with what is to be done: confirming a proposal, else with the first date."""
        first = self.filed.box if self.confirm.isHidden() else self.confirm
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_dates(self, dates: ReferenceDates, claim: int) -> None:
        """Show dates, without a signal."""
        self._dates, self._claim = dates, claim
        self.filed.show_value(dates.filed, proposed=dates.priority)
        self.priority.show_value(dates.priority, proposed=dates.filed)
        own = next((each for each in dates.claims if each.claim == claim), None)
        self.own.box.setText(
            tr("Different priority date for claim {claim}", claim=claim)
            if claim
            else tr("Different priority date for this claim")
        )
        self.none.setText(
            tr("Claim {claim} not entitled to priority", claim=claim)
            if claim
            else tr("This claim not entitled to priority")
        )
        self.own.show_value(own.priority if own is not None else None, proposed=dates.priority or dates.filed)
        with QSignalBlocker(self.verified), QSignalBlocker(self.none), QSignalBlocker(self.rules):
            self.verified.setChecked(dates.verified)
            self.none.setChecked(own is not None and own.priority is None)
            self.rules.setCurrentIndex(self.rules.findData(dates.rules.value))
        # Nothing can be valid that is not claimed; a claim of its own priority has its validity too.
        self.verified.setEnabled(dates.claimed(claim) is not None)
        relevant = dates.relevant(claim)
        self.relevant.setText(tr("Relevant date: {relevant}", relevant=relevant or tr("unknown")))
        known = dates.filed is not None or dates.priority is not None
        self.proposal.setVisible(known and not dates.confirmed)
        self.confirm.setVisible(known and not dates.confirmed)

    def _of_claim(self, other: QCheckBox) -> None:
        """A claim's own priority and none at all exclude each other."""
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
            rules=RuleSet(self.rules.currentData()),
            confirmed=True,
        )
        known = self._dates.filed is not None or self._dates.priority is not None
        self.chosen.emit(self._dates if known else None)


class DatesButton(QToolButton):
    """Shows the dates; opens the panel to change them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.panel = DatesPanel()
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        action = QWidgetAction(menu)
        action.setDefaultWidget(self.panel)
        menu.addAction(action)
        self.setMenu(menu)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._short = False
        self._words = ("", "")
        self.show_dates(None, 0)

    def sizeHint(self) -> QSize:
        # The arrow of the menu is drawn over the last letter otherwise.
        return super().sizeHint() + QSize(_ARROW, 0)

    def minimumSizeHint(self) -> QSize:
        # All dates written out must not keep the window from getting narrow: then the short ones stand here.
        whole, least = self.sizeHint(), self.fontMetrics().horizontalAdvance(self._words[True])
        extra = whole.width() - self.fontMetrics().horizontalAdvance(self.text())
        return QSize(min(whole.width(), least + extra), whole.height())

    def open_panel(self) -> None:
        """Open the dates by key."""
        # `showMenu` would not return before the menu is closed.
        self.menu().popup(self.mapToGlobal(QPoint(0, self.height())))
        self.panel.take_keys()

    def set_short(self, *, short: bool) -> None:
        """In a narrow window the button shows the priority only."""
        if short != self._short:
            self._short = short
            self.setText(self._words[short])

    def show_dates(self, dates: ReferenceDates | None, claim: int) -> None:
        """Show the dates that count for a claim."""
        self.panel.show_dates(dates or ReferenceDates(), claim)
        words = dates_text(dates, claim)
        self._words = (words, short_text(dates, claim))
        self.setText(self._words[self._short])
        self.setAccessibleName(tr("Dates of the application: {words}", words=words))
        law = _RULES[dates.rules][1] if dates is not None else ""
        self.setToolTip(
            "\n".join(
                filter(
                    None,
                    (
                        tr("Dates of the application, for the date status of the results"),
                        words if dates is not None else tr("not given"),
                        law,
                        tr(
                            "Relevant date of claim {claim}: {relevant}",
                            claim=claim,
                            relevant=dates.relevant(claim),
                        )
                        if dates is not None
                        else "",
                        tr("Taken from the application file or document; please confirm")
                        if dates is not None and not dates.confirmed
                        else "",
                    ),
                )
            )
        )


def dates_text(dates: ReferenceDates | None, claim: int) -> str:
    """``EPC · Filed 2019-05-02 · Priority 2018-05-03 (validity not checked)``."""
    if dates is None:
        return tr("Dates…")
    priority = dates.claimed(claim)
    parts = [_RULES[dates.rules][0].partition(" ")[0]]
    if dates.filed is not None:
        parts.append(tr("Filed {filed}", filed=dates.filed))
    if priority is not None:
        parts.append(
            tr(
                "Priority {priority} ({verified})",
                priority=priority,
                verified=tr("valid") if dates.verified else tr("validity not checked"),
            )
        )
    elif dates.priority is not None:
        parts.append(tr("No priority"))
    return " · ".join(parts)


def short_text(dates: ReferenceDates | None, claim: int) -> str:
    """``Priority 2018-05-03 ?``, with a tick if it was found valid."""
    priority = dates.claimed(claim) if dates is not None else None
    if dates is None or priority is None:
        return dates_text(dates, claim).rpartition(" · ")[2]
    return tr("Priority {priority} {verified}", priority=priority, verified="✓" if dates.verified else "?")
