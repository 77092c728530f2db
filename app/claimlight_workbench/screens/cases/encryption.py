"""The dialogs of an encrypted case book: its passphrase at opening, and encrypting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.services.cases.case_encryption import LEAST_LETTERS
from claimlight_workbench.language import tr
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import make_wrapped_label

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOCKED = tr("The case book is encrypted. Its passphrase opens it.")
_LOST = tr(
    "Nobody can read the cases without the passphrase. If it is lost, the cases are lost: write it down and "
    "keep it where you keep confidential papers."
)
_PLAIN = tr(
    "The case book and its backups can be encrypted with a passphrase, so that a stolen computer gives away "
    "no claims, notes or decisions. Exported reports and the library are not encrypted."
)
_ENCRYPTED = tr("The case book and its backups are encrypted. They can get another passphrase.")


class PassphraseDialog(OrderedDialog):
    """Asks for the passphrase until it fits, or the window is to go on without cases."""

    given = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Passphrase of the case book"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        about = make_wrapped_label(name="muted")
        about.setText(_LOCKED)
        self.line = _hidden_line(tr("Passphrase"))
        self.fault = make_wrapped_label(name="warning")
        self.fault.hide()
        self.open_button = QPushButton(tr("Open case book"))
        self.open_button.setObjectName("primary")
        self.open_button.setDefault(True)
        self.open_button.clicked.connect(self._give)
        self.without_button = QPushButton(tr("Go on without cases"))
        self.without_button.setAutoDefault(False)
        self.without_button.clicked.connect(self.reject)
        form = QFormLayout()
        form.addRow(tr("Passphrase"), self.line)
        column = QVBoxLayout(self)
        column.addWidget(about)
        column.addLayout(form)
        column.addWidget(self.fault)
        column.addLayout(_in_a_row(self.without_button, self.open_button))
        self.resize(self.fontMetrics().averageCharWidth() * 70, self.sizeHint().height())

    def show_fault(self, text: str) -> None:
        """Say why the book was not opened; the passphrase is typed again."""
        self.open_button.setEnabled(True)
        self.line.setEnabled(True)
        self.line.clear()
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.fault.setText(text)
        self.fault.show()

    def _give(self) -> None:
        if self.line.text():
            # Deriving the key takes a moment: not twice.
            self.open_button.setEnabled(False)
            self.line.setEnabled(False)
            self.given.emit(self.line.text())


class EncryptionDialog(OrderedDialog):
    """Encrypts the case book, gives it another passphrase, or decrypts it."""

    wanted = Signal(str, str)
    """The present passphrase, empty for a plain book, and the new one, empty to decrypt it."""

    def __init__(self, parent: QWidget | None = None, *, encrypted: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Encryption of the case book"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._encrypted = encrypted
        self.about, self.warning = make_wrapped_label(name="muted"), make_wrapped_label(name="warning")
        self.about.setText(_ENCRYPTED if encrypted else _PLAIN)
        self.warning.setText(_LOST)
        self.present = _hidden_line(tr("Present passphrase"))
        self.new = _hidden_line(tr("New passphrase"))
        self.again = _hidden_line(tr("New passphrase again"))
        self.fault = make_wrapped_label(name="warning")
        self.fault.hide()
        self.encrypt_button = QPushButton(tr("Change passphrase") if encrypted else tr("Encrypt"))
        self.encrypt_button.setObjectName("primary")
        self.encrypt_button.clicked.connect(self._encrypt)
        self.decrypt_button = QPushButton(tr("Decrypt…"))
        self.decrypt_button.clicked.connect(self._decrypt)
        self.decrypt_button.setVisible(encrypted)
        self.close_button = QPushButton(tr("Close"))
        self.close_button.clicked.connect(self.reject)
        self._lay_out()

    def show_fault(self, text: str) -> None:
        """Say why nothing was changed; the fields can be filled in again."""
        self._work(on=False)
        self.fault.setText(text)
        self.fault.show()

    def show_done(self, left: Sequence[str]) -> None:
        """Close, unless files are left as they were: those are named."""
        if not left:
            self.accept()
            return
        self.about.setText(
            tr(
                "The case book is converted. These files are as they were, because they are damaged or have "
                "an earlier passphrase; delete them if you do not need them: {files}",
                files=", ".join(left),
            )
        )
        for each in (self.warning, self.fault, self.encrypt_button, self.decrypt_button):
            each.hide()
        for line in (self.present, self.new, self.again):
            line.clear()

    def _encrypt(self) -> None:
        new = self.new.text()
        if len(new) < LEAST_LETTERS:
            self.show_fault(tr("A passphrase has at least {n} characters.", n=LEAST_LETTERS))
        elif new != self.again.text():
            self.show_fault(tr("The two new passphrases differ."))
        elif self._encrypted and not self.present.text():
            self.show_fault(tr("Type the present passphrase too."))
        else:
            self._ask(new)

    def _decrypt(self) -> None:
        if not self.present.text():
            self.show_fault(tr("Type the present passphrase."))
            return
        buttons = QMessageBox.StandardButton
        text = tr("Everybody who has the files can read the cases then. Decrypt the case book?")
        answer = QMessageBox.question(self, self.windowTitle(), text, buttons.Yes | buttons.No, buttons.No)
        if answer == buttons.Yes:
            self._ask("")

    def _ask(self, new: str) -> None:
        self._work(on=True)
        self.wanted.emit(self.present.text() if self._encrypted else "", new)

    def _work(self, *, on: bool) -> None:
        for each in (self.present, self.new, self.again, self.encrypt_button, self.decrypt_button):
            each.setEnabled(not on)
        self.fault.setText(tr("Converting and checking every row…"))
        self.fault.setVisible(on)

    def _lay_out(self) -> None:
        form = QFormLayout()
        if self._encrypted:
            form.addRow(tr("Present passphrase"), self.present)
        form.addRow(tr("New passphrase"), self.new)
        form.addRow(tr("New passphrase again"), self.again)
        column = QVBoxLayout(self)
        column.addWidget(self.about)
        column.addWidget(self.warning)
        column.addLayout(form)
        column.addWidget(self.fault)
        buttons = (self.close_button, self.decrypt_button, self.encrypt_button)
        for each in buttons:
            # In a dialog Enter would press one of the buttons, from wherever it is pressed.
            each.setAutoDefault(False)
        column.addLayout(_in_a_row(*buttons))
        self.present.setParent(self)
        self.present.setVisible(self._encrypted)
        self.resize(self.fontMetrics().averageCharWidth() * 80, self.sizeHint().height())


def _hidden_line(name: str) -> QLineEdit:
    line = QLineEdit()
    line.setEchoMode(QLineEdit.EchoMode.Password)
    line.setAccessibleName(name)
    return line


def _in_a_row(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row
