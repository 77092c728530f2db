"""Labels that wrap their text and never widen the window, and change with what they say."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


def make_wrapped_label(text: str = "", *, name: str = "") -> QLabel:
    """Plain text, which may contain a single word of any length. ``name`` is for the style sheet."""
    label = QLabel(text)
    label.setObjectName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label


def rename(widget: QWidget, name: str) -> None:
    """Give a widget the look that the style sheet has for a name."""
    if name == widget.objectName():
        return
    widget.setObjectName(name)
    # The style sheet looks at a name only while it polishes a widget.
    widget.style().unpolish(widget)
    widget.style().polish(widget)
