"""Turns an exception into a message box; no other module does.

Errors that the user can correct are reported in one sentence, defects of the program with details to copy.
"""

from __future__ import annotations

import logging
import traceback

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from claimlight import journal
from claimlight.errors import AppError, InputError, ResourceError
from claimlight_workbench.language import tell, tr

_log = logging.getLogger(__name__)


def title_of(error: BaseException) -> str:
    """Title of the box, in a few words."""
    if isinstance(error, InputError):
        return tr("Check your input")
    if isinstance(error, ResourceError):
        return tr("Something is missing")
    if isinstance(error, AppError):
        return tr("That did not work")
    return tr("Defect in Claimlight")


def message_of(error: BaseException) -> str:
    """Text of the box."""
    if isinstance(error, AppError):
        return tell(str(error))
    return tr(
        "Claimlight hit an internal error. Your case is saved and you can keep working. The "
        "details below help us fix it; they stay on this machine unless you send them."
    )


def show(parent: QWidget, error: BaseException, *, doing: str = "") -> QMessageBox:
    """Open a box that does not block the program; ``doing`` says what failed."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    known = isinstance(error, AppError)
    box.setIcon(QMessageBox.Icon.Warning if known else QMessageBox.Icon.Critical)
    box.setWindowTitle(title_of(error))
    box.setText(f"{doing}: {message_of(error)}" if doing else message_of(error))
    box.setTextFormat(Qt.TextFormat.PlainText)
    if not known:
        # The place of the defect is kept and logged, never the values: a message may hold claim text.
        journal.keep_defect(error)
        last = traceback.extract_tb(error.__traceback__)[-1:]
        _log.error("defect: %s at %s", type(error).__name__, last)
        box.setDetailedText("".join(traceback.format_exception(error)))
    box.open()
    return box
