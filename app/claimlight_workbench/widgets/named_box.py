"""Names a box of choices for screen readers by what it chooses, where it has no label on the screen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QComboBox, QLabel


def name_box(box: QComboBox, name: str) -> None:
    """Give a box its accessible name; called again, another one.

    On Linux, Qt announces the chosen text as the name of such a box, and leaves the name to the label that
    the box is related to: it gets one that is never on the screen.
    """
    box.setAccessibleName(name)
    label = box.findChild(_Label) or _beside(box)
    if label is None:
        label = _Label(box)
    label.setText(name.replace("&", "&&"))


def _beside(box: QComboBox) -> _Label | None:
    holder = box.parentWidget()
    labels = holder.findChildren(_Label) if holder is not None else []
    return next((each for each in labels if each.buddy() is box), None)


class _Label(QLabel):
    """Qt looks for it among the children of the widget that holds the box."""

    def __init__(self, box: QComboBox) -> None:
        super().__init__(box.parentWidget() or box)
        self.hide()
        self.setBuddy(box)
        box.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ParentChange and isinstance(watched, QComboBox):
            self.setParent(watched.parentWidget() or watched)
        return False
