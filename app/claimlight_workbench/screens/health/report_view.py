"""The dialog *Diagnostic report*: every file with its full text, before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFileDialog,
    QListWidget,
    QPlainTextEdit,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.widgets.file_names import propose_file
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from claimlight.types.health import ReportFile

_SIZE = QSize(900, 580)
_SHARES = (210, 690)
_ENDING = ".zip"
_ABOUT = {
    "README.txt": tr("What this report is"),
    "program.json": tr("Versions of the program, its models and packages"),
    "computer.json": tr("Operating system, processor, memory, disk and screens"),
    "settings.json": tr("Settings you changed: numbers, switches and choices"),
    "findings.json": tr("What the checks of this computer found"),
    "library.json": tr("Sizes and counts of the library"),
    "jobs.json": tr("The last jobs: kind, duration, outcome"),
    "defects.json": tr("The last unexpected errors: class, and places in the program"),
}


class ReportDialog(OrderedDialog):
    """A window beside the main one."""

    write_wanted = Signal(object)
    """The path to write to."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Diagnostic report"))
        self._files: tuple[ReportFile, ...] = ()
        self.about = make_wrapped_label(
            tr(
                "For a person who helps you with the program. It has no text of claims, queries, documents "
                "or notes, no publication numbers, no names and no paths. Nothing is written before you "
                "choose “Save as…”, and nothing is sent."
            )
        )
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Files of the report"))
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("Text of the file"))
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.what = make_wrapped_label(name="muted")
        parts = QSplitter()
        parts.addWidget(self.list)
        parts.addWidget(self._right())
        parts.setSizes(list(_SHARES))
        parts.setChildrenCollapsible(False)
        parts.setStretchFactor(1, 1)
        buttons = QDialogButtonBox()
        role = QDialogButtonBox.ButtonRole
        self.save = buttons.addButton(tr("Save as…"), role.ActionRole)
        self.close_button = buttons.addButton(tr("Close"), role.RejectRole)
        self.close_button.setDefault(True)
        self.state = make_wrapped_label(name="muted")
        layout = QVBoxLayout(self)
        layout.setSpacing(design.NEAR)
        layout.addWidget(self.about)
        layout.addWidget(parts, 1)
        layout.addWidget(self.state)
        layout.addWidget(buttons)
        self.resize(_SIZE)
        self.list.currentRowChanged.connect(self._show_text)
        self.save.clicked.connect(self._ask_path)
        buttons.rejected.connect(self.reject)
        self.show_running()

    @property
    def files(self) -> tuple[ReportFile, ...]:
        """What is shown, and would be written."""
        return self._files

    def show_running(self) -> None:
        """The report is being made."""
        self._files = ()
        self.list.clear()
        self.text.clear()
        self.what.setText("")
        self.save.setEnabled(False)
        self._say(tr("Making the report; this takes a few seconds…"))

    def show_report(self, files: tuple[ReportFile, ...]) -> None:
        """Show the files."""
        self._files = files
        self.list.clear()
        for each in files:
            self.list.addItem(each.name)
        self.save.setEnabled(True)
        self._say("")
        self.list.setCurrentRow(0)

    def show_failed(self) -> None:
        """The report could not be made or written; the error is shown apart."""
        self.save.setEnabled(bool(self._files))
        self._say("")

    def show_written(self, path: Path) -> None:
        """The report is on disk."""
        self.save.setEnabled(True)
        self._say(tr("Saved as {path}", path=path))

    def _say(self, text: str) -> None:
        self.state.setText(text)
        self.state.setVisible(bool(text))

    def _right(self) -> QWidget:
        right = QWidget()
        layout = QVBoxLayout(right)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(design.NEAR)
        layout.addWidget(self.what)
        layout.addWidget(self.text, 1)
        return right

    def _show_text(self, row: int) -> None:
        if 0 <= row < len(self._files):
            file = self._files[row]
            self.what.setText(_ABOUT.get(file.name, ""))
            self.text.setPlainText(file.text)

    def _ask_path(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self,
            tr("Save diagnostic report"),
            propose_file("", "claimlight-report", "zip"),
            tr("Zip files (*.zip)"),
        )
        if name:
            self.save.setEnabled(False)
            self.write_wanted.emit(Path(name if name.endswith(_ENDING) else f"{name}{_ENDING}"))
