"""Sets like those of the test set, drawn from the citations inside a library (paper, sections 2.2-2.5).

* A query is an application of the European office with a CPC symbol, whose search report has enough of the
  letters X, Y, I and A, and whose cited patents cite others.
* Positives are patents cited with one of these letters.
* Hard negatives are cited by what the query cites, but not by itself.
* Easy negatives stand in a class of the query, were published in the five years before it, and are cited
  neither by it nor by what it cites.

Negatives come from what was ever cited by the applications that may be queries. What is drawn was published
before its query; of a family one publication is taken, and of one set no two patents are relatives. The same
seed draws the same sets from the same documents, in whatever order they were imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from zlib import crc32

import numpy as np

from core.errors import InputError
from core.evaluation.judgements import JudgedText
from core.evaluation.paecter.sets import CitationSet
from core.evaluation.paecter.texts import EnglishText, LibraryTexts
from core.evaluation.report import Count
from core.services.library import Library
from core.store.graph import CitationGraph, GraphCitation, GraphDocument
from core.tasks import TaskContext
from core.types import Origin, PatentId, Progress, Scheme

STRONG = frozenset("XYI")
WEAK = frozenset("A")
_SEARCHED = frozenset({Origin.EXAMINER, Origin.SEARCH})
_CLASS = 3
_STEPS = 2
_BEYOND = 2
"""Families that what a query cites must cite, for hard negatives to be drawn from."""


class Cited(StrEnum):
    """Which citations make a positive."""

    CATEGORY = "category"
    """Of the letters X, Y, I and A, as in the paper."""
    EXAMINER = "examiner"
    """By an examiner or a search report, whatever the category: for offices that give none."""
    ANY = "any"


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What is drawn; the defaults are the paper's."""

    count: int = 1000
    positives: int = 5
    hard: int = 10
    easy: int = 15
    offices: frozenset[str] = frozenset({"EP"})
    """Of the queries; empty for any office."""
    filed_from: date = date(1985, 1, 1)
    filed_to: date = date(2022, 12, 31)
    """Of the queries; the day of publication counts for one whose filing day is not known."""
    years: int = 5
    """How long before the query an easy negative may have been published."""
    cited: Cited = Cited.CATEGORY
    scheme: Scheme = Scheme.CPC
    ever_cited: bool = True
    """Whether negatives must have been cited by some application that may be a query, as positives are."""
    seed: int = 42

    def check(self) -> None:
        """Numbers that make no set are an `InputError`."""
        if min(self.count, self.positives, self.years) < 1 or min(self.hard, self.easy) < 0:
            raise InputError("Sets, positives and years must be at least 1, hard and easy at least 0.")
        if self.hard + self.easy < 1:
            raise InputError("A set needs a negative: ask for hard or easy ones.")
        if self.scheme is Scheme.OTHER:
            raise InputError("Classes are taken from cpc or ipc.")


@dataclass(frozen=True, slots=True)
class Built:
    """Sets with the texts of their patents, and why there are no more."""

    sets: tuple[CitationSet, ...]
    texts: tuple[JudgedText, ...]
    """Of every patent in the sets, by name."""
    counts: tuple[Count, ...]
    """Families looked at, the reasons for which some made no set, and the sets."""


class Reason(StrEnum):
    """Why a family that may be a query makes no set, in the order of the tests."""

    CLASS = "without a class"
    CITATIONS = "with too few citations that count"
    BEYOND = "whose citations cite too few others"
    ENGLISH = "without an English abstract"
    POSITIVES = "with too few positives"
    HARD = "with too few hard negatives"
    EASY = "with too few easy negatives"


def build(library: Library, plan: BuildPlan, context: TaskContext, *, without: Iterable[str] = ()) -> Built:
    """Draw sets from a library; ``without`` names patents whose families must not be in any.

    Reports `Progress` in families. No set at all is an answer, not an error.
    """
    plan.check()
    graph = CitationGraph.read(library.store, context)
    texts = LibraryTexts(library)
    left_out = {graph.documents[item].family for name in without if (item := texts.find(name)) is not None}
    drawer = _Drawer(graph, texts, plan, left_out)
    sets: list[CitationSet] = []
    reasons: Counter[Reason] = Counter()
    queries = drawer.queries()
    looked_at = 0
    for looked_at, query in enumerate(queries, 1):
        context.check()
        context.report(Progress("sets", looked_at - 1, len(queries), "families", 0.0, None))
        made = drawer.draw(query)
        if isinstance(made, Reason):
            reasons[made] += 1
        else:
            sets.append(made)
        if len(sets) == plan.count:
            break
    counts = [Count("families that may be queries", len(queries)), Count("looked at", looked_at)]
    counts += [Count(reason.value, reasons[reason]) for reason in Reason]
    return Built(tuple(sets), drawer.texts_of(sets), (*counts, Count("sets", len(sets))))


class _Drawer:
    """Draws the sets of one plan."""

    def __init__(
        self, graph: CitationGraph, texts: LibraryTexts, plan: BuildPlan, left_out: set[str]
    ) -> None:
        self._graph, self._texts, self._plan = graph, texts, plan
        self._left_out = left_out
        self._known: dict[str, EnglishText] = {}
        applicants = [item for item in graph.documents.values() if self._may_ask(item)]
        self._applicants = applicants
        self._pool = (
            {label for item in applicants for label in graph.cited_families(item.id)}
            if plan.ever_cited
            else {item.family for item in graph.documents.values()}
        ) - left_out
        """Families that may be negatives."""

    def queries(self) -> list[PatentId]:
        """One publication, the oldest, of each family that may be a query, in the order drawn."""
        oldest: dict[str, GraphDocument] = {}
        for item in sorted(self._applicants, key=lambda item: (item.published or date.max, _name(item))):
            if item.family not in self._left_out:
                oldest.setdefault(item.family, item)
        ordered = sorted(oldest.values(), key=_name)
        order = np.random.default_rng(self._plan.seed).permutation(len(ordered))
        return [ordered[place].id for place in order.tolist()]

    def draw(self, query: PatentId) -> CitationSet | Reason:
        """The set of a query, or why there is none."""
        plan, graph = self._plan, self._graph
        own = graph.documents[query]
        classes = self._classes(query)
        if not classes:
            return Reason.CLASS
        end = own.published or own.filed
        assert end is not None
        counted = [item for item in graph.cites(query) if self._counts(item) and self._older(item.cited, end)]
        if not self._enough(counted):
            return Reason.CITATIONS
        if plan.hard and len(graph.reached(query, _STEPS) - graph.cited_families(query)) < _BEYOND:
            return Reason.BEYOND
        text = self._texts.best(query)
        if text is None:
            return Reason.ENGLISH
        rng = np.random.default_rng([plan.seed, crc32(_name(own).encode())])
        taken = {own.family}
        positives = self._some((item.cited for item in counted), plan.positives, taken, rng)
        if len(positives) < plan.positives:
            return Reason.POSITIVES
        beyond = (item for item in graph.cited_of_cited(query) if self._may_stand(item, end))
        hard = self._some(beyond, plan.hard, taken, rng)
        if len(hard) < plan.hard:
            return Reason.HARD
        easy = self._some(self._near(query, classes, end), plan.easy, taken, rng)
        if len(easy) < plan.easy:
            return Reason.EASY
        return CitationSet(self._named(text), tuple(positives), (*hard, *easy))

    def texts_of(self, sets: Sequence[CitationSet]) -> tuple[JudgedText, ...]:
        """The texts of drawn sets by name."""
        names = sorted({name for item in sets for name in (item.query, *item.candidates)})
        return tuple(JudgedText(name, self._known[name].title, self._known[name].abstract) for name in names)

    def _may_ask(self, item: GraphDocument) -> bool:
        plan = self._plan
        office = not plan.offices or item.publication.country in plan.offices
        day = item.filed or item.published
        return office and day is not None and plan.filed_from <= day <= plan.filed_to

    def _counts(self, citation: GraphCitation) -> bool:
        """Whether a citation makes a positive."""
        if self._graph.documents[citation.cited].family in self._left_out:
            return False
        match self._plan.cited:
            case Cited.CATEGORY:
                return bool(citation.letters & (STRONG | WEAK))
            case Cited.EXAMINER:
                return bool(citation.origins & _SEARCHED)
            case Cited.ANY:
                return True

    def _enough(self, counted: Sequence[GraphCitation]) -> bool:
        """Two of X, Y, I, or one of them and an A; where letters do not count, any two."""
        family = {item.cited: self._graph.documents[item.cited].family for item in counted}
        every = set(family.values())
        strong = {family[item.cited] for item in counted if item.letters & STRONG}
        return len(every) >= 2 and (bool(strong) or self._plan.cited is not Cited.CATEGORY)

    def _classes(self, patent: PatentId) -> frozenset[str]:
        """The classes of a family."""
        members = (self._graph.documents[item] for item in self._graph.family(patent))
        return frozenset(name[:_CLASS] for item in members for name in item.subclasses(self._plan.scheme))

    def _older(self, patent: PatentId, day: date) -> bool:
        """Whether a patent was published before a day, as far as is known."""
        published = self._graph.documents[patent].published
        return published is None or published < day

    def _may_stand(self, patent: PatentId, day: date) -> bool:
        """Whether a patent may be a negative of a query of that day."""
        known = self._graph.documents[patent].family in self._pool and bool(self._classes(patent))
        return known and self._older(patent, day)

    def _near(self, query: PatentId, classes: frozenset[str], end: date) -> Iterator[PatentId]:
        """Documents of the query's classes from the years before it that no citation leads to."""
        graph, own = self._graph, self._graph.documents[query]
        begin = _years_before(end, self._plan.years)
        led_to = graph.reached(query, _STEPS) | {own.family}
        for item in {item for label in classes for item in graph.in_class(self._plan.scheme, label)}:
            there = graph.documents[item]
            in_time = there.published is not None and begin <= there.published < end
            if in_time and there.family not in led_to and there.family in self._pool:
                yield item

    def _some(
        self, patents: Iterable[PatentId], count: int, taken: set[str], rng: np.random.Generator
    ) -> list[str]:
        """Up to ``count`` of them with an English text, drawn without replacement, none of a family taken."""
        ordered = sorted(set(patents), key=lambda item: _name(self._graph.documents[item]))
        chosen: list[str] = []
        for place in rng.permutation(len(ordered)).tolist():
            if len(chosen) == count:
                break
            family = self._graph.documents[ordered[place]].family
            if family in taken:
                continue
            text = self._texts.best(ordered[place])
            if text is not None:
                taken.add(family)
                chosen.append(self._named(text))
        return chosen

    def _named(self, text: EnglishText) -> str:
        name = str(text.publication)
        self._known[name] = text
        return name


def _name(item: GraphDocument) -> str:
    return str(item.publication)


def _years_before(day: date, years: int) -> date:
    """The same day some years ago; of 29 February the 28th."""
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return day.replace(year=day.year - years, day=28)
