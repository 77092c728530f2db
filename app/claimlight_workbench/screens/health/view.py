"""The dialog *Check this computer*: what is not well, why it matters and what to do; then what is well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFrame,
    QHeaderView,
    QLabel,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.language import tell, tr
from claimlight_workbench.screens.health.describe import (
    heading_of,
    state_of,
    summary_of,
    title_of,
    well_of,
    worst_first,
)
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import make_wrapped_label
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from claimlight.types.health import Finding

_SIZE = QSize(760, 560)
_PARTS = 4
"""Parts of the height that what is not well and what is well share."""


class CheckDialog(OrderedDialog):
    """A window beside the main one, which stays usable."""

    again_wanted = Signal()
    report_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Check this computer"))
        self.summary = make_wrapped_label(name="title")
        self._cards = QVBoxLayout()
        self._cards.setContentsMargins(0, 0, 0, 0)
        self._cards.setSpacing(design.NEAR)
        self.problems = QScrollArea()
        self.problems.setAccessibleName(tr("What is not well"))
        self.problems.setWidgetResizable(True)
        self.problems.setFrameShape(QFrame.Shape.NoFrame)
        self.problems.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = QWidget()
        around = QVBoxLayout(inner)
        around.setContentsMargins(0, 0, 0, 0)
        around.addLayout(self._cards)
        around.addStretch(1)
        self.problems.setWidget(inner)
        self.well_title = QLabel(tr("What is well"))
        self.well_title.setObjectName("muted")
        self.well = QTreeWidget()
        self.well.setAccessibleName(tr("What is well"))
        self.well.setHeaderHidden(True)
        self.well.setColumnCount(2)
        self.well.setRootIsDecorated(False)
        self.well.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        buttons = QDialogButtonBox()
        role = QDialogButtonBox.ButtonRole
        self.again = buttons.addButton(tr("Check again"), role.ActionRole)
        self.report = buttons.addButton(tr("Diagnostic report…"), role.ActionRole)
        self.report.setToolTip(
            wrap_tip(tr("Show what a support person would need to know, before anything is written"))
        )
        close = buttons.addButton(tr("Close"), role.RejectRole)
        close.setDefault(True)
        self._layout = layout = QVBoxLayout(self)
        layout.setSpacing(design.NEAR)
        layout.addWidget(self.summary)
        layout.addWidget(self.problems, 1)
        layout.addWidget(self.well_title)
        layout.addWidget(self.well, 1)
        layout.addWidget(buttons)
        self.resize(_SIZE)
        self.again.clicked.connect(self.again_wanted)
        self.report.clicked.connect(self.report_wanted)
        buttons.rejected.connect(self.reject)

    def show_running(self) -> None:
        """The checks run."""
        self.summary.setText(tr("Checking this computer…"))
        self.again.setEnabled(False)

    def show_failed(self) -> None:
        """The checks could not be run; the error is shown apart."""
        self.summary.setText("")
        self.again.setEnabled(True)

    def show_findings(self, findings: tuple[Finding, ...]) -> None:
        """Show what was found."""
        self.again.setEnabled(True)
        self.summary.setText(summary_of(findings))
        while (item := self._cards.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        bad = worst_first(findings)
        for finding in bad:
            self._cards.addWidget(_card(finding))
        # Labels are no stops of Tab: a screen reader gets them with the area that has the keys.
        self.problems.setAccessibleDescription("\n".join("\n".join(_lines(each)) for each in bad))
        self.problems.setVisible(bool(bad))
        # The more is not well, the more room it has.
        self._layout.setStretchFactor(self.problems, min(len(bad), _PARTS - 1))
        self._layout.setStretchFactor(self.well, max(_PARTS - len(bad), 1))
        self.well.clear()
        items = [QTreeWidgetItem([title_of(each), tell(each.state)]) for each in well_of(findings)]
        for row in items:
            row.setToolTip(1, row.text(1))
        self.well.addTopLevelItems(items)
        if items:
            self.well.setCurrentItem(items[0])


def _lines(finding: Finding) -> tuple[str, ...]:
    """What a card says: heading, state, why it matters, what to do."""
    return (
        heading_of(finding),
        state_of(finding),
        tell(finding.why),
        tr("What to do: {advice}", advice=tell(finding.advice)),
    )


def _card(finding: Finding) -> QFrame:
    card = QFrame()
    card.setObjectName("strip")
    heading, state, why, advice = _lines(finding)
    head = make_wrapped_label(heading, name="warning")
    font = head.font()
    font.setBold(True)
    head.setFont(font)
    layout = QVBoxLayout(card)
    layout.setContentsMargins(design.APART, design.NEAR, design.APART, design.NEAR)
    layout.setSpacing(design.HAIR)
    for label in (
        head,
        make_wrapped_label(state),
        make_wrapped_label(why, name="muted"),
        make_wrapped_label(advice),
    ):
        layout.addWidget(label)
    return card
