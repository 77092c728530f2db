"""Tool tips that name the keys of a command as they are now, also after the user has changed them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from claimlight_workbench.language import english, tr
from claimlight_workbench.wording import wrap_tip

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

_COMMAND, _TIP = "command", "tip"
_NATIVE = QKeySequence.SequenceFormat.NativeText


def set_tip(widget: QWidget, tip: str, *, command: str = "") -> None:
    """Give a widget a tool tip; ``command`` is the name of the command whose keys it names."""
    widget.setProperty(_COMMAND, str(english(command)))
    widget.setProperty(_TIP, tip)
    widget.setToolTip(wrap_tip(tip))


def follow_keys(root: QWidget, actions: Mapping[str, QAction]) -> None:
    """Have the tool tips of a window name the keys of its commands; once, when it has its commands.

    ``actions``: by their English names.
    """
    for widget in root.findChildren(QWidget):
        action = actions.get(str(widget.property(_COMMAND) or ""))
        if action is not None:
            follow_action(widget, action, tip=str(widget.property(_TIP)))


def follow_action(widget: QWidget, action: QAction, *, tip: str) -> None:
    """Have a tool tip name the keys of this action."""
    widget.setProperty(_TIP, tip)
    action.changed.connect(partial(_show, widget, action))
    _show(widget, action)


def _show(widget: QWidget, action: QAction) -> None:
    show_keys(widget, action, tip=str(widget.property(_TIP)))


def show_keys(widget: QWidget, action: QAction, *, tip: str) -> None:
    """Have a tool tip name the keys of an action as they are now."""
    keys = ", ".join(key.toString(_NATIVE) for key in action.shortcuts())
    widget.setToolTip(wrap_tip(tr("{tip} ({keys})", tip=tip, keys=keys) if keys else tip))
