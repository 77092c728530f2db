"""Opens folders, imports dropped files and removes documents; nothing that was not asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton, QWidget

from claimlight.databases import LIBRARY_FILE
from claimlight.errors import InputError
from claimlight.services.sharing.addresses import read_place
from claimlight.types import format_publication
from claimlight_workbench.language import tr, trn

if TYPE_CHECKING:
    from claimlight.types import LibraryInfo
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.wiring.library import RecentLibraries
    from claimlight_workbench.main_window.wiring.reading import Reading
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.library.view import LibraryView
    from claimlight_workbench.screens.query.presenter import QueryPresenter
    from claimlight_workbench.screens.results.view import ResultsView
    from claimlight_workbench.values import FolderState

FOLDERS_ONLY = tr(
    "Not for a shared library. It is filled from the library of a folder: import and index there, then "
    "`claimlight push`."
)
_ONE_DOCUMENT = {".xml", ".txt", ".sgm", ".sgml"}
"""Files that may be the application as well as prior art; archives and tables are prior art."""


class Intake(QObject):
    """Asks before a folder becomes a library, a file prior art, or a document is removed."""

    def __init__(
        self,
        window: QWidget,
        *,
        library: LibraryPresenter,
        query: QueryPresenter,
        reading: Reading,
        view: LibraryView,
        results: ResultsView,
        recent: RecentLibraries,
        notices: Notices,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._library = library
        self._query = query
        self._reading = reading
        self._notices = notices
        self._then_import: tuple[Path, ...] = ()
        """Imported as soon as the library that is being opened is open."""
        view.import_requested.connect(self.import_files)
        view.open_requested.connect(self.open_folder)
        recent.chosen.connect(self.open_named)
        library.inspected.connect(self._folder_known)
        library.opened.connect(self._import_waiting)
        library.failed.connect(lambda *_: self._forget_waiting())
        library.locked.connect(lambda *_: self._forget_waiting())
        results.remove_wanted.connect(self.ask_removal)

    # Folders

    def open_folder(self, folder: Path) -> None:
        """Open a library; a folder that holds other things is asked about first."""
        self._library.inspect(folder)

    def open_named(self, name: str) -> None:
        """Open the library of a folder or an address."""
        try:
            place = read_place(name)
        except InputError as error:
            self._notices.fail(error)
            return
        if isinstance(place, Path):
            self.open_folder(place)
        else:
            self._library.open(place)

    def _folder_known(self, folder: Path, state: FolderState) -> None:
        if state.library or not state.entries:
            self._library.open(folder)
        elif folder in self._then_import:
            self._forget_waiting()
            self._library.open(folder)
        else:
            self._ask_folder(folder, state)

    def _ask_folder(self, folder: Path, state: FolderState) -> None:
        many = trn("{n:,} file or folder", "{n:,} files and folders", state.entries)
        box = self._box(
            tr("There is no library in {folder}. The folder holds {value}.", folder=folder, value=many)
        )
        box.setInformativeText(
            tr(
                "You can import patent files into a library in another folder and leave this one "
                "unchanged, or create a new, empty library here, beside the files."
            )
        )
        elsewhere = box.addButton(tr("Import into another library…"), QMessageBox.ButtonRole.AcceptRole)
        here = box.addButton(tr("Create a library here"), QMessageBox.ButtonRole.ActionRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        _on(elsewhere, lambda: self._import_elsewhere(folder))
        _on(here, lambda: self._library.open(folder))
        box.open()

    def _import_elsewhere(self, folder: Path) -> None:
        name = QFileDialog.getExistingDirectory(
            self._window,
            tr("Choose a library to import {name} into, or an empty folder for a new one", name=folder.name),
        )
        if name and Path(name) != folder:
            self._then_import = (folder,)
            self.open_folder(Path(name))

    def _import_waiting(self, info: LibraryInfo) -> None:
        files, self._then_import = self._then_import, ()
        if files and not info.read_only:
            self._library.import_paths(files)

    def _forget_waiting(self) -> None:
        self._then_import = ()

    # Dropped files

    def take_in(self, files: list[Path]) -> None:
        """Import files, or ask what they are: a single document may be the application to examine."""
        if len(files) == 1 and files[0].suffix.lower() in _ONE_DOCUMENT:
            self._ask_file(files[0])
        elif len(files) == 1 and (files[0] / LIBRARY_FILE).is_file():
            self._library.open(files[0])
        else:
            self.import_files(files)

    def import_files(self, files: list[Path]) -> None:
        """Import files into the open library."""
        if self._library.info is None:
            self._notices.say(tr("Open a library first (Ctrl+O); files are imported into the open library."))
        elif self._library.info.shared is not None:
            self._notices.say(FOLDERS_ONLY)
        else:
            self._library.import_paths(files)

    def _ask_file(self, file: Path) -> None:
        box = self._box(tr("What is {name}?", name=file.name))
        info = self._library.info
        name = info.title if info is not None else ""
        box.setInformativeText(
            tr("An application is examined and is not added to the library; prior art is imported into it.")
        )
        application = box.addButton(tr("Application to examine"), QMessageBox.ButtonRole.AcceptRole)
        _on(application, lambda: self._query.read_file(file))
        if name:
            prior_art = box.addButton(
                tr("Prior art for {name}", name=name), QMessageBox.ButtonRole.ActionRole
            )
            _on(prior_art, lambda: self.import_files([file]))
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.open()

    # Removing

    def remove_shown(self) -> None:
        """Ask whether the document on the screen is to be removed."""
        if publication := self._reading.publication:
            self.ask_removal(publication)

    def ask_removal(self, publication: str) -> None:
        """Ask whether a document is to be removed from the library."""
        info = self._library.info
        if info is None or info.read_only:
            self._notices.say(tr("This library is read-only, so nothing can be removed from it."))
            return
        box = self._box(
            tr(
                "Remove {publication} from the library {name}?",
                publication=format_publication(publication),
                name=info.title,
            )
        )
        box.setInformativeText(
            tr(
                "Searches will no longer find it. Its categories and notes are kept in the cases, "
                "and the patent file it came from is kept too: importing that file again restores "
                "the document."
            )
        )
        remove = box.addButton(tr("Remove"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        _on(remove, lambda: self._library.remove((publication,)))
        box.open()

    def _box(self, text: str) -> QMessageBox:
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Claimlight")
        box.setText(text)
        return box


def _on(button: QPushButton, act: object) -> None:
    button.clicked.connect(act)
