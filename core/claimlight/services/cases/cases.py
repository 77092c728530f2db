"""The case book: the examiner's own work, saved with every step and never lost.

Every change is one transaction that is on disk when the call returns, and one line of an append-only
log that holds the state before and after. Undo and redo append lines too; only `CaseBook.purge` erases.
A backup is made when the book is opened on a new day, every half hour of work, when it is closed after work,
and before each migration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from sqlalchemy import Connection

from claimlight.codec import encode
from claimlight.encryption import EncryptionMissingError
from claimlight.errors import BugError, InputError, LockedCasesError, ResourceError, WrongPassphraseError
from claimlight.services.cases import case_search, marking
from claimlight.services.cases.case_backups import (
    as_key,
    find_restorable,
    list_backups,
    list_contents,
    restore,
)
from claimlight.services.cases.case_changes import Changes, existing
from claimlight.services.cases.case_holding import CaseHeldError
from claimlight.services.cases.case_names import automatic_name
from claimlight.services.cases.case_paths import backup_folder, default_path
from claimlight.services.cases.claim_versions import find_version, versions_of
from claimlight.services.cases.reading_order import order_reading
from claimlight.store import backup as copies
from claimlight.store import case_check, case_log, query_sets
from claimlight.store import case_rows as rows
from claimlight.store.case_log import Line
from claimlight.store.case_rows import DamagedRowError
from claimlight.store.case_store import CaseStore, DamagedCasesError
from claimlight.store.database import LOCK_SECONDS, find_page_faults
from claimlight.types import (
    CITED,
    AcceptedClass,
    Action,
    Backup,
    Case,
    CaseCheck,
    CaseId,
    CaseSummary,
    ClaimVersion,
    ClassFilter,
    Confirmation,
    DocumentRead,
    Mark,
    MarkedPassage,
    PassageNote,
    PublicationNumber,
    QuerySet,
    ReadingSample,
    ReferenceDates,
    RowFault,
    SearchRequest,
    SearchResults,
    SeenDocument,
    SetHit,
    SetHits,
    SetRequest,
    SetResult,
    Tagged,
    plural,
)

__all__ = [
    "CaseBook",
    "CaseHeldError",
    "DamagedCasesError",
    "DamagedRowError",
    "EncryptionMissingError",
    "LockedCasesError",
    "WrongPassphraseError",
    "automatic_name",
    "default_path",
    "find_restorable",
    "list_backups",
    "list_contents",
    "restore",
]


BACKUP_AFTER = timedelta(minutes=30)
"""While it is worked on, the book is backed up this often."""


def _now() -> datetime:
    return datetime.now(UTC)


class CaseBook(Changes):
    """An open case book. Every method that changes something has saved the change when it returns.

    Changing a case that another window holds (`hold`) is a `CaseHeldError`.
    """

    def __init__(self, store: CaseStore, clock: Callable[[], datetime]) -> None:
        super().__init__(store, clock)
        self._backed_up = clock()
        """When the last backup was made, or the book opened."""
        with store.read() as connection:
            self.faults: tuple[RowFault, ...] = tuple(case_check.find_row_faults(connection, history=False))
        """Damaged rows of cases, marks, tags and sets, found when the book was opened."""

    @classmethod
    def open(
        cls,
        path: Path | None = None,
        *,
        timeout: float = LOCK_SECONDS,
        clock: Callable[[], datetime] = _now,
        passphrase: str | None = None,
    ) -> CaseBook:
        """Open the book, created if there never was one, and back it up once a day.

        `DamagedCasesError` if it can't be read at all: `restore` restores the newest undamaged backup.
        Single damaged rows are `faults`; the others can be used. An encrypted book needs its ``passphrase``:
        `LockedCasesError` without it, `WrongPassphraseError` if it does not fit. A plain book needs none.
        """
        path = path or default_path()
        store = CaseStore.open(path, backup_folder(path), timeout=timeout, passphrase=as_key(passphrase))
        try:
            book = cls(store, clock)
            known = list_backups(path)
            # Not "earlier than": after a clock went back, no day would be new for a long time.
            if not known or known[0].day != clock().date():
                book.back_up()
        except BaseException:
            store.close()
            raise
        return book

    def close(self) -> None:
        """Close the file and release the held cases; after changes the book is backed up first."""
        try:
            if self._worked:
                self.back_up()
        except ResourceError:
            pass  # the changes are on disk, and the next opening reports what is wrong
        finally:
            self._holding.close()
            self._store.close()

    def __enter__(self) -> CaseBook:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def back_up(self) -> Backup:
        """Make a backup now."""
        path = self._store.path
        self._worked = False
        try:
            made = copies.make_backup(
                path, backup_folder(path), self._clock().date(), passphrase=self._store.passphrase
            )
        except BaseException:
            self._worked = True
            raise
        self._backed_up = self._clock()
        return made

    def back_up_if_due(self) -> Backup | None:
        """Make a backup if something was changed and the last one is `BACKUP_AFTER` old; None if not."""
        # Either way: a clock that went back must not put off backups.
        if self._worked and abs(self._clock() - self._backed_up) >= BACKUP_AFTER:
            return self.back_up()
        return None

    def check(self) -> CaseCheck:
        """Check every page, and every row by its digest; changes nothing."""
        with self._store.read() as connection:
            return CaseCheck(
                tuple(find_page_faults(connection)), tuple(case_check.find_row_faults(connection))
            )

    # Cases

    def create_case(
        self,
        name: str = "",
        *,
        application: str = "",
        publication: PublicationNumber | None = None,
        title: str = "",
        reference_date: date | None = None,
        dates: ReferenceDates | None = None,
    ) -> Case:
        """Create a case; without a name it is named after the publication and its title, or the claims."""
        at = self._clock()
        name = name.strip() or automatic_name(application, publication=publication, title=title)
        with self._store.write() as connection:
            number = rows.new_case_id(connection, at)
            case = Case(number, name, at, at, application, publication, reference_date, dates=dates)
            rows.put_case(connection, case)
            self._log(connection, number, Line(at, Action.CREATED, f"case {name!r} begun"))
        return case

    def cases(self, *, archived: bool = False, deleted: bool = False) -> list[Case]:
        """The cases, most recently used first; archived and deleted ones on request only."""
        with self._store.read() as connection:
            found = rows.read_cases(connection)
        return [case for case in found if case_search.is_listed(case, archived=archived, deleted=deleted)]

    def summaries(
        self, words: str = "", *, archived: bool = False, deleted: bool = False
    ) -> list[CaseSummary]:
        """The cases that contain all ``words``, with their counts, most recently used first.

        Searched are name, application number, claims, accepted classes, notes, tags and the marked
        publications.
        """
        with self._store.read() as connection:
            return case_search.summaries(connection, words, archived=archived, deleted=deleted)

    def case(self, case: CaseId) -> Case:
        """One case; `InputError` for an unknown number, `DamagedRowError` for a row that can't be read."""
        with self._store.read() as connection:
            return existing(connection, case)

    def save_case(self, case: Case) -> Case:
        """Save the fields of a case, except number and times."""
        return self._save(case.id, lambda _: case)

    def rename(self, case: CaseId, name: str) -> Case:
        """Rename a case; `InputError` for an empty name."""
        name = " ".join(name.split())
        if not name:
            raise InputError("A case needs a name; nothing was changed.")
        return self._save(case, lambda was: replace(was, name=name), f"renamed to {name!r}")

    def accept_class(self, case: CaseId, accepted: AcceptedClass) -> Case:
        """Add a class to those of the application; it replaces an earlier acceptance of the same class."""

        def edit(was: Case) -> Case:
            known = {(item.scheme, item.symbol): item for item in was.classes}
            known[accepted.scheme, accepted.symbol] = accepted
            return replace(was, classes=tuple(known.values()))

        return self._save(case, edit, f"class {accepted} accepted")

    def withdraw_class(self, case: CaseId, accepted: AcceptedClass | ClassFilter) -> Case:
        """Remove a class from those of the application; no effect if it is not one of them."""
        key = accepted.scheme, accepted.symbol

        def edit(was: Case) -> Case:
            kept = (item for item in was.classes if (item.scheme, item.symbol) != key)
            return replace(was, classes=tuple(kept))

        return self._save(case, edit, f"class {accepted} no longer accepted")

    def add_version(self, case: CaseId, text: str, *, name: str = "", day: date | None = None) -> Case:
        """Add amended claims to a case, and search them from now on; the claims before stay.

        Decisions on passages apply to words, so those on features that did not change stay. Without a name it
        is ``amended``, or ``amended 2``. `InputError` for claims that are empty or those searched now, and
        for a name that another version has.
        """
        if not text.strip():
            raise InputError("The amended claims are empty; nothing was changed.")

        def edit(was: Case) -> Case:
            known = versions_of(was)
            if was.application.split() == text.split():
                raise InputError("These claims are those that are searched now; nothing was changed.")
            wanted = " ".join(name.split()) or _free_name([item.name for item in known])
            if wanted.casefold() in {item.name.casefold() for item in known}:
                raise InputError(
                    f"A version of the claims is called {wanted!r} already: name it differently."
                )
            versions = (*known, ClaimVersion(wanted, text, day))
            return _with_version(replace(was, versions=versions), len(versions) - 1)

        label = f"claims {name.strip()!r}" if name.strip() else "amended claims"
        return self._save(case, edit, f"{label} added")

    def use_version(self, case: CaseId, name: str) -> Case:
        """Search another version of the claims, by its name or its place from 1."""

        def edit(was: Case) -> Case:
            found = find_version(was, name)
            return _with_version(was, was.versions.index(found)) if was.versions else was

        # By its name, also where it was asked for by its place.
        named = find_version(self.case(case), name).name
        return self._save(case, edit, f"claims {named!r} searched from now on")

    def restrict(self, case: CaseId, classes: Sequence[ClassFilter]) -> Case:
        """Restrict searches to documents with one of these classes or one below it; none: all documents."""
        names = " or ".join(map(str, classes))
        text = f"only documents of {names} shown" if names else "documents of all classes shown"
        return self._save(case, lambda was: replace(was, within=tuple(classes)), text)

    def archive(self, case: CaseId, *, archived: bool = True) -> Case:
        """Archive a case, which hides it from the list, or unarchive it; can be undone."""
        text = "archived" if archived else "taken out of the archive"
        return self._save(case, lambda was: replace(was, archived=archived), text)

    def delete(self, case: CaseId, *, deleted: bool = True) -> Case:
        """Mark a case as deleted, or with ``deleted=False`` restore it; only `purge` erases."""
        text = "deleted" if deleted else "brought back"
        return self._save(case, lambda was: replace(was, deleted=deleted), text)

    def purge(self, case: CaseId) -> None:
        """Erase a deleted case with its marks, sets and history permanently; earlier backups keep it.

        `InputError` if it is not marked as deleted.
        """
        with self._writing(case) as connection:
            if not existing(connection, case).deleted:
                raise InputError(f"Case {case} is not deleted; delete it first. Nothing was changed.")
            rows.purge(connection, case)
        self._worked = True
        self.release(case)
        # After the transaction: SQLite can't rewrite the file inside one.
        self._store.compact()

    def _save(self, case: CaseId, edit: Callable[[Case], Case], text: str = "") -> Case:
        with self._writing(case) as connection:
            before = existing(connection, case)
            after = replace(edit(before), created=before.created, changed=before.changed)
            names = [f.name for f in fields(Case) if getattr(before, f.name) != getattr(after, f.name)]
            if not names:
                return before
            text = text or ", ".join(name.replace("_", " ") for name in names) + " edited"
            values = (encode(before), encode(after))
            return self._change(
                connection, case, Line(self._clock(), Action.EDITED, text, "case", "", *values)
            )

    # Marks, tags and read documents

    def mark(self, case: CaseId, mark: Mark, text: str = "") -> None:
        """Mark a document for a claim or feature; an empty category without a note removes the mark.

        ``text`` describes the change in the history if it is not one of category or note. A new category is
        recorded with the version of the claims that is searched.
        """
        mark = self._with_version_of(case, mark)
        key = f"{mark.publication}\n{mark.claim}\n{mark.feature}"
        about = " ".join(filter(None, (f"claim {mark.claim}" if mark.claim else "", mark.feature)))
        verdict = mark.letters or ("note" if mark.note else "no mark")
        text = text or f"{mark.publication}: {verdict}" + (f" for {about}" if about else "")
        empty = not mark.letters and not mark.note
        self._set(case, Action.MARKED, text, "mark", key, None if empty else encode(mark))

    def _with_version_of(self, case: CaseId, mark: Mark) -> Mark:
        held = self.case(case)
        if not held.versions:
            return mark
        known = next((item for item in self.marks(case) if _mark_key(item) == _mark_key(mark)), None)
        if known is not None and known.letters == mark.letters:
            return replace(mark, version=known.version)
        return replace(mark, version=held.versions[held.version].name)

    def marks(self, case: CaseId) -> list[Mark]:
        """All marks of a case, by publication."""
        with self._store.read() as connection:
            return rows.read_state(connection, case, "mark", Mark)

    def cite(self, case: CaseId, mark: Mark, passage: MarkedPassage) -> bool:
        """Add a passage to those a mark is given for, or remove it; returns whether it is cited now.

        `InputError` if the document has no category for this claim.
        """
        known = next((item for item in self.marks(case) if _mark_key(item) == _mark_key(mark)), None)
        if known is None or known.category not in CITED:
            raise InputError(f"{mark.publication} has no category that a passage could be cited with.")
        changed, cited = marking.toggle_passage(known, passage, self.confirmations(case))
        said = f"cited with {known.letters}" if cited else f"no longer cited with {known.letters}"
        about = f" for claim {known.claim}" if known.claim else ""
        self.mark(case, changed, f"{mark.publication} {passage.label or 'text'}: {said}{about}")
        return cited

    def note_passage(self, case: CaseId, note: PassageNote) -> None:
        """Write a note on a passage or words of it, replacing one there; an empty one removes it."""
        place = f"{note.words.start}-{note.words.end}" if note.words is not None else ""
        key = f"{note.publication}\n{note.passage_digest}\n{place}"
        on = f"{note.publication} {note.label or 'text'}"
        text = f"{on}: note" if note.note.strip() else f"{on}: note removed"
        known = next((item for item in self.passage_notes(case) if _is_same_place(item, note)), None)
        # The same note again, only later, is no change.
        if known is not None and replace(known, at=note.at) == note:
            return
        self._set(case, Action.NOTED, text, _NOTE, key, encode(note) if note.note.strip() else None)

    def passage_notes(self, case: CaseId) -> list[PassageNote]:
        """The notes on passages of a case, by publication, oldest first."""
        with self._store.read() as connection:
            known = rows.read_state(connection, case, _NOTE, PassageNote)
        return sorted(known, key=lambda item: (str(item.publication), item.at))

    def see(
        self,
        case: CaseId,
        publication: PublicationNumber,
        *,
        family: Iterable[PublicationNumber] = (),
        seen: bool = True,
    ) -> None:
        """Record that a document was read, or is to count as unread, together with its family.

        ``family`` has the other members, if known.
        """
        members = _members(publication, family)
        with self._writing(case) as connection:
            existing(connection, case)
            known = rows.read_state(connection, case, "seen", SeenDocument)
            if not seen:
                for item in known:
                    if members & _members(item.publication, item.family):
                        self._note_seen(connection, case, item.publication, None)
            elif not any(members <= _members(item.publication, item.family) for item in known):
                value = SeenDocument(publication, _others(publication, members))
                self._note_seen(connection, case, publication, value)

    def _note_seen(
        self,
        connection: Connection,
        case: CaseId,
        publication: PublicationNumber,
        value: SeenDocument | None,
    ) -> None:
        text = f"{publication}: {'unseen' if value is None else 'seen'}"
        after = None if value is None else encode(value)
        line = Line(self._clock(), Action.SEEN, text, "seen", str(publication), after=after)
        self._put(connection, case, line)

    def seen(self, case: CaseId) -> frozenset[PublicationNumber]:
        """The documents of a case that were read, with the members of their families."""
        with self._store.read() as connection:
            known = rows.read_state(connection, case, "seen", SeenDocument)
        return frozenset().union(*(_members(item.publication, item.family) for item in known))

    def tag(
        self,
        case: CaseId,
        publication: PublicationNumber,
        tags: Iterable[str],
        *,
        family: Iterable[PublicationNumber] = (),
    ) -> None:
        """Replace the tags of a document and its family; no tags removes them."""
        wanted = tuple(sorted({" ".join(tag.split()) for tag in tags} - {""}))
        members = _members(publication, family)
        text = f"{publication}: {'tags ' + ', '.join(wanted) if wanted else 'no tags'}"
        with self._writing(case) as connection:
            existing(connection, case)
            known = rows.read_state(connection, case, "tag", Tagged)
            same = [item for item in known if members & _members(item.publication, item.family)]
            main = same[0].publication if same else publication
            members = members.union(*(_members(item.publication, item.family) for item in same))
            for item in same[1:]:  # two families that turn out to be one
                line = Line(self._clock(), Action.TAGGED, text, "tag", str(item.publication))
                self._put(connection, case, line)
            value = encode(Tagged(main, wanted, _others(main, members))) if wanted else None
            self._put(
                connection, case, Line(self._clock(), Action.TAGGED, text, "tag", str(main), after=value)
            )

    def tags(self, case: CaseId) -> dict[PublicationNumber, tuple[str, ...]]:
        """The tags of each tagged document of a case and the members of its family."""
        with self._store.read() as connection:
            known = rows.read_state(connection, case, "tag", Tagged)
        return {number: item.tags for item in known for number in _members(item.publication, item.family)}

    # Confirmations

    def decide(self, case: CaseId, confirmation: Confirmation) -> None:
        """Record that a passage discloses a feature or not; replaces an earlier decision on the two."""
        about = confirmation.feature_label or "the text"
        text = _describe_passage(confirmation) + f": {confirmation.decision.value} for {about}"
        with self._writing(case) as connection:
            existing(connection, case)
            key = _confirmation_key(confirmation)
            known = rows.read_state(connection, case, _CONFIRMATION, Confirmation)
            same = next((item for item in known if _confirmation_key(item) == key), None)
            # The same decision again, only later, is no change.
            if same is None or replace(same, at=confirmation.at) != confirmation:
                value = encode(confirmation)
                line = Line(self._clock(), Action.DECIDED, text, _CONFIRMATION, key, after=value)
                self._put(connection, case, line)

    def withdraw(self, case: CaseId, confirmation: Confirmation) -> None:
        """Remove the decision on a passage and a feature; no effect if there is none."""
        about = confirmation.feature_label or "the text"
        text = _describe_passage(confirmation) + f": undecided for {about}"
        self._set(case, Action.DECIDED, text, _CONFIRMATION, _confirmation_key(confirmation), None)

    def confirmations(self, case: CaseId) -> list[Confirmation]:
        """All decisions of a case, by publication, feature and the order in which they were made."""
        with self._store.read() as connection:
            known = rows.read_state(connection, case, _CONFIRMATION, Confirmation)
        return sorted(known, key=lambda item: (str(item.publication), item.feature_label, item.at))

    # Reading

    def reading(self, case: CaseId) -> list[DocumentRead]:
        """The documents of a case that were read, in the order of reading; a family is one.

        Documents with a category or confirmation count as read too, whether or not they were opened.
        """
        with self._store.read() as connection:
            seen = rows.read_state(connection, case, "seen", SeenDocument)
            marked = {mark.publication for mark in rows.read_state(connection, case, "mark", Mark)}
            marked |= {
                item.publication for item in rows.read_state(connection, case, _CONFIRMATION, Confirmation)
            }
            touches = list(case_log.read_touches(connection, case))
        return order_reading(seen, marked, touches)

    def keep_sample(self, case: CaseId, sample: ReadingSample) -> ReadingSample:
        """Record a sample as the next S number; can be undone."""
        with self._writing(case) as connection:
            existing(connection, case)
            known = rows.read_state(connection, case, _SAMPLE, ReadingSample)
            number = max((item.number for item in known), default=0) + 1
            kept = replace(sample, number=number, at=self._clock())
            drawn = plural(len(kept.order), "document")
            where = f"L{kept.set_number}" + (" and the rest of the library" if kept.library else "")
            text = f"{kept.label}: {drawn} drawn of {kept.frame:,} unread of {where}"
            line = Line(self._clock(), Action.SAMPLED, text, _SAMPLE, f"{number:06}", after=encode(kept))
            self._put(connection, case, line)
        return kept

    def samples(self, case: CaseId) -> list[ReadingSample]:
        """The samples of a case, S1 first."""
        with self._store.read() as connection:
            return rows.read_state(connection, case, _SAMPLE, ReadingSample)

    # Query sets

    def record_set(self, case: CaseId, results: SearchResults | SetResult) -> QuerySet:
        """Record a search as the next L number; sets are never changed or undone.

        Works also while another window holds the case, as it changes nothing that exists.
        """
        record = _record(results, self._clock())
        with self._store.write() as connection:
            current = existing(connection, case)
            written = query_sets.append_set(connection, case, record)
            found = plural(len(written.hits), "document") if len(written.hits) else "nothing found"
            text = f"{written.label}: {found} for {_describe_request(written.request)}"
            self._log(connection, case, Line(self._clock(), Action.SEARCHED, text))
            self._touch(connection, current)
        return written

    def sets(self, case: CaseId) -> list[QuerySet]:
        """All query sets of a case, L1 first."""
        with self._store.read() as connection:
            return query_sets.read_sets(connection, case)


_CONFIRMATION = "confirmation"
_NOTE = "passage note"
_SAMPLE = "sample"


def _with_version(case: Case, place: int) -> Case:
    """The case with another version; its claims are split again."""
    if place == case.version and case.application == case.versions[place].text:
        return case
    return replace(case, version=place, application=case.versions[place].text, features=(), ranges=())


def _free_name(known: Sequence[str]) -> str:
    names = {name.casefold() for name in known}
    return next(
        name
        for number in range(1, len(known) + 2)
        if (name := "amended" if number == 1 else f"amended {number}") not in names
    )


def _mark_key(mark: Mark) -> tuple[PublicationNumber, int, str]:
    return mark.publication, mark.claim, mark.feature


def _is_same_place(one: PassageNote, other: PassageNote) -> bool:
    def place(item: PassageNote) -> tuple[object, ...]:
        return item.publication, item.passage_digest, item.words

    return place(one) == place(other)


def _confirmation_key(item: Confirmation) -> str:
    return f"{item.publication}\n{item.feature_digest}\n{item.passage_digest}"


def _describe_passage(item: Confirmation) -> str:
    return " ".join(filter(None, (str(item.publication), item.label)))


def _describe_request(request: SearchRequest | SetRequest) -> str:
    """The line or claim that was searched, in a few words."""
    if isinstance(request, SetRequest):
        return request.expression
    about = f"claim {request.claim}" if request.claim else "a text"
    only = f", {', '.join(request.only)} only" if request.only else ""
    return f"{about}{only} over {request.over}" if request.over is not None else about + only


def _members(
    publication: PublicationNumber, family: Iterable[PublicationNumber]
) -> frozenset[PublicationNumber]:
    return frozenset((publication, *family))


def _others(
    publication: PublicationNumber, members: frozenset[PublicationNumber]
) -> tuple[PublicationNumber, ...]:
    return tuple(sorted(members - {publication}, key=str))


def _record(results: SearchResults | SetResult, at: datetime) -> QuerySet:
    if isinstance(results, SearchResults):
        hits = SetHits.of(SetHit(hit.patent.publication, hit.score) for hit in results.hits)
        return QuerySet(0, at, results.request, results.provenance, results.notes, hits)
    if len(results.hits) != len(results.patents):
        raise BugError("a set without the numbers of its documents can't be recorded")
    return QuerySet(0, at, results.request, results.provenance, results.notes, results.hits, results.parsed)
