"""Opens shared libraries by their address, and keeps away from them what works on a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from claimlight.services.sharing.addresses import is_address
from claimlight_workbench.main_window.commands import OF_FOLDER
from claimlight_workbench.main_window.wiring.intake import FOLDERS_ONLY
from claimlight_workbench.screens.library.address import AddressDialog

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QAction

    from claimlight.errors import PasswordError
    from claimlight.services.sharing.addresses import SharedAddress
    from claimlight.types import LibraryInfo, SearchResults
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.screens.library.address_presenter import AddressPresenter
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.library.view import LibraryView
    from claimlight_workbench.screens.results.presenter import ResultsPresenter


class SharedLibraries(QObject):
    """The dialog of addresses, and what a shared library does not do."""

    def __init__(
        self,
        window: QWidget,
        *,
        presenter: AddressPresenter,
        library: LibraryPresenter,
        results: ResultsPresenter,
        view: LibraryView,
        panels: Sequence[QWidget],
        notices: Notices,
    ) -> None:
        """``panels`` work on the folder of a library."""
        super().__init__(window)
        self._window = window
        self._presenter = presenter
        self._library = library
        self._view = view
        self._panels = panels
        self._notices = notices
        self._actions: list[QAction] = []
        self._tips: dict[QWidget | QAction, str] = {}
        view.address_requested.connect(self.ask)
        library.opened.connect(self._opened)
        library.locked.connect(self.ask_password)
        results.found.connect(self._found)
        results.set_run.connect(lambda *_: notices.forget_loss())

    def follow(self, actions: Iterable[QAction]) -> None:
        """The commands of the window."""
        self._actions = [action for action in actions if action.property(OF_FOLDER)]

    def ask(self) -> AddressDialog:
        """Ask for the address of a shared library."""
        info = self._library.info
        known = info.folder if info is not None and is_address(info.folder) else ""
        return self._open(AddressDialog(known, self._window))

    def ask_password(self, address: SharedAddress, error: PasswordError) -> AddressDialog:
        """Ask for the password of a library that was to be opened, and open it then."""
        dialog = AddressDialog(str(address), self._window)
        dialog.want_password(error)
        return self._open(dialog)

    def _open(self, dialog: AddressDialog) -> AddressDialog:
        presenter = self._presenter
        dialog.try_wanted.connect(presenter.attempt)
        dialog.open_wanted.connect(
            lambda address, secrets, keep: presenter.accept(address, secrets, keep=keep)
        )
        dialog.finished.connect(lambda _code: presenter.leave())
        presenter.keyring_known.connect(dialog.show_keyring)
        presenter.tried.connect(dialog.show_state)
        presenter.refused.connect(dialog.show_fault)
        presenter.accepted.connect(dialog.take)
        dialog.taken.connect(self._library.open)
        presenter.look_for_keyring()
        dialog.open()
        return dialog

    def _opened(self, info: LibraryInfo) -> None:
        shared = info.shared is not None
        limited: list[QWidget | QAction] = [*self._actions, *self._view.folder_buttons, *self._panels]
        for each in limited:
            self._allow(each, allowed=not shared)
        self._notices.status.show_servers(info.shared)
        self._notices.far = shared

    def _found(self, results: SearchResults) -> None:
        self._notices.forget_loss()
        self._notices.status.show_engine(results.engine_fault)

    def _allow(self, each: QWidget | QAction, *, allowed: bool) -> None:
        """Enable what works on a folder, or say why it is off."""
        tip = self._tips.setdefault(each, each.toolTip())
        each.setEnabled(allowed)
        each.setToolTip(tip if allowed else FOLDERS_ONLY)
