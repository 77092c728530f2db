"""The dialog that writes a note on a passage."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from claimlight_workbench.language import tr
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import make_wrapped_label

_QUOTED = 240
"""Letters of the words that are shown above the note."""


class PassageNoteDialog(OrderedDialog):
    """*Save* or Ctrl+Enter keeps the note; an empty one is removed."""

    written = Signal(str)

    def __init__(self, cited: str, words: str, note: str, parent: QWidget | None = None) -> None:
        """``cited`` is the passage as it is cited, ``words`` what the note is on."""
        super().__init__(parent)
        self.setWindowTitle(tr("Note on a passage"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = QLabel(cited)
        title.setObjectName("title")
        plain = " ".join(words.split())
        quoted = make_wrapped_label(plain[:_QUOTED] + ("…" if len(plain) > _QUOTED else ""), name="muted")
        self.note = QPlainTextEdit(note)
        self.note.setAccessibleName(tr("Note on {name}", name=cited))
        self.note.setTabChangesFocus(True)
        self.note.moveCursor(QTextCursor.MoveOperation.End)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.save)
        self.buttons.rejected.connect(self.reject)
        for key in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(key), self, self.save)
        column = QVBoxLayout(self)
        for each in (title, quoted, self.note, self.buttons):
            column.addWidget(each)
        self.resize(self.fontMetrics().averageCharWidth() * 70, self.fontMetrics().height() * 16)
        self.note.setFocus(Qt.FocusReason.OtherFocusReason)

    def save(self) -> None:
        """Keep what is written."""
        self.written.emit(self.note.toPlainText().strip())
        self.accept()
