"""Joins the pages of the panel *Classes* with the case, the search, the reader and the classifiers in use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from claimlight.types import AcceptedClass, ClassFilter
from claimlight_workbench.language import tr
from claimlight_workbench.main_window.panels import CLASSES, CLASSIFIERS
from claimlight_workbench.screens.classes.panel import Page
from claimlight_workbench.screens.classes.suggest_words import title_of

if TYPE_CHECKING:
    from claimlight.types import ClassSuggestion, DocumentView
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.wiring.reading import Reading
    from claimlight_workbench.models.links import LinkBoard
    from claimlight_workbench.screens.case.presenter import CasePresenter
    from claimlight_workbench.screens.classes.classifiers_presenter import ClassifiersPresenter
    from claimlight_workbench.screens.classes.panel import ClassPanel
    from claimlight_workbench.screens.classes.presenter import ClassesPresenter
    from claimlight_workbench.screens.classes.statistics_presenter import StatisticsPresenter
    from claimlight_workbench.screens.classes.suggest_presenter import SuggestPresenter
    from claimlight_workbench.screens.expression.view import ExpressionView
    from claimlight_workbench.screens.library.presenter import LibraryPresenter
    from claimlight_workbench.screens.query.bar import QueryBar
    from claimlight_workbench.screens.query.presenter import QueryPresenter
    from claimlight_workbench.screens.reader.presenter import ReaderPresenter
    from claimlight_workbench.screens.results.view import ResultsView
    from claimlight_workbench.values import CaseState


class AcceptedClasses(QObject):
    """Classes of the case: accepted, shown, and the filter of searches."""

    def __init__(
        self,
        parent: QObject,
        *,
        panel: ClassPanel,
        tree: ClassesPresenter,
        case: CasePresenter,
        query: QueryPresenter,
        bar: QueryBar,
        results: ResultsView,
        expression: ExpressionView,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._case = case
        self._query = query
        self._results = results
        self._expression = expression
        self._notices = notices
        strip = panel.accepted
        case.changed.connect(self._show)
        query.within_changed.connect(lambda within: strip.show_within(within))
        query.within_changed.connect(self._mark_stale)
        strip.withdrawn.connect(self.withdraw)
        strip.shown_wanted.connect(lambda each: tree.reveal(each.symbol, each.scheme))
        strip.shown_wanted.connect(lambda _each: panel.show_page(Page.BROWSE))
        strip.restricted.connect(self._restrict)
        bar.within_left.connect(lambda: self._restrict(on=False))
        panel.browse.accepted.connect(self.accept)

    def accept(self, accepted: AcceptedClass) -> None:
        """Keep a class with the case; searches restricted to the accepted classes include it."""
        held = {(each.scheme, each.symbol) for each in self._case.classes}
        if (accepted.scheme, accepted.symbol) in held:
            self._notices.say(tr("{accepted} is already accepted.", accepted=accepted))
            return
        self._case.accept_class(accepted)
        if self._panel.accepted.only.isChecked():
            self._restrict_to((*self._case.classes, accepted))

    def withdraw(self, accepted: AcceptedClass) -> None:
        """Remove a class from the case, and from the filter of searches."""
        self._case.withdraw_class(accepted)
        key = accepted.scheme, accepted.symbol
        kept = tuple(each for each in self._query.within if (each.scheme, each.symbol) != key)
        if kept != self._query.within:
            self._set_within(kept)

    def _show(self, state: CaseState) -> None:
        classes = state.case.classes
        self._panel.accepted.show_classes(classes)
        self._panel.accepted.show_within(self._query.within)
        self._panel.suggest.show_accepted(classes)
        self._panel.browse.show_accepted(classes)
        self._panel.statistics.show_sets(state.sets)

    def _restrict(self, on: bool) -> None:  # noqa: FBT001 - a slot
        self._restrict_to(self._case.classes if on else ())

    def _restrict_to(self, classes: tuple[AcceptedClass, ...]) -> None:
        self._set_within(tuple(ClassFilter(each.scheme, each.symbol) for each in classes))

    def _set_within(self, within: tuple[ClassFilter, ...]) -> None:
        """Restrict searches, keep that with the case, and run what is shown again."""
        found = self._results.model.found
        self._query.set_within(within)
        self._case.restrict(within)
        if found is not None and found.line:
            self._expression.editor.show_text(found.line)
            self._expression.editor.enter()
        else:
            self._query.run()

    def _mark_stale(self, within: tuple[ClassFilter, ...]) -> None:
        """Rows that were found with another filter say so."""
        model = self._results.model
        shown = model.results or model.found
        if shown is not None and shown.request.classes != within:
            self._results.set_stale(stale=True)


class ClassPages(QObject):
    """Suggestions and statistics."""

    def __init__(
        self,
        parent: QObject,
        *,
        panel: ClassPanel,
        suggest: SuggestPresenter,
        statistics: StatisticsPresenter,
        classifiers: ClassifiersPresenter,
        accept: Callable[[AcceptedClass], None],
        run_line: Callable[[str], None],
        insert_line: Callable[[str], None],
        query: QueryPresenter,
        reader: ReaderPresenter,
        reading: Reading,
        library: LibraryPresenter,
        board: LinkBoard,
        panels: Panels,
        notices: Notices,
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._suggest = suggest
        self._statistics = statistics
        self._classifiers = classifiers
        self._accept_class = accept
        self._panels = panels
        self._notices = notices
        self._seen = False
        self._awaited = False
        """Classes are to be suggested as soon as the classifiers are known."""
        panels.docks[CLASSES.name].visibilityChanged.connect(self._watch)
        panel.page_changed.connect(lambda _page: self._watch(self._seen))
        for page in (panel.suggest, panel.statistics):
            page.line_wanted.connect(run_line)
        panel.suggest.insert_wanted.connect(insert_line)
        self._join_suggestions(query, reader, reading, board)
        self._join_statistics(library)

    def suggest(self) -> None:
        """Suggest classes for the claims of the case, or else for the open document."""
        view = self._panel.suggest
        self._panel.show_page(Page.SUGGEST)
        self._panels.raise_panel(CLASSES.name)
        view.choose_source()
        self._awaited = not view.ready
        if view.ready:
            self._suggest.suggest(view.wish)
        view.first_focus.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_statistics(self) -> None:
        """Count the documents of the library or of a set."""
        self._panel.show_page(Page.STATISTICS)
        self._panels.raise_panel(CLASSES.name)
        self._panel.statistics.by.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _suggest_awaited(self) -> None:
        awaited, self._awaited = self._awaited, False
        if awaited and self._panel.suggest.ready:
            self._suggest.suggest(self._panel.suggest.wish)

    def _watch(self, seen: bool) -> None:  # noqa: FBT001 - a slot
        self._seen = seen
        page = self._panel.page
        self._classifiers.watch("suggestions", seen=seen and page is Page.SUGGEST)
        self._statistics.watch(seen and page is Page.STATISTICS)

    def _join_suggestions(
        self, query: QueryPresenter, reader: ReaderPresenter, reading: Reading, board: LinkBoard
    ) -> None:
        presenter, view = self._suggest, self._panel.suggest
        query.claims_changed.connect(presenter.set_claims)
        reader.shown.connect(self._opened)
        presenter.sources_changed.connect(view.show_sources)
        presenter.started.connect(view.show_started)
        presenter.suggested.connect(view.show_suggestions)
        presenter.suggested.connect(lambda _found: self._focus_answer())
        presenter.explained.connect(view.show_evidence)
        presenter.cleared.connect(view.show_nothing)
        presenter.refused.connect(view.show_refused)
        presenter.failed.connect(self._notices.fail)
        view.suggest_requested.connect(presenter.suggest)
        view.chosen.connect(presenter.explain)
        view.accepted.connect(self._accept)
        view.document_wanted.connect(reading.open_publication)
        view.mark_wanted.connect(board.classes.show)
        view.training_wanted.connect(lambda: self._panels.go_to(CLASSIFIERS))
        self._classifiers.listed.connect(view.show_classifiers)
        self._classifiers.listed.connect(lambda _infos: self._suggest_awaited())
        board.classes.changed.connect(lambda: view.show_marked(board.classes.shown))

    def _join_statistics(self, library: LibraryPresenter) -> None:
        presenter, view = self._statistics, self._panel.statistics
        library.info_changed.connect(lambda _info: presenter.set_library())
        view.wish_changed.connect(presenter.choose)
        view.export_wanted.connect(presenter.export)
        presenter.counted.connect(view.show_statistics)
        presenter.cleared.connect(view.show_nothing)
        presenter.exported.connect(lambda path: self._notices.say(tr("Written: {path}", path=path)))
        presenter.failed.connect(self._notices.fail)

    def _opened(self, document: DocumentView) -> None:
        self._suggest.set_document(document.summary)
        self._panel.suggest.show_document(document.summary.id)

    def _focus_answer(self) -> None:
        """The next key is for the suggestions, if the one before was for the question."""
        view = self._panel.suggest
        if any(each.hasFocus() for each in (view.source, view.suggest_button)):
            view.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def _accept(self, each: ClassSuggestion) -> None:
        shown = self._suggest.shown
        if shown is None:
            return
        found = shown.found
        self._accept_class(
            AcceptedClass(found.scheme, each.symbol, title_of(each), each.probability, found.classifier)
        )
