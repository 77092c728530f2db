"""From claims to a search request: reads the claims, keeps the edited features, builds queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight.errors import InputError
from claimlight.services.search.requests import claim_search
from claimlight.types import (
    SEARCH_RANKERS,
    ClassFilter,
    Feature,
    Query,
    Ranker,
    ReferenceDates,
    SearchRequest,
    SetRequest,
)
from claimlight_workbench.language import tr
from claimlight_workbench.screens.query import features

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from claimlight.tasks import TaskContext
    from claimlight.types import PublicationNumber, Span
    from claimlight_workbench.jobs.runner import Job, JobRunner
    from claimlight_workbench.screens.query.features import Ranges
    from claimlight_workbench.values import ClaimSet

UNDO_DEPTH = 50
_WORDS_STAY = tr(
    "Features are parts of the claim text, which does not change. Split or merge them, "
    "move their ends, or select words in the claim and press Ins. To search for other "
    "words, use the query line."
)


class ClaimService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def claims_of_text(self, text: str, source: str, context: TaskContext) -> ClaimSet:
        """Claims of pasted text."""
        ...

    def claims_of_file(self, path: Path, context: TaskContext) -> ClaimSet:
        """Claims of an application's file, with its dates."""
        ...

    def claims_of_document(self, publication: str, context: TaskContext) -> ClaimSet:
        """Claims of a document of the library."""
        ...

    def query_as_kept(
        self, claims: ClaimSet, claim: int, ranges: Sequence[Span], lines: Sequence[str], context: TaskContext
    ) -> Query:
        """One claim with saved features: by their ranges, else by their words."""
        ...

    def query_of_claim(self, claims: ClaimSet, claim: int, context: TaskContext) -> Query:
        """One claim with its ancestors, split into features."""
        ...


class QueryPresenter(QObject):
    """State of the query panel; every change emits a signal."""

    claims_changed = Signal(object)
    """`ClaimSet`, or None."""
    claims_read = Signal(object)
    """`ClaimSet` entered by the user: a new case."""
    query_changed = Signal(object)
    """`Query`, or None."""
    claim_changed = Signal(int)
    before_changed = Signal(object)
    within_changed = Signal(object)
    """The classes that documents must have one of; none shows documents of all classes."""
    dates_changed = Signal(object, int)
    """`ReferenceDates` or None, and the number of the claim they count for."""
    limit_proposed = Signal(object)
    """The relevant date of the claim, or None: the date proposed for the date limit."""
    legs_changed = Signal(object)
    requested = Signal(object, bool)
    """A `SearchRequest`, ready to run, and whether the user asked for it."""
    busy_changed = Signal(bool)
    failed = Signal(Exception, str)

    def __init__(self, services: ClaimService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner
        self.claims: ClaimSet | None = None
        self.claim = 1
        self.query: Query | None = None
        self.edited = False
        """Whether the features were edited by the user."""
        self.before: date | None = None
        """The date limit; None shows documents of every date."""
        self.within: tuple[ClassFilter, ...] = ()
        """The class filter; empty shows documents of all classes."""
        self.dates: ReferenceDates | None = None
        self.legs: tuple[Ranker, ...] = SEARCH_RANKERS
        self._undo: list[Ranges] = []
        self._redo: list[Ranges] = []
        self._run_when_ready = False
        self._asked = False

    # Claims

    def paste(self, text: str, source: str = tr("pasted text")) -> None:
        """Use the claims in a text."""
        if text.strip():
            self._read(lambda context: self._services.claims_of_text(text, source, context), free=True)

    def read_file(self, path: Path) -> None:
        """Use the claims in an application's file."""
        self._read(lambda context: self._services.claims_of_file(path, context), free=True)

    def read_claims_of(self, path: Path) -> Job:
        """Read the claims of a file without using them; the job gives a `ClaimSet`."""
        return self._runner.submit(
            lambda context: self._services.claims_of_file(path, context), supersedes="file-claims"
        )

    def take_from(self, publication: str) -> None:
        """Use the claims of a document of the library."""
        if publication.strip():
            self._read(lambda context: self._services.claims_of_document(publication, context))

    def load(
        self,
        claims: ClaimSet,
        *,
        claim: int = 1,
        ranges: Ranges = (),
        lines: tuple[str, ...] = (),
        before: date | None = None,
        within: tuple[ClassFilter, ...] = (),
        dates: ReferenceDates | None = None,
        run: bool = False,
        asked: bool = False,
    ) -> None:
        """Show claims that are already read: the sample's, or those of the last session."""
        self.claims = claims
        self._run_when_ready, self._asked = run, asked
        self.set_before(before)
        self.set_within(within)
        self.dates = dates or claims.dates
        self.claims_changed.emit(claims)
        self.choose(claim, ranges=ranges, lines=lines)

    def unload(self) -> None:
        """Show a case without claims."""
        self._runner.cut_off("claims")
        self._runner.cut_off("query")
        self.claims, self.query = None, None
        self.claim, self.edited = 1, False
        self._undo.clear()
        self._redo.clear()
        self._run_when_ready = False
        self.set_before(None)
        self.set_within(())
        self.dates = None
        self._tell_dates()
        self.claims_changed.emit(None)
        self.query_changed.emit(None)

    def choose(self, claim: int, *, ranges: Ranges = (), lines: tuple[str, ...] = ()) -> None:
        """Examine another claim; its features are split again unless ranges, or their words, are given."""
        numbers = [choice.number for choice in self.claims.claims] if self.claims is not None else []
        if not numbers:
            return
        self.claim = claim if claim in numbers else numbers[0]
        self._undo.clear()
        self._redo.clear()
        self.claim_changed.emit(self.claim)
        self._tell_dates()
        claims, number = self.claims, self.claim
        assert claims is not None
        services = self._services
        self.edited = bool(ranges or lines)
        if self.edited:
            self._ask(lambda context: services.query_as_kept(claims, number, ranges, lines, context))
        else:
            self._ask(lambda context: services.query_of_claim(claims, number, context))

    # Features

    @property
    def feature_lines(self) -> tuple[str, ...]:
        """The words of each feature."""
        return tuple(item.text for item in self.query.features) if self.query is not None else ()

    @property
    def ranges(self) -> Ranges:
        """The range of each feature in the text of the claim."""
        return tuple(item.span for item in self.query.features) if self.query is not None else ()

    def split(self, index: int) -> None:
        """Split a feature in two."""
        self._edit(features.split(self._text, self.ranges, index))

    def split_at(self, index: int, place: int) -> None:
        """Split a feature in two at a place of its own words."""
        if 0 <= index < len(self.ranges):
            at = self.ranges[index].start + place
            self._edit(features.split(self._text, self.ranges, index, at=at))

    def merge(self, index: int) -> None:
        """Merge a feature with the next."""
        self._edit(features.merge(self.ranges, index))

    def leave_out(self, index: int) -> None:
        """Remove a feature; its words stay in the claim."""
        self._edit(features.leave_out(self.ranges, index))

    def mark(self, start: int, end: int) -> None:
        """Make a range of the claim a feature."""
        self._edit(features.mark(self._text, self.ranges, start, end))

    def move_start(self, index: int, words: int) -> None:
        """Move the start of a feature some words later, or earlier."""
        self._edit(features.move_start(self._text, self.ranges, index, words))

    def move_end(self, index: int, words: int) -> None:
        """Move the end of a feature some words later, or earlier."""
        self._edit(features.move_end(self._text, self.ranges, index, words))

    def refuse_words(self) -> None:
        """Explain that the words of the claim can't be changed, and what can be done."""
        self.failed.emit(InputError(_WORDS_STAY), tr("The words of a claim can't be changed"))

    def undo_features(self) -> None:
        """Undo the last change of the features."""
        self._step(self._undo, self._redo)

    def redo_features(self) -> None:
        """Redo the change of the features that was undone last."""
        self._step(self._redo, self._undo)

    def reset_features(self) -> None:
        """Split the claim into features again."""
        self.choose(self.claim)

    # Request

    def set_before(self, before: date | None) -> None:
        """Set the date limit; None searches documents of every date."""
        self.before = before
        self.before_changed.emit(before)

    def set_within(self, classes: tuple[ClassFilter, ...]) -> None:
        """Restrict searches to documents of these classes; none searches documents of all classes."""
        if classes != self.within:
            self.within = classes
            self.within_changed.emit(classes)

    def set_dates(self, dates: ReferenceDates | None) -> None:
        """Set the dates of the application; None if they are not known."""
        if dates != self.dates:
            self.dates = dates
            self._tell_dates()

    def _tell_dates(self) -> None:
        self.dates_changed.emit(self.dates, self.claim)
        relevant = self.dates.relevant(self.claim) if self.dates is not None else None
        self.limit_proposed.emit(relevant)

    def set_legs(self, legs: tuple[Ranker, ...]) -> None:
        """Choose the rankers; at least one stays."""
        self.legs = legs or self.legs
        self.legs_changed.emit(self.legs)

    def run(self, *, asked: bool = True) -> None:
        """Ask for a search; waits for a query that is being read.

        ``asked``: by the user, so that the answer becomes a set of the case; searches that the program runs
        by itself, as when a library is opened, do not.
        """
        if self.query is None:
            self._run_when_ready = self.claims is not None
            self._asked = asked
            return
        self._run_when_ready = False
        self.requested.emit(self.request, asked)

    @property
    def request(self) -> SearchRequest | None:
        """The request for the present state; None if there is no query."""
        if self.query is None:
            return None
        return claim_search(
            self.query,
            claim=self.claim,
            dates=self.dates,
            before=self.before,
            own_family=self._own,
            legs=self.legs,
            classes=self.within,
        )

    @property
    def scope(self) -> SetRequest:
        """What every query line is run with: the claim, the date limit, the own family, the dates."""
        return SetRequest(
            "",
            query=self.query,
            before=self.before,
            exclude_family_of=self._own,
            reference=self.dates,
            claim=self.claim,
            classes=self.within,
        )

    @property
    def _own(self) -> PublicationNumber | None:
        return self.claims.publication if self.claims is not None else None

    @property
    def _text(self) -> str:
        return self.query.text if self.query is not None else ""

    def _edit(self, ranges: Ranges) -> None:
        if ranges and ranges != self.ranges:
            self._undo = [*self._undo, self.ranges][-UNDO_DEPTH:]
            self._redo.clear()
            self._take(ranges)

    def _step(self, taken: list[Ranges], kept: list[Ranges]) -> None:
        """Move a step from one stack to the other."""
        if taken and self.query is not None:
            kept.append(self.ranges)
            self._take(taken.pop())

    def _take(self, ranges: Ranges) -> None:
        """The same claim with other features."""
        assert self.query is not None
        text = self.query.text
        found = tuple(Feature(f"F{n}", span, text[span.start : span.end]) for n, span in enumerate(ranges, 1))
        self.edited = True
        self._answered(replace(self.query, features=found))

    def _read(self, task: Callable[[TaskContext], object], *, free: bool = False) -> None:
        job = self._runner.submit(task, supersedes="claims", free=free)
        job.succeeded.connect(self._claims_given)
        job.failed.connect(lambda error: self.failed.emit(error, tr("The claims could not be read")))

    def _claims_given(self, claims: ClaimSet) -> None:
        self.claims_read.emit(claims)
        self.load(claims, run=True, asked=True)

    def _ask(self, task: Callable[[TaskContext], object]) -> None:
        self.query = None
        self.busy_changed.emit(True)
        job = self._runner.submit(task, supersedes="query", free=True)
        job.succeeded.connect(self._answered)
        job.failed.connect(self._refused)

    def _answered(self, query: Query) -> None:
        self.query = query
        self.busy_changed.emit(False)
        self.query_changed.emit(query)
        if self._run_when_ready:
            self.run(asked=self._asked)

    def _refused(self, error: Exception) -> None:
        self._run_when_ready = False
        self.busy_changed.emit(False)
        self.query_changed.emit(None)
        self.failed.emit(error, tr("The claim could not be read"))
