"""The wiring of the window: small objects, each joining the presenters and views that it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from claimlight_workbench.main_window.panels import MODELS
from claimlight_workbench.main_window.wiring.asking import Asking, Dates
from claimlight_workbench.main_window.wiring.beside import Beside
from claimlight_workbench.main_window.wiring.cases import ActiveCase, CaseList
from claimlight_workbench.main_window.wiring.checkups import Checkups
from claimlight_workbench.main_window.wiring.class_pages import AcceptedClasses, ClassPages
from claimlight_workbench.main_window.wiring.classes import Classes
from claimlight_workbench.main_window.wiring.classifiers import Classifiers
from claimlight_workbench.main_window.wiring.coverage import Comparison, Concepts, Residuals
from claimlight_workbench.main_window.wiring.evaluation import Evaluation
from claimlight_workbench.main_window.wiring.handed_over import HandedOver
from claimlight_workbench.main_window.wiring.health import Health
from claimlight_workbench.main_window.wiring.help import AboutProgram, Manual
from claimlight_workbench.main_window.wiring.indexing import Indexing
from claimlight_workbench.main_window.wiring.intake import Intake
from claimlight_workbench.main_window.wiring.jobs import Jobs
from claimlight_workbench.main_window.wiring.library import ActiveLibrary, LibraryStrips, Sample, SampleSource
from claimlight_workbench.main_window.wiring.likeness import Likeness
from claimlight_workbench.main_window.wiring.mapping import Map
from claimlight_workbench.main_window.wiring.marking import Marking
from claimlight_workbench.main_window.wiring.modelling import Adaptation, Models, SettingsBox, Training
from claimlight_workbench.main_window.wiring.next_step import NextStep
from claimlight_workbench.main_window.wiring.progress import ReadingProgress
from claimlight_workbench.main_window.wiring.reading import Reading, Relations
from claimlight_workbench.main_window.wiring.reports import Reports
from claimlight_workbench.main_window.wiring.searching import Lines, ModelInUse, Searching, Sets
from claimlight_workbench.main_window.wiring.sharing import SharedLibraries
from claimlight_workbench.models.desk import ClearsOut, Left
from claimlight_workbench.widgets.empty_state import EmptyState

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow

    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.main_window.docks import Panels
    from claimlight_workbench.main_window.notices import Notices
    from claimlight_workbench.main_window.screens import Presenters, Views
    from claimlight_workbench.main_window.state import WindowState
    from claimlight_workbench.main_window.wiring.library import RecentLibraries
    from claimlight_workbench.models.links import LinkBoard


class Source(ModelInUse, SampleSource, Protocol):
    """What the wiring itself asks of the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a window is made of, to be joined."""

    window: QMainWindow
    source: Source
    runner: JobRunner
    board: LinkBoard
    beside_board: LinkBoard
    do: Presenters
    see: Views
    panels: Panels
    recent: RecentLibraries
    state: WindowState
    notices: Notices
    changed: Callable[[], None]
    """Something that is part of the session has changed."""


class Wiring(QObject):
    """All of it. Slots of one signal run in the order in which the parts are made here."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts.window)
        self._parts = parts
        self._join_claim()
        self._join_lists()
        self._join_library()
        self._join_sample()
        self._join_case()
        self._join_lines()
        self._join_document()
        self._join_beside()
        self._join_residuals()
        self._join_administration()
        self._join_empty_panels()
        library, case = parts.do.library, parts.do.case
        library.left.connect(lambda: self.leave(Left.LIBRARY))
        case.left.connect(lambda: self.leave(Left.CASE))

    def leave(self, left: Left) -> None:
        """Clear what came from the library or case that is left, and let nothing of it arrive later."""
        parts = self._parts
        # First: a note that is being written belongs to the case that is left.
        parts.see.case.flush()
        parts.runner.drop()
        parts.state.clear_out(left)
        if left is Left.CASE:
            self._show_title()
            parts.notices.status.show_saved(None)
        for each in (*vars(self).values(), *parts.do.members(), *parts.see.members()):
            if isinstance(each, ClearsOut):
                each.clear_out(left)
        self.asking.show_evidence_for(None)
        parts.see.bar.show_count("")
        parts.notices.status.clearMessage()

    def _join_claim(self) -> None:
        p, do, see = self._parts, self._parts.do, self._parts.see
        self.asking = Asking(
            self,
            query=do.query,
            reader=do.reader,
            matrix=do.matrix,
            bar=see.bar,
            claim=see.claim,
            results=see.results,
            board=p.board,
            notices=p.notices,
        )
        self.reading = Reading(
            self,
            presenter=do.reader,
            find=do.find,
            drawing=do.drawing,
            reader=see.reader,
            results=see.results,
            query=do.query,
            case=do.case,
            case_view=see.case,
            board=p.board,
            state=p.state,
            notices=p.notices,
        )
        see.claim.features.selected.connect(see.reader.go_to_feature)
        do.reader.shown.connect(lambda _view: see.welcome.count_document())

    def _join_lists(self) -> None:
        p, do, see = self._parts, self._parts.do, self._parts.see
        self.searching = Searching(
            self,
            presenter=do.results,
            query=do.query,
            case=do.case,
            library=do.library,
            reader=do.reader,
            line=do.expression,
            bar=see.bar,
            results=see.results,
            expression=see.expression,
            sets=see.sets,
            show_evidence_for=self.asking.show_evidence_for,
            close_unlisted=self.reading.close_unlisted,
            model=p.source,
            state=p.state,
            notices=p.notices,
            changed=p.changed,
        )

    def _join_library(self) -> None:
        p, do, see = self._parts, self._parts.do, self._parts.see
        self.library = ActiveLibrary(
            self,
            presenter=do.library,
            view=see.library,
            query=do.query,
            reader=do.reader,
            searching=self.searching,
            recent=p.recent,
            show_title=self._show_title,
            state=p.state,
            notices=p.notices,
        )
        self.indexing = Indexing(
            p.window,
            library=do.library,
            view=see.library,
            case=do.case,
            notices=p.notices,
        )
        self.strips = LibraryStrips(
            self,
            presenter=do.library,
            view=see.library,
            work=see.work,
            empty=see.empty,
            results=see.results,
            panels=p.panels,
        )
        self.intake = Intake(
            p.window,
            library=do.library,
            query=do.query,
            reading=self.reading,
            view=see.library,
            results=see.results,
            recent=p.recent,
            notices=p.notices,
        )

        self.handed_over = HandedOver(
            p.window, library=do.library, query=do.query, intake=self.intake, state=p.state
        )

    def _join_sample(self) -> None:
        p, do, see = self._parts, self._parts.do, self._parts.see
        self.sample = Sample(
            self,
            source=p.source,
            runner=p.runner,
            library=do.library,
            query=do.query,
            case=do.case,
            claim=see.claim,
            welcome=see.welcome,
            state=p.state,
            notices=p.notices,
        )

    def _join_case(self) -> None:
        p, do, see = self._parts, self._parts.do, self._parts.see
        self.case = ActiveCase(
            self,
            presenter=do.case,
            view=see.case,
            held=see.held,
            query=do.query,
            reader=do.reader,
            results=see.results,
            reading=self.reading,
            searching=self.searching,
            features=see.claim.features,
            picker=see.bar.claim,
            show_title=self._show_title,
            state=p.state,
            notices=p.notices,
        )
        self.case_list = CaseList(
            p.window,
            cases=do.cases,
            case=do.case,
            view=see.case,
            query=do.query,
            library=do.library,
            claim=see.claim,
            panels=p.panels,
            open_document=self.reading.open_publication,
            state=p.state,
            notices=p.notices,
            changed=p.changed,
        )
        self.reports = Reports(p.window, presenter=do.report, case=do.case, view=see.case, notices=p.notices)

    def _join_lines(self) -> None:
        p, do, see = self._parts, self._parts.do, self._parts.see
        self.lines = Lines(
            self,
            line=do.expression,
            expression=see.expression,
            query=do.query,
            results=do.results,
            library=do.library,
            state=p.state,
            notices=p.notices,
            changed=p.changed,
        )
        self.sets = Sets(
            self,
            presenter=do.sets,
            view=see.sets,
            case=do.case,
            insert=see.expression.editor.insert,
            panels=p.panels,
            notices=p.notices,
        )

    def _join_document(self) -> None:
        p, do, see = self._parts, self._parts.do, self._parts.see
        self.relations = Relations(
            self,
            presenter=do.relations,
            family=see.family,
            citations=see.citations,
            docks=p.panels.docks,
            reader=do.reader,
            library=do.library,
            reading=self.reading,
            notices=p.notices,
        )
        self.progress = ReadingProgress(
            self,
            presenter=do.progress,
            view=see.progress,
            dock=p.panels.docks["progress"],
            case=do.case,
            matrix=do.matrix,
            reading=self.reading,
            notices=p.notices,
        )
        self.classes = Classes(
            self,
            presenter=do.classes,
            panel=see.class_panel,
            labels=do.class_labels,
            block=see.reader.classes,
            reader=do.reader,
            library=do.library,
            panels=p.panels,
            expression=see.expression,
            notices=p.notices,
        )
        self.likeness = Likeness(
            self,
            presenter=do.reader,
            reader=see.reader,
            family=see.family,
            citations=see.citations,
            run_line=self.classes.run_line,
            query=do.query,
            case=do.case,
            searching=self.searching,
            say=p.notices.say,
        )
        self.accepted = AcceptedClasses(
            self,
            panel=see.class_panel,
            tree=do.classes,
            case=do.case,
            query=do.query,
            bar=see.bar,
            results=see.results,
            expression=see.expression,
            notices=p.notices,
        )
        self.class_pages = ClassPages(
            self,
            panel=see.class_panel,
            suggest=do.suggest,
            statistics=do.class_statistics,
            classifiers=do.classifiers,
            accept=self.accepted.accept,
            run_line=self.classes.run_line,
            insert_line=self.classes.insert_line,
            query=do.query,
            reader=do.reader,
            reading=self.reading,
            library=do.library,
            board=p.board,
            panels=p.panels,
            notices=p.notices,
        )
        self.classifiers = Classifiers(
            self,
            presenter=do.classifiers,
            view=see.classifiers,
            library=do.library,
            panels=p.panels,
            notices=p.notices,
        )
        self.concepts = Concepts(
            self,
            presenter=do.inspector,
            view=see.inspector,
            evidence=see.evidence,
            library=do.library,
            board=p.board,
            panels=p.panels,
            query=do.query,
            reading=self.reading,
            notices=p.notices,
        )
        self.map = Map(
            self,
            presenter=do.map,
            view=see.map,
            case=do.case,
            results=see.results,
            reader=do.reader,
            library=do.library,
            reading=self.reading,
            searching=self.searching,
            panels=p.panels,
            notices=p.notices,
        )
        self.comparison = Comparison(
            self,
            presenter=do.matrix,
            matrix=see.matrix,
            pairs=see.pairs,
            case=do.case,
            searches=do.results,
            results=see.results,
            query=do.query,
            reader=do.reader,
            library=do.library,
            board=p.board,
            panels=p.panels,
            reading=self.reading,
            state=p.state,
            notices=p.notices,
        )

    def _join_empty_panels(self) -> None:
        do, see = self._parts.do, self._parts.see
        views = [each for each in see.members() if isinstance(each, QWidget)]
        self.next_step = NextStep(
            self,
            library=do.library,
            query=do.query,
            results=see.results.model,
            states=[state for view in views for state in view.findChildren(EmptyState)],
        )

    def _join_beside(self) -> None:
        p, do, see = self._parts, self._parts.do, self._parts.see
        self.beside = Beside(
            self,
            presenter=do.beside,
            find=do.find_beside,
            drawing=do.drawing_beside,
            view=see.beside,
            middle=see.middle,
            open_side=see.open_side,
            reader=do.reader,
            reader_view=see.reader,
            results=see.results,
            matrix=do.matrix,
            pairs=see.pairs,
            case=do.case,
            case_view=see.case,
            library=do.library,
            board=p.board,
            beside_board=p.beside_board,
            panels=p.panels,
            reading=self.reading,
            state=p.state,
            notices=p.notices,
        )

        self.marking = Marking(
            p.window,
            case=do.case,
            case_view=see.case,
            query=do.query,
            reading=self.reading,
            beside=self.beside,
            readers=((do.reader, see.reader), (do.beside, see.beside.reader)),
            notices=p.notices,
        )

    def _join_residuals(self) -> None:
        p, do, see = self._parts, self._parts.do, self._parts.see
        self.dates = Dates(
            self,
            query=do.query,
            case=do.case,
            presenter=do.results,
            matrix=do.matrix,
            expression=do.expression,
            bar=see.bar,
            results=see.results,
            changed=p.changed,
        )
        self.residuals = Residuals(
            self,
            presenter=do.results,
            strip=see.residual,
            results=see.results,
            query=do.query,
            reader=do.reader,
            library=do.library,
            searching=self.searching,
            dates=self.dates,
            state=p.state,
            say=p.notices.say,
        )

    def _join_administration(self) -> None:
        p, do, see = self._parts, self._parts.do, self._parts.see
        self.evaluation = Evaluation(
            self,
            presenter=do.evaluation,
            view=see.evaluation,
            library=do.library,
            notices=p.notices,
        )
        self.models = Models(
            self,
            presenter=do.models,
            view=see.models,
            library=do.library,
            panels=p.panels,
            notices=p.notices,
        )
        self.adaptation = Adaptation(
            self,
            presenter=do.adapting,
            view=see.adapting,
            library=do.library,
            open_again=self.models.open_again,
            notices=p.notices,
        )
        self.training = Training(
            self,
            presenter=do.training,
            view=see.training,
            library=do.library,
            panels=p.panels,
            install=self._install,
            notices=p.notices,
        )
        self.shared = SharedLibraries(
            p.window,
            presenter=do.address,
            library=do.library,
            results=do.results,
            view=see.library,
            panels=[view for panel, view in see.panels.items() if panel.of_folder],
            notices=p.notices,
        )
        self.jobs = Jobs(self, registry=p.runner.jobs, view=see.jobs, panels=p.panels, notices=p.notices)
        self.about = AboutProgram(p.window, presenter=do.about, notices=p.notices)
        self.health = Health(
            p.window,
            presenter=do.health,
            registry=p.runner.jobs,
            busy=lambda: bool(p.runner.busy),
            state=p.state,
            changed=p.changed,
            notices=p.notices,
        )
        self.checkups = Checkups(
            p.window,
            library=do.library,
            registry=p.runner.jobs,
            busy=lambda: bool(p.runner.busy),
            show_backups=self.case_list.show_backups,
        )
        self.manual = Manual(
            p.window,
            presenter=do.manual,
            panels=p.panels,
            others={
                see.bar: "guide/examiner.md#3-make-the-first-search",
                see.expression: "reference/query.md",
                see.middle: "guide/examiner.md#3-make-the-first-search",
            },
            notices=p.notices,
        )
        self.settings = SettingsBox(
            p.window, presenter=do.settings, open_again=self.models.open_again, notices=p.notices
        )

    def _install(self, package: Path) -> None:
        self._parts.panels.go_to(MODELS)
        self._parts.do.models.add(package)

    def _show_title(self) -> None:
        p = self._parts
        p.notices.show_title(p.do.library, p.see.claim, p.state)
