"""Asks what is to be indexed and whether descriptions are to be removed; pauses and resumes indexing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox, QWidget

from claimlight_workbench.language import tr, trn
from claimlight_workbench.screens.library.describe import size
from claimlight_workbench.screens.library.index_dialog import IndexDialog

if TYPE_CHECKING:
    from claimlight.types import DroppedDescriptions
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.library.view import LibraryView

_NONE = tr(
    "No description is indexed apart from its claims, and searches have read no passage of one, so there is "
    "nothing to remove."
)


class Indexing(QObject):
    """Nothing that takes hours begins before the user has seen how many; what takes room is asked about."""

    def __init__(
        self,
        window: QWidget,
        *,
        library: LibraryPresenter,
        view: LibraryView,
        case: CasePresenter,
        notices: Notices,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._library = library
        self._case = case
        self._notices = notices
        view.index_requested.connect(self.ask)
        view.pause_requested.connect(library.pause)
        view.resume_requested.connect(library.resume)
        view.removal_requested.connect(library.ask_removal)
        library.removal_known.connect(self._ask_removal)

    def ask(self) -> IndexDialog | None:
        """Show what indexing takes, and let the user limit and start it."""
        library, state = self._library, self._case.state
        if library.info is None or library.info.read_only:
            self._notices.say(tr("Open a library that is not read-only first (Ctrl+O)."))
            return None
        if library.can_pause:
            self._notices.say(tr("The library is being indexed. Pause that first."))
            return None
        case = int(state.case.id) if state is not None else 0
        sets = state.sets if state is not None else ()
        dialog = IndexDialog(library.info, case, sets, self._window, limits=library.limits)
        dialog.estimate_wanted.connect(library.estimate)
        dialog.start_wanted.connect(lambda choice: library.index(choice=choice))
        dialog.finished.connect(lambda _code: library.cancel_estimate())
        library.estimated.connect(dialog.show_estimate)
        library.not_estimated.connect(dialog.show_fault)
        dialog.open()
        dialog.ask()
        return dialog

    def pause(self) -> None:
        """Pause indexing, or say that there is none."""
        if self._library.can_pause:
            self._library.pause()
        else:
            self._notices.say(tr("This library is not being indexed here."))

    def resume(self) -> None:
        """Resume indexing, or say that it is not paused."""
        if self._library.paused:
            self._library.resume()
        else:
            self._notices.say(tr("Indexing of this library is not paused."))

    def _ask_removal(self, found: DroppedDescriptions) -> None:
        info = self._library.info
        if info is None or info.read_only:
            self._notices.say(tr("This library is read-only, so nothing can be removed from it."))
            return
        if not found.bytes:
            self._notices.say(_NONE)
            return
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Claimlight")
        box.setText(_removal_question(found, info.title))
        box.setInformativeText(
            tr(
                "This frees about {count}. Titles, abstracts and claims stay indexed, and keywords "
                "are searched in the whole text as before. To index the descriptions again takes as "
                "long as the first time; it begins when you resume indexing.",
                count=size(found.bytes),
            )
        )
        remove = box.addButton(tr("Remove"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        remove.clicked.connect(self._library.remove_descriptions)
        box.finished.connect(box.deleteLater)
        box.open()


def _removal_question(found: DroppedDescriptions, name: str) -> str:
    whole = trn("{n:,} document", "{n:,} documents", found.documents)
    partly = trn("{n:,} document", "{n:,} documents", found.partly)
    if found.documents and found.partly:
        return tr(
            "Remove the descriptions of {documents}, and the passages that searches read of {others}, "
            "from the index of {name}?",
            documents=whole,
            others=trn("{n:,} other document", "{n:,} other documents", found.partly),
            name=name,
        )
    if found.documents:
        return tr(
            "Remove the descriptions of {documents} from the index of {name}?", documents=whole, name=name
        )
    if found.partly:
        return tr(
            "Remove the passages that searches read of the descriptions of {documents} from the index of "
            "{name}?",
            documents=partly,
            name=name,
        )
    return tr("Remove what is encoded of unfinished descriptions from the index of {name}?", name=name)
