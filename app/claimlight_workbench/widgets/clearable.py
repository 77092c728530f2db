"""A line with a button that empties it, which has a name for screen readers; Qt gives it none."""

from __future__ import annotations

from PySide6.QtWidgets import QKeySequenceEdit, QLineEdit, QToolButton

from claimlight_workbench.language import tr


def make_clearable(line: QLineEdit | QKeySequenceEdit) -> None:
    """Offer the button as soon as something is entered."""
    line.setClearButtonEnabled(True)
    for button in line.findChildren(QToolButton):
        button.setAccessibleName(tr("Clear"))
