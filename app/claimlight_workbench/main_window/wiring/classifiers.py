"""Joins the panel of the classifiers with the open library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from claimlight_workbench.main_window.panels import CLASSIFIERS

if TYPE_CHECKING:
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.screens.classes.classifiers_presenter import ClassifiersPresenter
    from claimlight_workbench.screens.classes.classifiers_view import ClassifiersView
    from claimlight_workbench.screens.library.presenter import LibraryPresenter


class Classifiers(QObject):
    """Lists them while the panel is visible, chooses the one in use, trains one on the open library."""

    def __init__(
        self,
        parent: QObject,
        *,
        presenter: ClassifiersPresenter,
        view: ClassifiersView,
        library: LibraryPresenter,
        panels: Panels,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        dock = panels.docks[CLASSIFIERS.name]
        dock.visibilityChanged.connect(lambda seen: presenter.watch(CLASSIFIERS.name, seen=seen))
        library.info_changed.connect(presenter.set_library)
        library.opened.connect(lambda _info: presenter.forget())
        presenter.listed.connect(view.show_classifiers)
        presenter.library_changed.connect(view.show_library)
        presenter.started.connect(view.show_started)
        presenter.progressed.connect(view.show_event)
        presenter.ended.connect(view.show_ended)
        presenter.trained.connect(view.show_report)
        presenter.failed.connect(notices.fail)
        view.use_requested.connect(presenter.use)
        view.train_requested.connect(presenter.train)
        view.cancel_requested.connect(presenter.cancel)
