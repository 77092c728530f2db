"""The dialog that opens a shared library by its address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from claimlight.errors import AppError, InputError, PasswordError
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.services.sharing.credentials import Secrets
from claimlight_workbench import design
from claimlight_workbench.errors import message_of
from claimlight_workbench.language import tell, tr
from claimlight_workbench.screens.library.describe import encryption_text, servers_text
from claimlight_workbench.widgets.tab_order import OrderedDialog
from claimlight_workbench.widgets.wrapped import make_wrapped_label, rename

if TYPE_CHECKING:
    from claimlight.types import SharedState

_ABOUT = tr(
    "A shared library is on servers of your office. Claimlight connects to the servers in the address, and "
    "to nothing else. Cases, notes and settings stay on this computer."
)
_EXAMPLE = tr("postgresql://user@server/database?engine=milvus://server:19530")
_AS_KEPT = tr("empty: as kept, or none")
_NO_ENGINE = tr("the address names no engine")
_NO_KEYRING = tr(
    "This system has no keyring that Claimlight can use: the password is kept until the window is closed."
)
_LETTERS = 130


class AddressDialog(OrderedDialog):
    """Address, password and token; says how the servers answer before anything is opened."""

    try_wanted = Signal(object, object)
    """`SharedAddress` and `Secrets`."""
    open_wanted = Signal(object, object, bool)
    """The same, and whether the secrets are kept in the keyring."""
    taken = Signal(object)
    """The `SharedAddress` to open: its servers have answered."""

    def __init__(self, address: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Open shared library"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.address = QLineEdit(address)
        self.address.setPlaceholderText(_EXAMPLE)
        self.address.setAccessibleName(tr("Address"))
        self.password = _hidden_line(tr("Password"))
        self.token = _hidden_line(tr("Token of the engine"))
        self.keep = QCheckBox(tr("Keep in the keyring of this system"))
        self.keep.setEnabled(False)
        self.no_keyring = make_wrapped_label(_NO_KEYRING, name="muted")
        self.no_keyring.hide()
        self.about = make_wrapped_label(_ABOUT, name="muted")
        self.state = make_wrapped_label()
        self.close_button = QPushButton(tr("Close"))
        self.try_button = QPushButton(tr("Test connection"))
        self.open_button = QPushButton(tr("Open"))
        self.open_button.setObjectName("primary")
        self.open_button.setDefault(True)
        self.close_button.clicked.connect(self.reject)
        self.try_button.clicked.connect(self._try)
        self.open_button.clicked.connect(self._open)
        self.address.textChanged.connect(self._follow)
        self._lay_out()
        self._follow()

    def show_keyring(self, usable: bool) -> None:  # noqa: FBT001 - a slot
        """Whether secrets can be kept."""
        self.keep.setEnabled(usable)
        self.keep.setChecked(usable)
        self._form.setRowVisible(self.keep, usable)
        self.no_keyring.setVisible(not usable)

    def want_password(self, error: PasswordError) -> None:
        """Say why the library of the address is not open yet; the password is what is typed next."""
        _say(self.about, _password_text(error), name="warning")
        # The user and the server are at the beginning of a long address.
        self.address.setCursorPosition(0)
        self.password.setFocus(Qt.FocusReason.OtherFocusReason)

    def take(self, address: SharedAddress) -> None:
        """The servers have answered what `open_wanted` asked: close."""
        self.accept()
        self.taken.emit(address)

    def show_state(self, state: SharedState) -> None:
        """How the servers answered."""
        self._work(on=False)
        if state.engine_fault:
            text = tr(
                "The database answers, the engine does not: {fault} Keywords can be searched.",
                fault=tell(state.engine_fault),
            )
        else:
            text = tr(
                "The servers answer: {servers}. Connection: {encryption}.",
                servers=servers_text(state),
                encryption=encryption_text(state),
            )
        _say(self.state, text, name="warning" if state.engine_fault or state.unencrypted else "muted")

    def show_fault(self, error: Exception) -> None:
        """Why nothing is opened; the fields can be filled in again."""
        self._work(on=False)
        if isinstance(error, PasswordError):
            _say(self.state, _password_text(error), name="warning")
            self.password.setFocus(Qt.FocusReason.OtherFocusReason)
            self.password.selectAll()
            return
        _say(
            self.state, tell(str(error)) if isinstance(error, AppError) else message_of(error), name="warning"
        )

    def _follow(self) -> None:
        """Only an address with an engine has a token."""
        try:
            found = SharedAddress.parse(self.address.text())
        except InputError:
            found = None
        # An answer that is there was given for another address.
        _say(self.state, "")
        has_engine = found is not None and found.engine is not None
        self.token.setEnabled(has_engine)
        self.token.setPlaceholderText(_AS_KEPT if has_engine or found is None else _NO_ENGINE)
        for button in (self.try_button, self.open_button):
            button.setEnabled(bool(self.address.text().strip()))

    def _try(self) -> None:
        if (found := self._read()) is not None:
            self.try_wanted.emit(*found)

    def _open(self) -> None:
        if (found := self._read()) is not None:
            self.open_wanted.emit(*found, self.keep.isChecked())

    def _read(self) -> tuple[SharedAddress, Secrets] | None:
        try:
            address = SharedAddress.parse(self.address.text())
        except InputError as error:
            self.show_fault(error)
            self.address.setFocus(Qt.FocusReason.OtherFocusReason)
            return None
        token = self.token.text() if address.engine is not None else ""
        self._work(on=True)
        _say(self.state, tr("Connecting…"))
        return address, Secrets(self.password.text() or None, token or None)

    def _work(self, *, on: bool) -> None:
        for each in (self.try_button, self.open_button):
            each.setEnabled(not on)
        # The answer is about what stands there.
        for line in (self.address, self.password, self.token):
            line.setReadOnly(on)

    def _lay_out(self) -> None:
        form = self._form = QFormLayout()
        form.setHorizontalSpacing(design.APART)
        form.addRow(tr("Address"), self.address)
        form.addRow(tr("Password"), self.password)
        form.addRow(tr("Token of the engine"), self.token)
        form.addRow("", self.keep)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.close_button, self.try_button, self.open_button):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setSpacing(design.APART)
        column.addWidget(self.about)
        column.addLayout(form)
        column.addWidget(self.no_keyring)
        column.addWidget(self.state)
        column.addStretch(1)
        column.addLayout(buttons)
        # Room for an answer of some lines, so that the buttons stay where they are.
        self.state.setMinimumHeight(design.lines(self, 4))
        self.state.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.resize(design.letters(self, _LETTERS), self.sizeHint().height())


def _say(label: QLabel, text: str, *, name: str = "muted") -> None:
    label.setText(text)
    rename(label, name)


def _password_text(error: PasswordError) -> str:
    """The message of the server for somebody who can type the password: what a command advises is not."""
    if error.wrong:
        return tr("{server} refused the user or the password. Type the password again.", server=error.server)
    return tr("{server} asks for a password.", server=error.server)


def _hidden_line(name: str) -> QLineEdit:
    line = QLineEdit()
    line.setEchoMode(QLineEdit.EchoMode.Password)
    line.setPlaceholderText(_AS_KEPT)
    line.setAccessibleName(name)
    return line
