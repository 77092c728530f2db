"""Joins model packages, adaptation, training and settings with the open library and the status line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from claimlight.services.sharing.addresses import read_place
from claimlight.settings import Settings
from claimlight_workbench.screens.settings.view import SettingsDialog

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.screens.adapting.presenter import AdaptingPresenter
    from claimlight_workbench.screens.adapting.view import AdaptingView
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.models.presenter import ModelsPresenter
    from claimlight_workbench.screens.models.view import ModelsView
    from claimlight_workbench.screens.settings.presenter import SettingsPresenter
    from claimlight_workbench.screens.training.presenter import TrainingPresenter
    from claimlight_workbench.screens.training.view import TrainingView


class Models(QObject):
    """Adds, chooses and removes model packages; the library is opened again with another model."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: ModelsPresenter,
        view: ModelsView,
        library: LibraryPresenter,
        panels: Panels,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._presenter = presenter
        self._library = library
        self._wire(view)
        presenter.failed.connect(notices.fail)
        panels.docks["models"].visibilityChanged.connect(lambda seen: presenter.refresh() if seen else None)
        panels.entered.connect(lambda name: presenter.refresh() if name == "models" else None)

    def _wire(self, view: ModelsView) -> None:
        models = self._presenter
        view.use_requested.connect(models.use)
        view.check_requested.connect(models.check)
        view.add_requested.connect(lambda path, accepted: models.add(path, accepted=accepted))
        view.accept_requested.connect(models.accept)
        view.remove_requested.connect(self._remove)
        view.cancel_requested.connect(models.cancel)
        view.judge.changed.connect(models.change_judge)
        models.listed.connect(view.show_models)
        models.judges_listed.connect(view.judge.show_judges)
        models.started.connect(view.show_started)
        models.progressed.connect(view.show_event)
        models.ended.connect(view.show_ended)
        models.checked.connect(view.show_check)
        models.chosen.connect(lambda _name: self.open_again())
        models.licence_needed.connect(view.ask_licence)

    def open_again(self) -> None:
        """Open the library again: searched by the model now in use, or by words until it is indexed."""
        info = self._library.info
        if info is not None:
            self._library.open(read_place(info.folder))

    def _remove(self, name: str, used: bool) -> None:  # noqa: FBT001 - a slot
        info = self._library.info
        self._presenter.remove(name, used=used, library=info.local if info is not None else "")


class Adaptation(QObject):
    """Adapts the model to the open library."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: AdaptingPresenter,
        view: AdaptingView,
        library: LibraryPresenter,
        open_again: Callable[[], None],
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        view.start_requested.connect(presenter.start)
        view.pause_requested.connect(presenter.pause)
        view.keep_requested.connect(presenter.keep)
        view.discard_requested.connect(presenter.discard)
        view.index_requested.connect(lambda: library.index(rebuild=True))
        presenter.known.connect(view.show_known)
        presenter.started.connect(view.show_started)
        presenter.progressed.connect(view.show_event)
        presenter.reported.connect(view.show_report)
        presenter.paused.connect(view.show_paused)
        presenter.kept.connect(view.show_kept)
        presenter.kept.connect(lambda _kept: open_again())
        presenter.discarded.connect(view.show_discarded)
        presenter.failed.connect(lambda *_: view.show_failed())
        presenter.failed.connect(notices.fail)
        library.opened.connect(presenter.set_library)


class Training(QObject):
    """Trains an encoder by a recipe and installs its package."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: TrainingPresenter,
        view: TrainingView,
        library: LibraryPresenter,
        panels: Panels,
        install: Callable[[Path], None],
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        view.start_requested.connect(presenter.start)
        view.pause_requested.connect(presenter.pause)
        view.go_on_requested.connect(presenter.go_on)
        view.cancel_requested.connect(presenter.cancel)
        view.add_requested.connect(install)
        presenter.recipes_read.connect(view.show_recipes)
        presenter.started.connect(view.show_started)
        presenter.progressed.connect(view.run.show_event)
        presenter.reported.connect(view.show_report)
        presenter.paused.connect(view.show_paused)
        presenter.stopped.connect(view.show_stopped)
        presenter.failed.connect(lambda *_: view.show_failed())
        presenter.failed.connect(notices.fail)
        library.opened.connect(presenter.set_library)
        panels.docks["training"].visibilityChanged.connect(
            lambda seen: presenter.list_recipes() if seen else None
        )
        panels.entered.connect(lambda name: presenter.list_recipes() if name == "training" else None)


class SettingsBox(QObject):
    """Opens the settings; with other settings the library is opened again."""

    def __init__(
        self,
        window: QWidget,
        *,
        presenter: SettingsPresenter,
        open_again: Callable[[], None],
        notices: Notices,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._presenter = presenter
        presenter.read.connect(self._show)
        presenter.changed.connect(lambda _keys: open_again())
        presenter.failed.connect(notices.fail)

    def _show(self, settings: Settings) -> None:
        dialog = SettingsDialog(settings, self._window)
        dialog.saved.connect(self._presenter.save)
        dialog.open()
        dialog.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
