"""A case with marks, confirmed and rejected passages and recorded sets, over a small library."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

from claimlight.services.cases.cases import CaseBook
from claimlight.services.library.documents import identify
from claimlight.services.library.library import Library
from claimlight.services.reports.gathering import gather_report
from claimlight.services.search.confirmations import find_passage, make_confirmation
from claimlight.services.search.search_input import input_from_case
from claimlight.types import (
    Case,
    ClassFilter,
    Decision,
    Mark,
    ParsedQuery,
    Provenance,
    PublicationNumber,
    Query,
    Scheme,
    SearchRequest,
    SearchResults,
    SetHit,
    SetHits,
    SetRequest,
    SetResult,
    TermCount,
    read_letters,
)

MADE = datetime(2026, 3, 2, 9, tzinfo=UTC)
CLAIMS = (
    "1. A bicycle comprising a frame; a viscous damper; and a brake.\n\n"
    "2. The bicycle of claim 1, wherein the damper is filled with oil.\n\n"
    "3. A wheel comprising a hub; and a rim."
)


def number(digits: str) -> PublicationNumber:
    return PublicationNumber("EP", digits, "A1")


@dataclass
class Desk:
    """One case and its library."""

    book: CaseBook
    library: Library
    id: int

    @property
    def case(self) -> Case:
        return self.book.case(self.id)

    def mark(self, digits: str, letters: str, claim: int = 1, note: str = "") -> None:
        category, kinds = read_letters(letters)
        self.book.mark(self.id, Mark(number(digits), category, note, claim, kinds=kinds))

    def decide(self, digits: str, word: str, label: str, decision: Decision = Decision.CONFIRMED, **kwargs):
        """Decide on a passage for the feature of the open claim that has a word."""
        about = input_from_case(self.case)
        feature = next(item.label for item in about.query.features if word in item.text)
        passage = find_passage(self.library, identify(self.library, number(digits)), label)
        made = make_confirmation(
            self.library, about.query, feature, passage, decision, at=MADE, claim=about.claim, **kwargs
        )
        self.book.decide(self.id, made)
        return made

    def edit(self, **changes) -> None:
        self.book.save_case(replace(self.case, **changes))

    def date(self, **dates) -> None:
        self.edit(dates=replace(self.case.dates, **dates))

    def report(self, **kwargs):
        return gather_report(self.book, self.id, self.library, made=MADE, **kwargs)


def record_sets(desk: Desk) -> None:
    """L1 a query line, L2 a claim search."""
    folder = str(Path(desk.library.folder))
    line = SetRequest("damper AND oil", before=date(2018, 10, 1), classes=(ClassFilter(Scheme.CPC, "B62K"),))
    parsed = ParsedQuery(
        line.expression, "(damper AND oil)", (TermCount("damper", 1, 1, 1),), line.default_operator
    )
    hits = SetHits.of([SetHit(number("1000001"), 0.0)])
    words = Provenance(folder, "", 4, "", "", "", ())
    desk.book.record_set(desk.id, SetResult(line, parsed, (1,), (), (), (), words, hits))
    request = SearchRequest(input_from_case(desk.case).query, claim=1)
    semantic = Provenance(folder, "g7", 4, "general-small-4-abc", "cen", "cpu", ())
    desk.book.record_set(desk.id, SearchResults(request, (), (), (), semantic))
    assert isinstance(request.query, Query)
