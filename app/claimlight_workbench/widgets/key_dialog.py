"""Choosing the keys of one command."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFormLayout,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.tab_order import OrderedDialog

_SHOWN = QKeySequence.SequenceFormat.NativeText


class KeyDialog(OrderedDialog):
    """Two fields, as a command has two keys at most here; an empty one means no key."""

    def __init__(
        self,
        name: str,
        keys: Sequence[QKeySequence],
        default: Sequence[QKeySequence],
        *,
        holder: Callable[[QKeySequence], str],
        parent: QWidget | None = None,
    ) -> None:
        """``holder`` names the other command that has a key; empty if none has."""
        super().__init__(parent)
        self.setWindowTitle(tr("Keys of “{name}”", name=name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._holder = holder
        self._default = tuple(default)
        self._rest = tuple(keys[2:])
        self.fields = [QKeySequenceEdit() for _ in range(2)]
        form = QFormLayout()
        for label, field in zip((tr("&Key"), tr("&Second key")), self.fields, strict=True):
            # One stroke: the first of two would run the command that has it alone.
            field.setMaximumSequenceLength(1)
            make_clearable(field)
            named = tr("{label} of {name}", label=label.replace("&", ""), name=name)
            # The line within has the keys.
            for each in (field, *field.findChildren(QLineEdit)):
                each.setAccessibleName(named)
            field.keySequenceChanged.connect(self._tell)
            form.addRow(label, field)
        self.note = QLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setWordWrap(True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        restore = self.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        restore.setText(tr("&Default keys"))
        restore.setToolTip(", ".join(key.toString(_SHOWN) for key in default) or tr("No key"))
        restore.clicked.connect(self._restore)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.note)
        column.addWidget(self.buttons)
        self.setMinimumWidth(design.letters(self, 60))
        self._show(keys)

    @property
    def keys(self) -> tuple[QKeySequence, ...]:
        """The keys as chosen, each once."""
        chosen = (field.keySequence() for field in self.fields)
        return tuple(dict.fromkeys((*(key for key in chosen if not key.isEmpty()), *self._rest)))

    def _show(self, keys: Sequence[QKeySequence]) -> None:
        for place, field in enumerate(self.fields):
            field.setKeySequence(keys[place] if place < len(keys) else QKeySequence())
        self._tell()

    def _restore(self) -> None:
        self._rest = self._default[2:]
        self._show(self._default)

    def _tell(self) -> None:
        """What OK takes from other commands."""
        taken = [
            tr("{key} is a key of “{name}”, which loses it.", key=key.toString(_SHOWN), name=name)
            for key in self.keys
            if (name := self._holder(key))
        ]
        self.note.setText("\n".join(taken) or tr("Click into a field and press the key."))
