"""Has a screen reader say what has changed on the screen away from where the keys are."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str) -> None:
    """Say a text after what is being read; nothing happens without a screen reader."""
    if text and QAccessible.isActive() and widget.isVisible():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))
