"""Two panels about the open document: its family, and its citations in both directions."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QTreeWidgetItem, QVBoxLayout, QWidget

from claimlight.types import relation_words
from claimlight_workbench import design, theme
from claimlight_workbench.language import tell, tr
from claimlight_workbench.screens.relations.describe import (
    citation_title,
    family_title,
    groups,
    held_by,
    history_cells,
    history_spoken,
    history_title,
    link_cells,
    link_spoken,
    member_cells,
)
from claimlight_workbench.widgets.empty_state import GO_TO_RESULTS, EmptyState
from claimlight_workbench.widgets.enter_tree import EnterTree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from claimlight.types import CitationView, FamilyView
    from claimlight_workbench.models.desk import Left

_NOTHING = tr("No document open")
_PUBLICATION = int(Qt.ItemDataRole.UserRole)
_MEMBER_HEADINGS = (
    "",
    tr("Publication"),
    tr("Kind"),
    tr("Published"),
    tr("Filed"),
    tr("Priority"),
    tr("Title"),
)
_LINK_HEADINGS = (tr("Document"), tr("Category"), tr("Published"), tr("Title or text"), tr("Claims, passage"))


class SetOf(StrEnum):
    """The documents of a panel that become a set."""

    CITED = "cited"
    CITING = "citing"
    BOTH = "both"
    FAMILY = "family"


_SETS = {
    SetOf.CITED: (
        tr("Cited as a set"),
        tr("Make a numbered set of the documents of this library that it cites"),
    ),
    SetOf.CITING: (tr("Citing as a set"), tr("Make a numbered set of the documents that cite it")),
    SetOf.BOTH: (
        tr("Both as a set"),
        tr("Make a numbered set of the documents that it cites and that cite it"),
    ),
    SetOf.FAMILY: (tr("As a set"), tr("Make a numbered set of the family members in this library")),
}


class FamilyPanel(QWidget):
    """The family members in the library, and the filing history; Enter opens one."""

    chosen = Signal(str)
    """Publication of the row that was activated."""
    set_wanted = Signal(object)
    """`SetOf`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(_NOTHING)
        self.title.setObjectName("title")
        self.title.setWordWrap(True)
        self.list = EnterTree(tr("Members of the family"), _MEMBER_HEADINGS, stretched=6)
        self.list.setRootIsDecorated(False)
        self.list.headerItem().setToolTip(0, tr("● represents the family in the results"))
        self.list.headerItem().setData(0, Qt.ItemDataRole.AccessibleTextRole, tr("Role in the family"))
        self.sets = _SetButtons(self.set_wanted, SetOf.FAMILY)
        self.empty = EmptyState(
            tr("The family members of the open document that are in the library are listed here."),
            GO_TO_RESULTS,
            over=self.list,
        )
        _stack(self, self.title, self.sets, self.list)
        self.list.itemActivated.connect(lambda item: _activate(item, self.chosen))

    def show_family(self, view: FamilyView, current: str) -> None:
        """Show a family and select the open document."""
        self.empty.set_empty(False)
        self.title.setText(family_title(view))
        self.title.setToolTip(view.label)
        self.list.clear()
        for member in view.members:
            item = QTreeWidgetItem(member_cells(member))
            publication = str(member.patent.publication)
            item.setData(0, _PUBLICATION, publication)
            item.setToolTip(0, tr("Represents the family") if member.representative else "")
            item.setData(
                0,
                Qt.ItemDataRole.AccessibleTextRole,
                tr("representative") if member.representative else tr("member"),
            )
            item.setToolTip(
                2, tr("Kind code {code}: {words}", code=member.kind.code, words=tell(member.kind.words))
            )
            item.setToolTip(6, f"{member.patent.title}\n{member.patent.applicant}")
            self.list.addTopLevelItem(item)
            if publication == current:
                self.list.setCurrentItem(item)
        self._show_history(view)
        self.sets.allow({SetOf.FAMILY: len(view.members)})
        self.list.fit()

    def _show_history(self, view: FamilyView) -> None:
        """Show the document's filing history, below the members."""
        if not view.history:
            return
        head = QTreeWidgetItem([history_title(view)])
        self.list.addTopLevelItem(head)
        head.setFirstColumnSpanned(True)
        grey = QBrush(QColor(theme.active().muted))
        for entry in view.history:
            item = QTreeWidgetItem(history_cells(entry))
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, history_spoken(entry))
            if entry.patent is not None:
                item.setData(0, _PUBLICATION, str(entry.patent.publication))
                tip = tr(
                    "{relation_words}\n{title}\nEnter opens it",
                    relation_words=tell(relation_words(entry.related)),
                    title=entry.patent.title,
                )
            else:
                tip = tr(
                    "{relation_words}\nNot in this library",
                    relation_words=tell(relation_words(entry.related)),
                )
            for column in range(len(_MEMBER_HEADINGS)):
                item.setToolTip(column, tip)
                if entry.patent is None:
                    item.setForeground(column, grey)
            self.list.addTopLevelItem(item)

    def clear_out(self, _left: Left) -> None:
        """Show that no document is open."""
        self.sets.allow({})
        self.empty.set_empty(True)
        _empty(self.title, self.list)


class CitationPanel(QWidget):
    """Citations in both directions, by origin; Enter opens those in the library, the others are grey."""

    chosen = Signal(str)
    set_wanted = Signal(object)
    """`SetOf`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(_NOTHING)
        self.title.setObjectName("title")
        self.title.setWordWrap(True)
        self.list = EnterTree(tr("Citations of the document"), _LINK_HEADINGS, stretched=3)
        self.sets = _SetButtons(self.set_wanted, SetOf.CITED, SetOf.CITING, SetOf.BOTH)
        self.empty = EmptyState(
            tr("What the open document cites, and what cites it, is listed here."),
            GO_TO_RESULTS,
            over=self.list,
        )
        _stack(self, self.title, self.sets, self.list)
        self.list.itemActivated.connect(lambda item: _activate(item, self.chosen))

    def show_citations(self, view: CitationView) -> None:
        """Show citations."""
        self.empty.set_empty(False)
        self.title.setText(citation_title(view))
        held = {SetOf.CITED: held_by(view.cites), SetOf.CITING: held_by(view.cited_by)}
        self.sets.allow({**held, SetOf.BOTH: min(held.values())})
        self.list.clear()
        grey = QBrush(QColor(theme.active().muted))
        for group in groups(view):
            head = QTreeWidgetItem([group.title])
            self.list.addTopLevelItem(head)
            head.setFirstColumnSpanned(True)
            for link in group.links:
                item = QTreeWidgetItem(link_cells(link))
                item.setData(0, Qt.ItemDataRole.AccessibleTextRole, link_spoken(link))
                if link.patent is not None:
                    item.setData(0, _PUBLICATION, str(link.patent.publication))
                    tip = tr(
                        "{title}\n{applicant}\nEnter opens it",
                        title=link.patent.title,
                        applicant=link.patent.applicant,
                    )
                else:
                    tip = tr("{words}\nNot in this library", words=" ".join(link.text.split())).strip()
                    for column in range(len(_LINK_HEADINGS)):
                        item.setForeground(column, grey)
                for column in range(len(_LINK_HEADINGS)):
                    item.setToolTip(column, tip)
                head.addChild(item)
            head.setExpanded(True)
        self.list.fit()

    def clear_out(self, _left: Left) -> None:
        """Show that no document is open."""
        self.sets.allow({})
        self.empty.set_empty(True)
        _empty(self.title, self.list)


class _SetButtons(QWidget):
    """A button for each set that a panel can make."""

    def __init__(self, wanted: object, *which: SetOf) -> None:
        super().__init__()
        self.buttons: dict[SetOf, QToolButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(design.TIGHT)
        for each in which:
            button = QToolButton()
            text, tip = _SETS[each]
            button.setText(text)
            button.setToolTip(tip)
            button.clicked.connect(lambda _=False, each=each: wanted.emit(each))  # type: ignore[attr-defined]
            self.buttons[each] = button
            row.addWidget(button)
        row.addStretch(1)
        self.allow({})

    def allow(self, counts: Mapping[SetOf, int]) -> None:
        """Enable what has documents."""
        for each, button in self.buttons.items():
            button.setEnabled(counts.get(each, 0) > 0)


def _empty(title: QLabel, rows: EnterTree) -> None:
    title.setText(_NOTHING)
    title.setToolTip("")
    rows.clear()


def _stack(panel: QWidget, *parts: QWidget) -> None:
    column = QVBoxLayout(panel)
    column.setContentsMargins(*design.PANEL)
    column.setSpacing(design.TIGHT)
    for part in parts:
        column.addWidget(part)


def _activate(item: QTreeWidgetItem, signal: object) -> None:
    if publication := item.data(0, _PUBLICATION):
        signal.emit(publication)  # type: ignore[attr-defined] # a bound Signal
