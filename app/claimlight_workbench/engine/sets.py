"""Query lines, numbered sets, dates, families, citations and imports from the real engine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from claimlight.errors import InputError
from claimlight.types import Completion, SetRequest
from claimlight_workbench.engine.state import EngineState
from claimlight_workbench.language import tr, trn
from claimlight_workbench.values import FoundSet, Rerun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from claimlight.services.sets.sets import SetSearch
    from claimlight.tasks import TaskContext
    from claimlight.types import (
        CitationView,
        DateFinding,
        ExportKind,
        FamilyView,
        ImportRun,
        ParsedQuery,
        PatentId,
        PatentSummary,
        Query,
        QuerySet,
        ReferenceDates,
        SetMark,
        SetResult,
    )
    from claimlight_workbench.values import FoundSet


_SET = re.compile(r"(?<![\w$~\"])[Ll](\d*)$")
_SETS_OFFERED = 6
_SHOWN_WORDS = 60


def _asks(sets: SetSearch, record: QuerySet) -> Query | None:
    """What the line of a set asks for semantically, as far as this library can say."""
    try:
        return sets.asks(record.request) if isinstance(record.request, SetRequest) else None
    except InputError:
        return None  # it names a document that is not in this library


class SetQuestions(EngineState):
    """The part of `Services` that is about sets, for the open library and the open case."""

    def check_query(self, request: SetRequest, context: TaskContext) -> ParsedQuery:
        """How a line is parsed."""
        context.check()
        sets = self._sets()
        operator = request.default_operator
        return self._opened().sets.parse(request.expression, sets, operator, query=request.query)

    def complete_query(self, text: str, column: int, context: TaskContext) -> tuple[Completion, ...]:
        """Completions of a line."""
        context.check()
        named = complete_sets(text, column, self._sets().values())
        return (*named, *self._opened().sets.complete(text, column))

    def run_query(self, request: SetRequest, context: TaskContext) -> SetResult:
        """The documents of a line."""
        asked = replace(request, exclude_family_of=self._relative(request.exclude_family_of))
        return self._opened().sets.run(asked, self._sets(), context)

    def query_marks(self, request: SetRequest, patent: PatentId, context: TaskContext) -> tuple[SetMark, ...]:
        """What a line matched in a document."""
        return self._opened().sets.marks(request, self._sets(), patent, context)

    def open_set(self, number: int, context: TaskContext) -> FoundSet:
        """A set of the open case."""
        context.check()
        record = self._set(number)
        sets = self._opened().sets
        return from_record(record, sets.patents(record), _asks(sets, record))

    def rerun_set(self, number: int, context: TaskContext) -> Rerun:
        """Run a set again and compare."""
        record = self._set(number)
        answer = self._opened().sets.rerun(record, self._sets(), context)
        return Rerun(
            number, len(answer.result.hits), answer.equal, answer.differences, answer.added, answer.missing
        )

    def export(self, number: int, path: Path, kind: ExportKind, context: TaskContext) -> int:
        """Write a set, or the whole library for 0."""
        from claimlight.services.library import export

        opened = self._opened()
        patents = None
        if number:
            held = opened.sets.patents(self._set(number))
            patents = [patent for patent in held if patent is not None]
        return export.export(opened.library, patents, path, kind=kind, context=context)

    def summaries(self, patents: Sequence[PatentId], context: TaskContext) -> tuple[PatentSummary, ...]:
        """The bibliographic data that rows show."""
        context.check()
        return self._opened().sets.summaries(patents)

    def newest_first(self, patents: Sequence[PatentId], context: TaskContext) -> tuple[PatentId, ...]:
        """The same documents by publication date."""
        context.check()
        return self._opened().sets.newest_first(patents)

    def import_runs(self, context: TaskContext) -> tuple[ImportRun, ...]:
        """The import history, newest first."""
        from claimlight.services.library import import_runs

        context.check()
        return import_runs.list_runs(self._opened().library)

    def family(self, patent: PatentId, context: TaskContext) -> FamilyView:
        """The family of a document."""
        from claimlight.services.library import relations

        context.check()
        return relations.family(self._opened().library, patent, representative=self._preference())

    def citations(self, patent: PatentId, context: TaskContext) -> CitationView:
        """The citations of a document, both ways."""
        from claimlight.services.library import relations

        context.check()
        return relations.citations(self._opened().library, patent)

    def date_findings(
        self,
        patents: Sequence[PatentSummary],
        reference: ReferenceDates,
        claim: int,
        context: TaskContext,
    ) -> tuple[DateFinding, ...]:
        """The date status of documents."""
        from claimlight.services.search import dates

        context.check()
        return dates.find_statuses(reference, patents, claim)

    def _sets(self) -> dict[int, QuerySet]:
        sets = self._sets_of(self._case) if self._case is not None else ()
        return {each.number: each for each in sets}

    def _set(self, number: int) -> QuerySet:
        record = self._sets().get(number)
        if record is None:
            raise InputError(tr("The open case has no set L{number}.", number=number))
        return record


def from_record(record: QuerySet, patents: Sequence[PatentId | None], asks: Query | None = None) -> FoundSet:
    """From a saved set; ``patents`` has one id for each hit, None for documents no longer in the library."""
    kept = [row for row, patent in enumerate(patents) if patent is not None]
    hits = list(record.hits)
    scored = any(hit.score for hit in hits)
    gone = len(hits) - len(kept)
    missing = (
        (tr("{gone:,} of the documents of {label} are not in this library.", gone=gone, label=record.label),)
        if gone
        else ()
    )
    return FoundSet(
        record.request,
        tuple(patent for patent in patents if patent is not None),
        tuple(str(hits[row].publication) for row in kept),
        tuple(hits[row].score for row in kept) if scored else (),
        record.parsed,
        (*record.notes, *missing),
        number=record.number,
        asks=asks,
    )


def complete_sets(text: str, column: int, sets: Iterable[QuerySet]) -> tuple[Completion, ...]:
    """The sets whose number continues the text before a column, newest first."""
    begun = _SET.search(text[: column - 1])
    if begun is None:
        return ()
    fitting = [
        each for each in sets if f"{each.number}".startswith(begun[1]) and f"{each.number}" != begun[1]
    ]
    return tuple(
        Completion(
            each.label,
            begun.start(),
            f"{trn('{n:,} document', '{n:,} documents', len(each.hits))}{_line(each)}",
        )
        for each in sorted(fitting, key=lambda each: -each.number)[:_SETS_OFFERED]
    )


def _line(record: QuerySet) -> str:
    if not isinstance(record.request, SetRequest):
        return tr(", claim search")
    line = record.request.expression
    return f": {line if len(line) <= _SHOWN_WORDS else line[: _SHOWN_WORDS - 1] + '…'}"
