"""The classes accepted for the application: one line below the pages, while there are any."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.models.desk import Left
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from claimlight.types import AcceptedClass, ClassFilter


class AcceptedStrip(QWidget):
    """A button for each class, and whether searches are restricted to them."""

    withdrawn = Signal(object)
    """An `AcceptedClass` is to be removed."""
    shown_wanted = Signal(object)
    """An `AcceptedClass` is to be shown in the tree."""
    restricted = Signal(bool)
    """Whether only documents of these classes are to be searched."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.classes: tuple[AcceptedClass, ...] = ()
        self.buttons: list[QToolButton] = []
        self.only = QCheckBox(tr("Search only in these"))
        self.only.setToolTip(
            wrap_tip(tr("Only documents with one of these classes or one below it are searched and listed"))
        )
        self.only.toggled.connect(self.restricted)
        label = QLabel(tr("Accepted"))
        label.setObjectName("muted")
        self._held = QWidget()
        self._flow = FlowLayout(self._held, spacing=3)
        policy = self._held.sizePolicy()
        policy.setHeightForWidth(True)
        self._held.setSizePolicy(policy)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(design.TIGHT)
        line.addWidget(label)
        line.addWidget(self._held, 1)
        line.addWidget(self.only)
        self.hide()

    def show_classes(self, classes: tuple[AcceptedClass, ...]) -> None:
        """Show the classes of the open case."""
        if classes != self.classes:
            self.classes = classes
            self._fill()
        self.setVisible(bool(classes))

    def show_within(self, within: tuple[ClassFilter, ...]) -> None:
        """Show whether searches are restricted to these classes; another filter is none of this strip."""
        own = {(each.scheme, each.symbol) for each in self.classes}
        same = bool(own) and {(each.scheme, each.symbol) for each in within} == own
        with QSignalBlocker(self.only):
            self.only.setChecked(same)

    def clear_out(self, left: Left) -> None:
        """The classes belong to the case that is left."""
        if left is Left.CASE:
            self.show_classes(())

    def make_menu(self, accepted: AcceptedClass) -> QMenu:
        """What can be done with an accepted class."""
        menu = QMenu(self)
        menu.addAction(tr("Show in the tree"), lambda: self.shown_wanted.emit(accepted))
        menu.addAction(
            tr("Remove {accepted} from the case", accepted=accepted), lambda: self.withdrawn.emit(accepted)
        )
        return menu

    def _fill(self) -> None:
        for button in self.buttons:
            self._flow.removeWidget(button)
            button.deleteLater()
        self.buttons = []
        for each in self.classes:
            button = QToolButton()
            button.setObjectName("symbol")
            button.setText(str(each))
            tip = each.title or str(each)
            if each.probability is not None:
                tip += tr(
                    "\nSuggested with a probability of {probability} by {classifier}",
                    probability=round(100 * each.probability),
                    classifier=each.classifier,
                )
            button.setToolTip(wrap_tip(tip))
            button.setAccessibleName(tr("Accepted class {each}", each=each))
            button.setAccessibleDescription(tip)
            button.clicked.connect(partial(self._offer, button, each))
            self.buttons.append(button)
            self._flow.addWidget(button)

    def _offer(self, button: QToolButton, accepted: AcceptedClass) -> None:
        self.make_menu(accepted).popup(button.mapToGlobal(QPoint(0, button.height())))
