"""The open case: categories, notes, tags, undo and redo. Every change is on disk before it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.services.cases.marking import passages_of
from claimlight.types import CITED, Category, Mark, MarkedPassage, SetResult, effective_mark, shown_mark
from claimlight_workbench.jobs.runner import Lane
from claimlight_workbench.language import tr
from claimlight_workbench.models.case_history import change_words
from claimlight_workbench.models.categories import Given, by_document, given_of, with_category
from claimlight_workbench.values import ClaimSet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from claimlight.tasks import TaskContext
    from claimlight.types import (
        AcceptedClass,
        ClaimComparison,
        ClassFilter,
        Decision,
        PassageId,
        PassageNote,
        PatentSummary,
        PublicationNumber,
        Query,
        ReferenceDates,
        SearchResults,
        Span,
    )
    from claimlight_workbench.jobs.runner import Job, JobRunner
    from claimlight_workbench.values import CaseState, DecidedPlace

NO_CLAIMS = tr("Searches without claims")
"""Name of the case for query lines run before any claims were entered."""


_NOT_SAVED = tr("The case could not be saved")


class CaseService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def open_case(self, case: int, claims: ClaimSet, context: TaskContext) -> CaseState:
        """Open a case by number, or the case of these claims; a new one is created if there is none."""
        ...

    def resume_case(self, case: int, context: TaskContext) -> tuple[ClaimSet | None, CaseState]:
        """Open a case of the list; its claims, None if it has none, and what is kept with it."""
        ...

    def add_version(
        self, text: str, name: str, day: date | None, context: TaskContext
    ) -> tuple[ClaimSet | None, CaseState]:
        """Add amended claims to the open case, which are searched from now on."""
        ...

    def use_version(self, name: str, context: TaskContext) -> tuple[ClaimSet | None, CaseState]:
        """Search another version of the claims of the open case."""
        ...

    def compare_versions(self, first: int, second: int, context: TaskContext) -> tuple[ClaimComparison, ...]:
        """What differs between two versions of the claims of the open case, by their places."""
        ...

    def case_holder(self, context: TaskContext) -> str:
        """Who has the open case elsewhere now; empty if nobody has, or this window."""
        ...

    def tag(self, patent: PatentSummary, tags: Sequence[str], context: TaskContext) -> CaseState:
        """Replace the tags of a document and its family in the open case."""
        ...

    def keep_dates(self, dates: ReferenceDates | None, limit: date | None, context: TaskContext) -> CaseState:
        """Save the dates of the application, their law and the date limit with the open case."""
        ...

    def accept_class(self, accepted: AcceptedClass, context: TaskContext) -> CaseState:
        """Add a class to those of the application of the open case."""
        ...

    def withdraw_class(self, accepted: AcceptedClass, context: TaskContext) -> CaseState:
        """Remove a class from those of the application of the open case."""
        ...

    def restrict(self, classes: Sequence[ClassFilter], context: TaskContext) -> CaseState:
        """Save the class filter of searches with the open case; none: documents of all classes."""
        ...

    def undo(self, context: TaskContext) -> CaseState:
        """Undo the last change of the open case."""
        ...

    def redo(self, context: TaskContext) -> CaseState:
        """Redo the change that was undone last."""
        ...

    def record(self, results: SearchResults | SetResult, claim: int, context: TaskContext) -> CaseState:
        """Save the search with the open case and add it to the history as the next numbered set."""
        ...

    def see(self, patent: PatentSummary, context: TaskContext) -> frozenset[str]:
        """Record that a document was opened in the open case; returns it and its family, as publications."""
        ...

    def see_all(self, publications: Sequence[PublicationNumber], context: TaskContext) -> frozenset[str]:
        """Record that documents were opened in the open case; returns them as publications."""
        ...

    def mark(self, mark: Mark, context: TaskContext) -> CaseState:
        """Set category and note of a document in the open case."""
        ...

    def propose_letters(
        self, patent: PatentSummary, claim: int, context: TaskContext
    ) -> tuple[Category, ...]:
        """The letters that dates and citations of the application suggest for a document and a claim."""
        ...

    def cite(self, mark: Mark, passage: PassageId, context: TaskContext) -> CaseState:
        """Add a passage to those that a mark is given for, or remove it."""
        ...

    def cite_figure(self, mark: Mark, label: str, context: TaskContext) -> CaseState:
        """Add a figure, such as ``2A``, to what a mark is given for, or remove it."""
        ...

    def note_passage(
        self, place: PassageId | PassageNote, words: Span | None, note: str, context: TaskContext
    ) -> CaseState:
        """Write a note on a passage of the library, or change one of the case; an empty one removes it."""
        ...

    def draw_sample(self, number: int, size: int, context: TaskContext, *, rest: bool = False) -> CaseState:
        """Draw unread documents of a set of the open case, with ``rest`` from the rest of the library too."""
        ...

    def decide(
        self, query: Query, cell: DecidedPlace, decision: Decision, claim: int, context: TaskContext
    ) -> CaseState:
        """Confirm or reject the passage of a cell in the open case; the same decision again withdraws it."""
        ...


class CasePresenter(QObject):
    """Changes go through the one-thread lane, so they are saved in the order they were made."""

    left = Signal()
    """The open case is closed, and another one follows."""
    changed = Signal(object)
    """`CaseState`."""
    claim_changed = Signal()
    """Categories for another claim are shown."""
    recorded = Signal(object, object)
    """`CaseState`, and the results that are its newest set."""
    seen_changed = Signal(object)
    """Publications that were just opened, with their families."""
    refused = Signal(str)
    """Why the open case can't be changed here."""
    still_held = Signal(str)
    """Who has the case that was to be taken over."""
    resumed = Signal(object, object)
    """`ClaimSet`, or None, and `CaseState` of a case that was opened from the list."""
    stepped = Signal(object, str)
    """`CaseState`, and what was undone or redone in words."""
    failed = Signal(Exception, str)

    def __init__(self, services: CaseService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.state: CaseState | None = None
        self.claim = 1
        """The claim that is searched."""
        self._opening = False
        self._turn = 0
        """Counts the cases that were opened, so that answers for a previous one can be ignored."""

    @property
    def categories(self) -> dict[str, Category]:
        """The letter that counts, by publication, of the documents that have one."""
        return {name: given.category for name, given in self.given.items()}

    @property
    def given(self) -> dict[str, Given]:
        """The category by publication, of the documents that have one."""
        found = {
            str(number): given_of(marks, self.claim) for number, marks in by_document(self._marks).items()
        }
        return {name: given for name, given in found.items() if given.letters}

    def set_claim(self, claim: int) -> None:
        """Another claim is searched: lists show the categories for it."""
        self.claim = claim
        if self.state is not None:
            self.claim_changed.emit()

    def mark_for(self, publication: PublicationNumber, claim: int) -> Mark | None:
        """The mark of a document that counts for a claim."""
        return effective_mark((mark for mark in self._marks if mark.publication == publication), claim)

    def marks_of(self, publication: PublicationNumber) -> list[Mark]:
        """The categories of a document, that for the searched claim first."""
        own = [mark for mark in self._of_all(publication) if mark.letters]
        return sorted(own, key=lambda mark: (mark.claim != self.claim, mark.claim))

    def note_of(self, publication: str) -> str:
        """The note on a document."""
        own = (mark.note for mark in self._marks if str(mark.publication) == publication and mark.note)
        return next(own, "")

    def notes_on(self, publication: str) -> tuple[PassageNote, ...]:
        """The notes on passages of a document."""
        notes = self.state.passage_notes if self.state is not None else ()
        return tuple(note for note in notes if str(note.publication) == publication)

    def cited_with(self, mark: Mark) -> tuple[MarkedPassage, ...]:
        """The passages that a mark is given for."""
        return passages_of(mark, self.state.confirmations if self.state is not None else ())

    def open(self, case: int, claims: ClaimSet) -> None:
        """Open a case, or create one for these claims."""
        if self.state is not None or self._opening:
            self.left.emit()
            self.state = None
        self._opening = True
        self._turn += 1
        self._write(lambda context: self._services.open_case(case, claims, context))

    def resume(self, case: int) -> None:
        """Open a case of the list; if that fails, the previous one is opened again."""
        former = int(self.state.case.id) if self.state is not None else 0
        self.left.emit()
        self.state = None
        self._opening = True
        self._turn += 1
        job = self._runner.submit(lambda context: self._services.resume_case(case, context), lane=Lane.WRITE)
        job.succeeded.connect(lambda found: self._resumed(*found))
        # Not the same case again: it would fail for ever.
        job.failed.connect(lambda error: self._not_resumed(error, former if case != former else 0))

    def add_version(self, text: str, name: str, day: date | None) -> None:
        """Add amended claims to the case, and search them."""
        if self.state is not None and not self._held():
            self._load(lambda context: self._services.add_version(text, name, day, context))

    def use_version(self, name: str) -> None:
        """Search another version of the claims."""
        if self.state is not None and not self._held():
            self._load(lambda context: self._services.use_version(name, context))

    def _load(self, task: Callable[[TaskContext], tuple[ClaimSet | None, CaseState]]) -> None:
        job = self._runner.submit(task, lane=Lane.WRITE)
        job.succeeded.connect(lambda found: self._resumed(*found))
        job.failed.connect(lambda error: self.failed.emit(error, tr("The claims were not changed")))

    def compare_versions(self, first: int, second: int) -> Job:
        """Ask what differs between two versions; the job gives a tuple of `ClaimComparison`."""
        job = self._runner.submit(
            lambda context: self._services.compare_versions(first, second, context),
            supersedes="versions",
            free=True,
        )
        job.failed.connect(lambda error: self.failed.emit(error, tr("The claims could not be compared")))
        return job

    def _resumed(self, claims: ClaimSet | None, state: CaseState) -> None:
        self._written(state)
        self.resumed.emit(claims, state)

    def _not_resumed(self, error: Exception, former: int) -> None:
        self._opening = False
        self.failed.emit(error, tr("The case could not be opened"))
        if former:
            self.resume(former)

    def leave(self) -> None:
        """Close the case: the case book was replaced."""
        self._turn += 1
        self.state = None
        self.left.emit()

    def take_over(self) -> None:
        """Take over the open case, if the other window has closed it by now."""
        if self.state is None or not self.read_only:
            return
        case, turn = int(self.state.case.id), self._turn
        job = self._runner.submit(self._services.case_holder, lane=Lane.WRITE, supersedes="holder")
        job.succeeded.connect(lambda holder: self._asked_holder(holder, case, turn))
        job.failed.connect(lambda error: self.failed.emit(error, tr("The case could not be opened")))

    def _asked_holder(self, holder: str, case: int, turn: int) -> None:
        if turn != self._turn:
            return
        if holder:
            self.still_held.emit(holder)
        else:
            self.resume(case)

    def refresh(self, state: CaseState | None) -> None:
        """The open case was changed in the list of cases."""
        if state is not None and self.state is not None:
            self._written(state)

    def draw_sample(self, number: int, size: int, *, rest: bool) -> None:
        """Draw a sample of the unread documents of a set, with ``rest`` of the rest of the library too."""
        if not self._held():
            self._write(lambda context: self._services.draw_sample(number, size, context, rest=rest))

    def judge(self, publication: PublicationNumber, category: Category, *, claim: int) -> None:
        """Set the category of a document; its note stays."""
        if self._held():
            return
        old = self._of(publication, claim)
        # The kind of citation is the same for every claim of the application.
        other = self.mark_for(publication, claim) or shown_mark(self._of_all(publication), claim)
        letters = with_category(old if old.letters else other or old, category)
        self.give_letters(publication, *letters, claim=claim)

    def give_letters(
        self,
        publication: PublicationNumber,
        category: Category,
        kinds: Sequence[Category],
        *,
        claim: int,
    ) -> None:
        """Set all letters of a document for a claim; its note and its passages stay."""
        if self._held():
            return
        mark = replace(self._of(publication, claim), category=category, kinds=tuple(kinds))
        if category not in CITED:
            mark = replace(mark, passages=(), left_out=())
        self._write(lambda context: self._services.mark(mark, context))

    def propose(self, patent: PatentSummary, claim: int) -> Job:
        """Ask which letters dates and citations suggest; the job gives a tuple of `Category`."""
        job = self._runner.submit(
            lambda context: self._services.propose_letters(patent, claim, context),
            lane=Lane.WRITE,
            supersedes="letters",
        )
        job.failed.connect(lambda error: self.failed.emit(error, tr("The dates could not be compared")))
        return job

    def cite(self, publication: PublicationNumber, passage: PassageId, claim: int) -> None:
        """Add a passage to those that the category for a claim is given for, or remove it."""
        if mark := self._citing(publication, claim):
            self._write(lambda context: self._services.cite(mark, passage, context))

    def cite_figures(
        self, publication: PublicationNumber, labels: Sequence[str], claim: int
    ) -> tuple[str, ...]:
        """Add the figures of a page to what the category for a claim is given for; remove them if all are.

        Returns the labels that are added.
        """
        mark = self._citing(publication, claim)
        if mark is None:
            return ()
        cited = {item.label for item in self.cited_with(mark)}
        missing = tuple(label for label in labels if MarkedPassage.of_figure(label).label not in cited)
        for label in missing or labels:
            self._write(partial(self._services.cite_figure, mark, label))
        return missing

    def _citing(self, publication: PublicationNumber, claim: int) -> Mark | None:
        """The mark that something can be cited with."""
        mark = self.mark_for(publication, claim)
        if mark is None or mark.category not in CITED:
            self.refused.emit(
                tr("Give the document a category first: then passages and figures can be cited with it.")
            )
            return None
        return None if self._held() else mark

    def note_passage(self, place: PassageId | PassageNote, words: Span | None, note: str) -> None:
        """Write a note on a passage or words of it, or change one; an empty one removes it."""
        if self.state is not None and not self._held():
            self._write(lambda context: self._services.note_passage(place, words, note, context))

    def annotate(self, publication: PublicationNumber, note: str) -> None:
        """Set the note on a document; the category stays."""
        if self._held():
            return
        own = self._of_all(publication)
        # The note of an earlier version is with the category; a new one belongs to no claim.
        noted = next((mark for mark in own if mark.note), None)
        whole = next((mark for mark in own if not mark.claim and not mark.feature), None)
        mark = replace(noted or whole or Mark(publication), note=note)
        self._write(lambda context: self._services.mark(mark, context))

    def tags_of(self, publication: str) -> tuple[str, ...]:
        """The tags of a document."""
        return self.state.tags.get(publication, ()) if self.state is not None else ()

    @property
    def all_tags(self) -> tuple[str, ...]:
        """Every tag of the case, alphabetically."""
        given = self.state.tags.values() if self.state is not None else ()
        return tuple(sorted({tag for tags in given for tag in tags}))

    def tag(self, patent: PatentSummary, tags: Sequence[str]) -> None:
        """Replace the tags of a document and its family."""
        if self.state is not None and not self._held():
            self._write(lambda context: self._services.tag(patent, tags, context))

    def decide(self, query: Query, cell: DecidedPlace, decision: Decision, claim: int) -> None:
        """Confirm or reject the passage of a cell; the same decision again withdraws it."""
        if self.state is not None and not self._held():
            self._write(lambda context: self._services.decide(query, cell, decision, claim, context))

    def keep_dates(self, dates: ReferenceDates | None, limit: date | None) -> None:
        """Save the dates of the application and the date limit."""
        if self._held():
            return
        self._write(lambda context: self._services.keep_dates(dates, limit, context))

    @property
    def classes(self) -> tuple[AcceptedClass, ...]:
        """The classes accepted for the application."""
        return self.state.case.classes if self.state is not None else ()

    def accept_class(self, accepted: AcceptedClass) -> None:
        """Add a class to those of the application."""
        if self.state is None:
            self.refused.emit(
                tr("No case is open. Enter claims first; then classes can be accepted for them.")
            )
        elif not self._held():
            self._write(lambda context: self._services.accept_class(accepted, context))

    def withdraw_class(self, accepted: AcceptedClass) -> None:
        """Remove a class from those of the application."""
        if self.state is not None and not self._held():
            self._write(lambda context: self._services.withdraw_class(accepted, context))

    def restrict(self, classes: Sequence[ClassFilter]) -> None:
        """Save the class filter of searches."""
        if self.state is not None and not self._held():
            self._write(lambda context: self._services.restrict(classes, context))

    def undo(self) -> None:
        """Undo the last change."""
        if self.state is not None and self.state.undoable and not self._held():
            self._step(
                self._services.undo,
                tr("Undone: {change_words}", change_words=change_words(self.state.undoable)),
            )

    def redo(self) -> None:
        """Redo the change that was undone last."""
        if self.state is not None and self.state.redoable and not self._held():
            self._step(
                self._services.redo,
                tr("Redone: {change_words}", change_words=change_words(self.state.redoable)),
            )

    def record(self, results: SearchResults | SetResult, claim: int) -> None:
        """Add a search to the history; a query line without claims creates a case of its own."""
        if self.read_only:
            return
        if self.state is None and isinstance(results, SetResult) and not self._opening:
            self.open(0, ClaimSet((), NO_CLAIMS, name=NO_CLAIMS))
        if self.state is not None or self._opening:
            job = self._write(lambda context: self._services.record(results, claim, context))
            job.succeeded.connect(lambda state: self.recorded.emit(state, results))

    @property
    def read_only(self) -> bool:
        """Whether another window has the open case."""
        return self.state is not None and bool(self.state.holder)

    def see(self, patent: PatentSummary) -> None:
        """Record that a document was opened; its family counts with it."""
        if self.state is None or str(patent.publication) not in self.state.seen:
            self._see(lambda context: self._services.see(patent, context))

    def see_all(self, publications: Sequence[PublicationNumber]) -> None:
        """Record documents that a session of an earlier version knew as read."""
        self._see(lambda context: self._services.see_all(publications, context))

    def _see(self, task: Callable[[TaskContext], frozenset[str]]) -> None:
        if self.read_only or (self.state is None and not self._opening):
            return
        turn = self._turn
        job = self._runner.submit(task, lane=Lane.WRITE)
        job.succeeded.connect(lambda found: self._have_seen(found, turn))
        job.failed.connect(lambda error: self.failed.emit(error, _NOT_SAVED))

    def _have_seen(self, found: frozenset[str], turn: int) -> None:
        if self.state is not None and turn == self._turn:
            self.state = replace(self.state, seen=self.state.seen | found)
            self.seen_changed.emit(found)

    def _held(self) -> bool:
        """Whether the open case can't be changed here; the user is informed of it."""
        if self.state is not None and self.state.holder:
            self.refused.emit(
                tr(
                    "This case is open in another window ({holder}): it is read-only here. Close it "
                    "there, then press “Edit here” above the results.",
                    holder=self.state.holder,
                )
            )
        return self.read_only

    def _step(self, task: Callable[[TaskContext], CaseState], told: str) -> None:
        job = self._write(task)
        job.succeeded.connect(lambda state: self.stepped.emit(state, told))

    @property
    def _marks(self) -> tuple[Mark, ...]:
        return self.state.marks if self.state is not None else ()

    def _of_all(self, publication: PublicationNumber) -> list[Mark]:
        return [mark for mark in self._marks if mark.publication == publication]

    def _of(self, publication: PublicationNumber, claim: int) -> Mark:
        """The mark of a document for a claim as a whole; an empty one if there is none yet."""
        own = (mark for mark in self._of_all(publication) if (mark.claim, mark.feature) == (claim, ""))
        return next(own, Mark(publication, claim=claim))

    def _write(self, task: Callable[[TaskContext], CaseState]) -> Job:
        job = self._runner.submit(task, lane=Lane.WRITE)
        job.succeeded.connect(self._written)
        job.failed.connect(lambda error: self.failed.emit(error, _NOT_SAVED))
        return job

    def _written(self, state: CaseState) -> None:
        self._opening = False
        self.state = state
        self.changed.emit(state)
