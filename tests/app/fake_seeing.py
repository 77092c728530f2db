"""The part of the fake engine that is about the map and the counts of documents."""

from __future__ import annotations

from collections.abc import Sequence

from claimlight.errors import InputError
from claimlight.services.library.counting import within_set
from claimlight.services.maps.library_map import NO_INDEX
from claimlight.services.maps.plane import Plane
from claimlight.tasks import TaskContext
from claimlight.types import (
    NO_SECTION,
    CountBy,
    DocumentCount,
    DocumentStatistics,
    LibraryMap,
    MapPoint,
    ParsedQuery,
    PatentId,
    Progress,
    Provenance,
    SetHits,
    SetRequest,
    SetResult,
    publication_text,
)


class FakeSeeing:
    """The three documents of the fake library in a row on the map, and two that are in no list."""

    def __init__(self) -> None:
        self.maps: list[bool] = []
        """Each map that was asked for: whether all was to be laid out again."""
        self.no_index = False
        self.slow = False
        """Laying out comes to no end until it is cancelled."""

    def library_map(self, again: bool, context: TaskContext) -> Plane:
        self.maps.append(again)
        if self.no_index:
            raise InputError(NO_INDEX)
        context.report(Progress("map", 40, 100, "%", 10.0, 6.0))
        if self.slow:
            context.wait(60)
        sections = ("F", "B", NO_SECTION, "F", "F")
        points = tuple(
            MapPoint(
                number, f"EP{1000000 + number}A1", f"Title {number}", section, number / 5, 0.1 * (number % 2)
            )
            for number, section in enumerate(sections, 1)
        )
        return Plane(LibraryMap("g1", points, 0, 2))

    def choose_documents(self, patents: Sequence[int], description: str, context: TaskContext) -> SetResult:
        request = SetRequest(description, chosen=True)
        keys = [publication_text("EP", str(1000000 + patent), "A1") for patent in patents]
        return SetResult(
            request,
            ParsedQuery(description, description, (), request.default_operator),
            tuple(PatentId(patent) for patent in patents),
            (),
            (),
            (),
            Provenance("lib", "", 3, "", "", "", ()),
            SetHits(keys),
        )

    def document_statistics(self, number: int, by: CountBy, context: TaskContext) -> DocumentStatistics:
        names = {CountBy.YEAR: ("2001", "2003"), CountBy.OFFICE: ("EP",), CountBy.APPLICANT: ()}[by]
        counts = tuple(
            DocumentCount(name, "", place + 1, (place + 1) / 3, f"PD={name}")
            for place, name in enumerate(names)
        )
        found = DocumentStatistics(by, 3, len(names), counts)
        return within_set(found, f"L{number}") if number else found
