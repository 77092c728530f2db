"""The cases of the real engine: their list, the open one, and what is kept with it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from claimlight.errors import InputError
from claimlight.types import (
    CaseId,
    DateFinding,
    MarkedPassage,
    PassageNote,
    SearchResults,
    cited_by_applicant,
    propose_kinds,
)
from claimlight_workbench.engine.state import EngineState
from claimlight_workbench.language import tr
from claimlight_workbench.values import CaseState, ClaimSet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from types import ModuleType

    from claimlight.tasks import TaskContext
    from claimlight.types import (
        AcceptedClass,
        Backup,
        BackupContents,
        Case,
        CaseSummary,
        Category,
        ClaimComparison,
        ClassFilter,
        Decision,
        LogEntry,
        Mark,
        PassageId,
        PatentSummary,
        PublicationNumber,
        Query,
        QuerySet,
        ReferenceDates,
        SetResult,
        Span,
    )
    from claimlight_workbench.values import DecidedPlace


class CaseQuestions(EngineState):
    """The part of `Services` that is about cases; changes are written to the open case."""

    def open_case(self, case: int, claims: ClaimSet, context: TaskContext) -> CaseState:
        """Open a case by number, or the case of these claims; a new one is created if there is none."""
        context.check()
        book, text = self._cases(), claims.plain()
        known = {each.id: each for each in book.cases(archived=True)}
        same = (each for each in known.values() if _is_of(each, claims))
        found = next((each for each in known.values() if each.id == case), None) or next(same, None)
        if found is None:
            found = book.create_case(
                claims.name,
                application=text,
                publication=claims.publication,
                title=claims.title,
                reference_date=claims.dates.relevant() if claims.dates is not None else None,
                dates=claims.dates,
            )
        self._hold(found.id)
        self._sets_of(found.id, again=True)
        return self._state()

    def cases(
        self, text: str, context: TaskContext, *, archived: bool = False, deleted: bool = False
    ) -> tuple[CaseSummary, ...]:
        """The cases with all words of ``text``, last worked on first."""
        context.check()
        return tuple(self._cases().summaries(text, archived=archived, deleted=deleted))

    def resume_case(self, case: int, context: TaskContext) -> tuple[ClaimSet | None, CaseState]:
        """Open a case of the list; its claims, None if it has none, and what is kept with it."""
        from claimlight.services.search import queries

        context.check()
        found = self._cases().case(CaseId(case))
        self._hold(found.id)
        return self._with_claims(found, queries)

    def add_version(
        self, text: str, name: str, day: date | None, context: TaskContext
    ) -> tuple[ClaimSet | None, CaseState]:
        """Add amended claims to the open case, which are searched from now on."""
        from claimlight.services.search import queries

        context.check()
        # Before the case is changed: text that has no claims is an error.
        queries.query_from_text(text)
        return self._with_claims(
            self._cases().add_version(self._case_open(), text, name=name, day=day), queries
        )

    def use_version(self, name: str, context: TaskContext) -> tuple[ClaimSet | None, CaseState]:
        """Search another version of the claims of the open case."""
        from claimlight.services.search import queries

        context.check()
        return self._with_claims(self._cases().use_version(self._case_open(), name), queries)

    def compare_versions(self, first: int, second: int, context: TaskContext) -> tuple[ClaimComparison, ...]:
        """What differs between two versions of the claims of the open case, by their places."""
        from claimlight.services.cases.claim_versions import compare_claims, versions_of
        from claimlight.services.search.queries import claims_of_text

        context.check()
        known = versions_of(self._cases().case(self._case_open()))
        return compare_claims(claims_of_text(known[first].text), claims_of_text(known[second].text))

    def _with_claims(self, found: Case, queries: ModuleType) -> tuple[ClaimSet | None, CaseState]:
        sets = self._sets_of(found.id, again=True)
        if not found.application.strip():
            return None, self._state()
        claims = queries.claims_of_text(found.application)
        return (
            ClaimSet(
                claims,
                str(found.publication or found.name),
                text=found.application,
                publication=_family_left_out(sets) or found.publication,
                dates=found.dates,
                missing=queries.missing_in(claims),
            ),
            self._state(),
        )

    def rename_case(self, case: int, name: str, context: TaskContext) -> CaseState | None:
        """Rename a case; returns the open case as it is now, None if no case is open."""
        context.check()
        self._cases().rename(CaseId(case), name)
        return self._state() if self._case is not None else None

    def archive_case(self, case: int, context: TaskContext, *, archived: bool) -> CaseState | None:
        """Archive a case, or take it out of the archive."""
        context.check()
        self._cases().archive(CaseId(case), archived=archived)
        return self._state() if self._case is not None else None

    def delete_case(self, case: int, context: TaskContext, *, deleted: bool) -> CaseState | None:
        """Mark a case as deleted, or restore it whole."""
        context.check()
        self._cases().delete(CaseId(case), deleted=deleted)
        return self._state() if self._case is not None else None

    def see(self, patent: PatentSummary, context: TaskContext) -> frozenset[str]:
        """Record that a document, and so its family, was opened in the open case.

        Nothing is recorded if another window has the case: the call may come before this window knows that.
        """
        context.check()
        if self._holder:
            return frozenset()
        family = self._family_of(patent)
        self._cases().see(self._case_open(), patent.publication, family=family)
        return frozenset(map(str, (patent.publication, *family)))

    def see_all(self, publications: Sequence[PublicationNumber], context: TaskContext) -> frozenset[str]:
        """Record that documents were opened in the open case, unless another window has it."""
        if self._holder:
            return frozenset()
        for each in publications:
            context.check()
            self._cases().see(self._case_open(), each)
        return frozenset(map(str, publications))

    def tag(self, patent: PatentSummary, tags: Sequence[str], context: TaskContext) -> CaseState:
        """Replace the tags of a document and its family in the open case."""
        context.check()
        family = self._family_of(patent)
        self._cases().tag(self._case_open(), patent.publication, tags, family=family)
        return self._state()

    def case_backups(self, context: TaskContext) -> tuple[BackupContents, ...]:
        """The backups of the case book, newest first, each opened and checked."""
        from claimlight.services.cases import cases

        context.check()
        return tuple(cases.list_contents(passphrase=self._passphrase or None))

    def restore_cases(self, number: int, context: TaskContext) -> Backup:
        """Close the case book and replace it by a backup; if that fails, the open case stays open."""
        from claimlight.services.cases import cases

        context.check()
        try:
            # Whoever asks for the book meanwhile waits, and gets the one that was brought back.
            with self._lock:
                if self._book is not None:
                    self._book.close()
                    self._book = None
                used = cases.restore(number=number, passphrase=self._passphrase or None)
        except BaseException:
            if self._case is not None:
                self._hold(self._case)
            raise
        self._case, self._holder = None, ""
        self._known = (None, ())
        return used

    def unlock_cases(self, passphrase: str, context: TaskContext) -> None:
        """Open the encrypted case book; `WrongPassphraseError` if the passphrase does not fit."""
        from claimlight.services.cases.cases import CaseBook

        context.check()
        with self._lock:
            if self._book is None:
                self._book = CaseBook.open(passphrase=passphrase)
            self._passphrase = passphrase

    def convert_cases(self, present: str, new: str, context: TaskContext) -> tuple[str, ...]:
        """Encrypt the case book, give it another passphrase, or, if the new one is empty, decrypt it.

        Returns the files that are as they were. The open case stays open.
        """
        from claimlight.services.cases import case_encryption

        context.check()
        try:
            # Whoever asks for the book meanwhile waits.
            with self._lock:
                if self._book is not None:
                    self._book.close()
                    self._book = None
                if new:
                    done = case_encryption.encrypt(new, passphrase=present or None)
                else:
                    done = case_encryption.decrypt(present)
                self._passphrase = new
        finally:
            if self._case is not None:
                self._hold(self._case)
        return done.left

    def case_holder(self, context: TaskContext) -> str:
        """Who has the open case elsewhere now; empty if nobody has, or this window."""
        context.check()
        return self._cases().holder(self._case_open())

    def case_history(self, context: TaskContext) -> tuple[LogEntry, ...]:
        """Everything that was done in the open case, oldest first."""
        context.check()
        return tuple(self._cases().history(self._case_open()))

    def turn_step(self, number: int, context: TaskContext) -> tuple[CaseState, tuple[LogEntry, ...]]:
        """Undo or redo one step of the history of the open case by itself."""
        context.check()
        book, case = self._cases(), self._case_open()
        book.turn(case, number)
        return self._state(), tuple(book.history(case))

    def back_up_cases(self, context: TaskContext) -> Backup | None:
        """Back the case book up if something was changed and the last backup is half an hour old."""
        context.check()
        with self._lock:
            return self._book.back_up_if_due() if self._book is not None else None

    def record(self, results: SearchResults | SetResult, claim: int, context: TaskContext) -> CaseState:
        """Save the search with the open case and add it to the history as a numbered set."""
        context.check()
        if isinstance(results, SearchResults):
            self._record_search(results, claim)
        else:
            self._cases().record_set(self._case_open(), results)
        self._sets_of(self._case_open(), again=True)
        return self._state()

    def _record_search(self, results: SearchResults, claim: int) -> None:
        book, case, request = self._cases(), self._case_open(), results.request
        book.save_case(
            replace(
                book.case(case),
                reference_date=request.reference.relevant(claim) if request.reference is not None else None,
                dates=request.reference,
                limit=request.before,
                within=request.classes,
                claim=claim,
                features=tuple(item.text for item in request.query.features),
                ranges=tuple(item.span for item in request.query.features),
                library=results.provenance.library,
            )
        )
        # The same question to the same index again, as after each start, is not a new set.
        sets = self._sets_of(case)
        if not sets or (sets[-1].request, sets[-1].provenance) != (request, results.provenance):
            book.record_set(case, results)

    def keep_dates(self, dates: ReferenceDates | None, limit: date | None, context: TaskContext) -> CaseState:
        """Save the dates of the application, their law and the date limit with the open case."""
        context.check()
        book, case = self._cases(), self._case_open()
        relevant = dates.relevant() if dates is not None else None
        book.save_case(replace(book.case(case), dates=dates, limit=limit, reference_date=relevant))
        return self._state()

    def accept_class(self, accepted: AcceptedClass, context: TaskContext) -> CaseState:
        """Add a class to those of the application of the open case."""
        context.check()
        self._cases().accept_class(self._case_open(), accepted)
        return self._state()

    def withdraw_class(self, accepted: AcceptedClass, context: TaskContext) -> CaseState:
        """Remove a class from those of the application of the open case."""
        context.check()
        self._cases().withdraw_class(self._case_open(), accepted)
        return self._state()

    def restrict(self, classes: Sequence[ClassFilter], context: TaskContext) -> CaseState:
        """Save the class filter of searches with the open case; none: documents of all classes."""
        context.check()
        self._cases().restrict(self._case_open(), classes)
        return self._state()

    def mark(self, mark: Mark, context: TaskContext) -> CaseState:
        """Set category and note of a document in the open case."""
        context.check()
        self._cases().mark(self._case_open(), mark)
        return self._state()

    def propose_letters(
        self, patent: PatentSummary, claim: int, context: TaskContext
    ) -> tuple[Category, ...]:
        """The letters that dates and citations of the application suggest for a document and a claim."""
        from claimlight.services.library.documents import view
        from claimlight.services.search.dates import find_status

        context.check()
        case = self._cases().case(self._case_open())
        finding = find_status(case.dates, patent, claim) if case.dates is not None else DateFinding()
        cited: frozenset[tuple[str, str]] = frozenset()
        if case.publication is not None:
            # What an application of another library cites is not known here.
            with suppress(InputError):
                cited = cited_by_applicant(view(self._opened().library, case.publication).citations)
        return propose_kinds(
            finding,
            published=patent.published,
            filed=case.dates.filed if case.dates is not None else None,
            cited=(patent.publication.country, patent.publication.number) in cited,
        )

    def cite(self, mark: Mark, passage: PassageId, context: TaskContext) -> CaseState:
        """Add a passage to those that a mark of the open case is given for, or remove it."""
        from claimlight.services.search.chosen_passages import choose_passage

        context.check()
        self._cases().cite(self._case_open(), mark, choose_passage(self._opened().library, passage))
        return self._state()

    def cite_figure(self, mark: Mark, label: str, context: TaskContext) -> CaseState:
        """Add a figure to what a mark of the open case is given for, or remove it."""
        context.check()
        self._cases().cite(self._case_open(), mark, MarkedPassage.of_figure(label))
        return self._state()

    def note_passage(
        self, place: PassageId | PassageNote, words: Span | None, note: str, context: TaskContext
    ) -> CaseState:
        """Write a note on a passage of the library, or change one of the case; an empty one removes it."""
        from claimlight.services.search.chosen_passages import make_passage_note

        context.check()
        at = datetime.now(UTC)
        if isinstance(place, PassageNote):
            made = replace(place, note=note, at=at)
        else:
            made = make_passage_note(self._opened().library, place, note, at=at, words=words)
        self._cases().note_passage(self._case_open(), made)
        return self._state()

    def draw_sample(self, number: int, size: int, context: TaskContext, *, rest: bool = False) -> CaseState:
        """Draw unread documents of a set of the open case, with ``rest`` from the rest of the library too."""
        from claimlight.services.stopping import samples

        context.check()
        case = self._case_open()
        record = next((each for each in self._sets_of(case) if each.number == number), None)
        if record is None:
            raise InputError(tr("There is no set to draw from: search first."))
        library = self._opened().library if rest else None
        samples.take_sample(self._cases(), case, record, size=size, library=library, context=context)
        return self._state()

    def decide(
        self,
        query: Query,
        cell: DecidedPlace,
        decision: Decision,
        claim: int,
        context: TaskContext,
    ) -> CaseState:
        """Confirm or reject the passage of a cell in the open case; the same decision again withdraws it."""
        from claimlight.services.search import confirmations

        context.check()
        book, case, library = self._cases(), self._case_open(), self._opened().library
        feature = confirmations.find_feature(query, cell.feature)
        known = [item for item in book.confirmations(case) if item.publication == cell.publication]
        placed = confirmations.place_confirmations(library, known)
        if cell.passage is None:
            former = confirmations.find_last_rejected(placed, feature)
        else:
            former = confirmations.find_decision(placed, feature, cell.passage)
        again = former is not None and former.confirmation.decision is decision
        if former is not None and (again or former.text_changed):
            book.withdraw(case, former.confirmation)
        if cell.passage is not None and not again:
            at = datetime.now(UTC)
            made = confirmations.make_confirmation(
                library, query, cell.feature, cell.passage, decision, at=at, claim=claim
            )
            book.decide(case, made)
        return self._state()

    def undo(self, context: TaskContext) -> CaseState:
        """Undo the last change of the open case."""
        context.check()
        self._cases().undo(self._case_open())
        return self._state()

    def redo(self, context: TaskContext) -> CaseState:
        """Redo the change that was undone last."""
        context.check()
        self._cases().redo(self._case_open())
        return self._state()

    def _hold(self, case: CaseId) -> None:
        """Hold the case for writing, so that nobody else changes it, and release the previous one."""
        book = self._cases()
        if self._case is not None and self._case != case:
            book.release(self._case)
        self._case = case
        self._holder = "" if book.hold(case) else book.holder(case)

    def _family_of(self, patent: PatentSummary) -> tuple[PublicationNumber, ...]:
        """The other family members in the open library; none if another library is open by now."""
        from claimlight.services.library import relations

        try:
            members = relations.family(self._opened().library, patent.id).members
        except InputError:
            return ()
        numbers = [each.patent.publication for each in members]
        return tuple(numbers) if patent.publication in numbers else ()

    def _case_open(self) -> CaseId:
        if self._case is None:
            raise InputError(tr("No case is open. Enter claims first."))
        return self._case

    def _state(self) -> CaseState:
        book, case = self._cases(), self._case_open()
        undoable, redoable = book.steps(case)
        return CaseState(
            case=book.case(case),
            marks=tuple(book.marks(case)),
            undoable=undoable,
            redoable=redoable,
            sets=self._sets_of(case),
            seen=frozenset(map(str, book.seen(case))),
            tags={str(number): tags for number, tags in book.tags(case).items()},
            holder=self._holder,
            confirmations=tuple(book.confirmations(case)),
            passage_notes=tuple(book.passage_notes(case)),
        )


def _is_of(case: Case, claims: ClaimSet) -> bool:
    """Whether a case has these claims, whatever its name; a case without claims is identified by its name."""
    text = claims.plain()
    return case.application == text and (bool(text) or case.name == claims.source)


def _family_left_out(sets: Sequence[QuerySet]) -> PublicationNumber | None:
    """The document whose family the last set excludes: the application, or its relative in the library."""
    return sets[-1].request.exclude_family_of if sets else None
