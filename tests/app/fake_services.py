"""An engine made of values: three documents, one claim, evidence that can be foretold."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from claimlight.errors import InputError
from claimlight.services.cases.marking import toggle_passage
from claimlight.services.search.confirmations import feature_digest, find_feature
from claimlight.services.search.index_notes import describe_claims_only
from claimlight.services.search.queries import with_kept_features
from claimlight.tasks import TaskContext
from claimlight.types import (
    AcceptedClass,
    Case,
    CaseId,
    Category,
    CellVerdict,
    CenterId,
    Claim,
    ClassFilter,
    Confirmation,
    Decision,
    DocumentEvidence,
    DocumentView,
    DroppedDescriptions,
    Evidence,
    Feature,
    FeatureCoverage,
    FeatureEvidence,
    FeatureStrength,
    Hit,
    IndexDepth,
    LibraryInfo,
    Mark,
    MarkedPassage,
    Match,
    PassageHit,
    PassageId,
    PassageNote,
    PassageView,
    PatentId,
    PatentSummary,
    PlacedConfirmation,
    Provenance,
    PublicationNumber,
    Query,
    Ranker,
    RankerPlace,
    ReadingHistory,
    ReferenceDates,
    SearchRequest,
    SearchResults,
    Section,
    SetRequest,
    SetResult,
    Span,
    StageTime,
    Thresholds,
    Unjudged,
)
from claimlight_workbench.values import (
    CaseProgress,
    CaseState,
    ClaimSet,
    ComparedRow,
    DecidedPlace,
    FolderState,
    SampleCase,
)
from tests.app.fake_classes import FakeClasses
from tests.app.fake_coverage import FakeCoverage, uncompared, undescribed
from tests.app.fake_drawings import FakeDrawings
from tests.app.fake_help import FakeHelp
from tests.app.fake_models import FakeModels
from tests.app.fake_reports import FakeReports
from tests.app.fake_seeing import FakeSeeing
from tests.app.fake_sets import FakeSets

CLAIM_1 = "A 𝛼-damper (10) comprising:\na crown wheel; and\na spring that is preloaded."
CLAIM_2 = "The damper of claim 1, wherein the spring is helical."
CLAIMS = (Claim(1, CLAIM_1), Claim(2, CLAIM_2, parents=(1,)))
LINES = ("A 𝛼-damper (10)", "a crown wheel", "a spring that is preloaded")
TEXTS = (
    "DAMPER WITH TEETH\nAn absorber 𝛽 with a toothed ring and a biased coil.",
    "A damper, comprising a toothed ring.",
    "The absorber 𝛾 carries a toothed ring next to the biased coil.",
    "Nothing of interest is said here.",
)
PAIRS = (
    ("crown wheel", "toothed ring"),
    ("spring", "biased coil"),
    ("damper", "absorber"),
    ("damper", "damper"),
)


def query_of(lines: Sequence[str]) -> Query:
    text, features, start = "\n".join(lines), [], 0
    for number, line in enumerate(lines, 1):
        features.append(Feature(f"F{number}", Span(start, start + len(line)), line))
        start += len(line) + 1
    return Query(text, tuple(features))


def publication(number: int) -> PublicationNumber:
    return PublicationNumber("EP", f"{1000000 + number}", "A1")


def summary(number: int) -> PatentSummary:
    year = 2000 + number % 20
    return PatentSummary(
        PatentId(number),
        publication(number),
        f"Damper number {number}",
        date(year, 3, 4),
        date(year - 1, 3, 4),
        date(year - 2, 3, 4),
        f"Applicant {number}",
        f"family {number}",
        "en",
        ("F16F 9/00",),
    )


def passages(number: int, *, paragraphs: int = 2) -> tuple[PassageView, ...]:
    texts = (*TEXTS[:2], *(TEXTS[2 + n % 2] for n in range(paragraphs)))
    views = []
    for place, text in enumerate(texts):
        section = (Section.ABSTRACT, Section.CLAIMS)[place] if place < 2 else Section.DETAILED
        label = ("abstract", "claim 1")[place] if place < 2 else f"[{place - 1:04}]"
        views.append(
            PassageView(
                PassageId(number * 10_000 + place), section, label, "", "en", text, claim=int(place == 1)
            )
        )
    return tuple(views)


STRENGTH = 0.75


def passage_hit(query: Query, view: PassageView) -> PassageHit:
    items: list[Evidence] = []
    for center, (said, met) in enumerate(PAIRS):
        left, right = query.text.find(said), view.text.find(met)
        if left < 0 or right < 0:
            continue
        feature = next((f.label for f in query.features if f.span.start <= left < f.span.end), "")
        items.append(
            Evidence(
                Span(left, left + len(said)),
                Span(right, right + len(met)),
                CenterId(center),
                f"anchor {center}",
                0.5 / (center + 1),
                feature,
                (said,) if said == met else (),
            )
        )
    return with_matches(
        PassageHit(view.id, view.section, view.label, view.text, 0.0, tuple(items)), query.features
    )


def with_matches(hit: PassageHit, features: Sequence[Feature]) -> PassageHit:
    """The same with a match for each piece of evidence; it matches what it has evidence of strongly."""
    found = {item.feature for item in hit.evidence}
    return replace(
        hit,
        score=sum(item.contribution for item in hit.evidence) + hit.other_words,
        matches=tuple(
            Match(item.query, item.passage, item.feature, item.contribution, (place,), item.shared)
            for place, item in enumerate(hit.evidence)
        ),
        strengths=tuple(
            FeatureStrength(each.label, STRENGTH, CellVerdict.STRONG)
            for each in features
            if each.label in found
        ),
    )


class FakeServices(
    FakeClasses, FakeCoverage, FakeDrawings, FakeHelp, FakeSets, FakeModels, FakeReports, FakeSeeing
):
    """Remembers what it was asked; `gate` holds searches back until it is set."""

    def __init__(self, folder: Path, *, paragraphs: int = 2) -> None:
        FakeClasses.__init__(self)
        FakeSets.__init__(self)
        FakeCoverage.__init__(self)
        FakeDrawings.__init__(self)
        FakeSeeing.__init__(self)
        FakeModels.__init__(self)
        FakeReports.__init__(self)
        self.folder = folder
        self.paragraphs = paragraphs
        self.asked: list[SearchRequest] = []
        self.recorded: list[SearchResults | SetResult] = []
        self.marks: dict[tuple[PublicationNumber, int], Mark] = {}
        self.passage_notes: tuple[PassageNote, ...] = ()
        self.proposed: tuple[Category, ...] = ()
        self.claims_decided: list[int] = []
        self.history: list[dict[PublicationNumber, Mark]] = []
        self.undone: list[dict[PublicationNumber, Mark]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.indexed = 3
        self.removable = DroppedDescriptions(0, 0)
        self.seen: frozenset[str] = frozenset()
        self.drawn: list[tuple[int, int, bool]] = []
        """Samples that were asked for: set, documents, rest of the library."""
        self.compared_read: tuple[ComparedRow, ...] = ()
        """Documents whose cells were given to the counting of progress."""
        self.examined = ""
        self.closed = False
        self.folders: dict[Path, FolderState] = {}
        """Folders that are no library."""
        self.cause = ""
        self.kept_dates: tuple[ReferenceDates | None, date | None] = (None, None)
        self.fail_search: Exception | None = None
        self.reading = 2.0
        self.read_for: list[tuple[SearchRequest, float]] = []
        """Searches that were to read descriptions."""
        self.read_alone: list[PatentId] = []
        """Documents that were to be read alone, as often as they were."""
        self.page_turned = threading.Event()
        self.page_turned.set()
        """Reading descriptions comes to no end until it is set."""
        self.read_order: tuple[int, ...] = ()
        """The order of the documents when descriptions were read."""
        self.fail_reading: Exception | None = None

    def summary_of(self, number: int) -> PatentSummary:
        return summary(number)

    def passages_of(self, number: int) -> Sequence[PassageView]:
        return passages(number, paragraphs=self.paragraphs)

    def info(self) -> LibraryInfo:
        return LibraryInfo(
            str(self.folder), 3, 12, 3, 0, (("EP", 3),), ((2001, 1), (2003, 2)), (("F16F", 3),),
            self.indexed, "g1", "fake", False, 123_456,
        )  # fmt: skip

    def folder_state(self, folder: Path, context: TaskContext) -> FolderState:
        return self.folders.get(folder, FolderState(library=True))

    def open_library(self, folder: Path, context: TaskContext) -> LibraryInfo:
        self.folder = folder
        return self.info()

    def refresh(self, context: TaskContext) -> LibraryInfo:
        return self.info()

    def described(self, context: TaskContext) -> DroppedDescriptions:
        return self.removable

    def close(self) -> None:
        self.closed = True

    def model_fingerprint(self) -> str:
        return "0123456789abcdef"

    def device(self) -> str:
        return "cpu"

    def claims_of_text(self, text: str, source: str, context: TaskContext) -> ClaimSet:
        if "claim" in text.lower() and "damper" not in text:
            raise InputError("These are no claims.")
        return ClaimSet(CLAIMS, source, text=text)

    def claims_of_file(self, path: Path, context: TaskContext) -> ClaimSet:
        return ClaimSet(CLAIMS, path.name, publication=publication(9), dates=ReferenceDates(date(2010, 1, 2)))

    def claims_of_document(self, publication: str, context: TaskContext) -> ClaimSet:
        return ClaimSet(CLAIMS, publication, dates=ReferenceDates(date(2011, 1, 2)))

    def query_of_claim(self, claims: ClaimSet, claim: int, context: TaskContext) -> Query:
        return query_of(LINES if claim == 1 else (*LINES, "wherein the spring is helical"))

    def query_as_kept(
        self, claims: ClaimSet, claim: int, ranges: Sequence[Span], lines: Sequence[str], context: TaskContext
    ) -> Query:
        return with_kept_features(self.query_of_claim(claims, claim, context), ranges, lines)

    def search(self, request: SearchRequest, context: TaskContext, *, reading: float = 0.0) -> SearchResults:
        if reading:
            self.read_for.append((request, reading))
            while not self.page_turned.wait(0.01):
                context.check()
            self.partly_read |= self.partly
            if self.fail_reading is not None:
                raise self.fail_reading
        else:
            self.asked.append(request)
        self.hold(context)
        if self.fail_search is not None:
            raise self.fail_search
        found = results(request)
        hidden = self.hidden if request.before is not None else ()
        if self.cause:
            return replace(found, hits=(), cause=self.cause)
        hits = [
            replace(hit, coverage=tuple(uncompared(cell) for cell in hit.coverage))
            if hit.patent.id in self.unindexed
            else hit
            for hit in found.hits
        ]
        hits = [self.as_indexed(hit) for hit in hits]
        if reading and self.read_order:
            hits.sort(key=lambda hit: self.read_order.index(hit.patent.id))
        notes = (describe_claims_only(len(self.partly), 3),) if self.partly else ()
        return replace(found, hits=tuple(hits), hidden=hidden, notes=(*found.notes, *notes))

    def as_indexed(self, hit: Hit) -> Hit:
        """Of a document that is indexed in part, a missing feature is not judged."""
        if hit.patent.id not in self.partly:
            return hit
        read = hit.patent.id in self.partly_read
        cells = (undescribed(cell, read=read) for cell in hit.coverage)
        return replace(hit, coverage=tuple(cells), depth=IndexDepth.CLAIMS)

    def reading_seconds(self) -> float:
        return self.reading

    def depths(self, patents: Sequence[PatentId], context: TaskContext) -> dict[PatentId, IndexDepth]:
        depths = {True: IndexDepth.CLAIMS, False: IndexDepth.FULL}
        return {
            patent: IndexDepth.NONE if patent in self.unindexed else depths[patent in self.partly]
            for patent in patents
        }

    def read_description(self, query: Query, patent: PatentId, seconds: float, context: TaskContext) -> bool:
        self.read_alone.append(patent)
        while not self.page_turned.wait(0.01):
            context.check()
        if patent in self.partly_read:
            return False
        self.partly_read |= {patent}
        return True

    def run_query(self, request: SetRequest, context: TaskContext) -> SetResult:
        self.hold(context)
        return super().run_query(request, context)

    def hold(self, context: TaskContext) -> None:
        while not self.gate.wait(0.01):
            context.check()

    def document(self, patent: PatentId | str, context: TaskContext) -> DocumentView:
        number = patent if isinstance(patent, int) else int(str(patent)[2:9]) - 1000000
        return DocumentView(
            summary(number),
            passages(number, paragraphs=self.paragraphs),
            self.classes,
            (),
            (),
            (),
            (),
            (),
            "test.xml",
        )

    def evidence(self, query: Query, patent: PatentId, context: TaskContext) -> DocumentEvidence:
        if patent in self.unindexed:
            said = CellVerdict.UNCOMPARED, (), Unjudged.NOT_INDEXED
            features = tuple(FeatureEvidence(feature, 0.0, *said) for feature in query.features)
            return DocumentEvidence(patent, (), features)
        return evidence(query, patent, paragraphs=self.paragraphs)

    def sample(self, context: TaskContext) -> SampleCase:
        dates = ReferenceDates(date(2013, 3, 4), date(2012, 3, 4))
        claims = ClaimSet(CLAIMS, "Sample application", dates=dates, name="Sample application")
        return SampleCase(self.folder / "Sample", (self.folder / "xml",), claims)

    def open_case(self, case: int, claims: ClaimSet, context: TaskContext) -> CaseState:
        if claims.source != self.examined:
            self.examined, self.seen = claims.source, frozenset()
        return self._state()

    def case_holder(self, context: TaskContext) -> str:
        return ""

    def see(self, patent: PatentSummary, context: TaskContext) -> frozenset[str]:
        self.seen |= {str(patent.publication)}
        return self.seen

    def see_all(self, publications: Sequence[PublicationNumber], context: TaskContext) -> frozenset[str]:
        self.seen |= set(map(str, publications))
        return self.seen

    def record(self, results: SearchResults | SetResult, claim: int, context: TaskContext) -> CaseState:
        self.recorded.append(results)
        self.keep(results)
        return self._state()

    def keep_dates(self, dates: ReferenceDates | None, limit: date | None, context: TaskContext) -> CaseState:
        self.kept_dates = (dates, limit)
        return self._state()

    def accept_class(self, accepted: AcceptedClass, context: TaskContext) -> CaseState:
        self.accepted.append((*self.accepted[-1], accepted))
        return self._state()

    def withdraw_class(self, accepted: AcceptedClass, context: TaskContext) -> CaseState:
        self.accepted.append(tuple(each for each in self.accepted[-1] if each != accepted))
        return self._state()

    def restrict(self, classes: Sequence[ClassFilter], context: TaskContext) -> CaseState:
        self.within = tuple(classes)
        return self._state()

    def progress(
        self, sample: int, context: TaskContext, *, compared: Sequence[ComparedRow] = ()
    ) -> CaseProgress:
        self.compared_read = tuple(compared)
        history = ReadingHistory(len(self.seen), 20, (), ())
        return CaseProgress(int(self._state().case.id), history)

    def draw_sample(self, number: int, size: int, context: TaskContext, *, rest: bool = False) -> CaseState:
        self.drawn.append((number, size, rest))
        return self._state()

    def mark(self, mark: Mark, context: TaskContext) -> CaseState:
        self.history.append(dict(self.marks))
        self.undone.clear()
        self.marks[mark.publication, mark.claim] = mark
        return self._state()

    def propose_letters(
        self, patent: PatentSummary, claim: int, context: TaskContext
    ) -> tuple[Category, ...]:
        return self.proposed

    def cite(self, mark: Mark, passage: PassageId, context: TaskContext) -> CaseState:
        chosen = MarkedPassage("[0001]", "text", str(passage))
        changed, _ = toggle_passage(mark, chosen, [item.confirmation for item in self.decided])
        return self.mark(changed, context)

    def cite_figure(self, mark: Mark, label: str, context: TaskContext) -> CaseState:
        changed, _ = toggle_passage(mark, MarkedPassage.of_figure(label), [])
        return self.mark(changed, context)

    def note_passage(
        self, place: PassageId | PassageNote, words: Span | None, note: str, context: TaskContext
    ) -> CaseState:
        kept = [each for each in self.passage_notes if each != place]
        if not isinstance(place, PassageNote):
            patent = PatentId(place // 10_000)
            found = next(each for each in passages(patent, paragraphs=self.paragraphs) if each.id == place)
            at = datetime(2026, 1, 1, tzinfo=UTC)
            place = PassageNote(publication(patent), found.label, found.text, "d", note, at, words)
        self.passage_notes = (*kept, *([replace(place, note=note)] if note else []))
        return self._state()

    def decide(
        self, query: Query, cell: DecidedPlace, decision: Decision, claim: int, context: TaskContext
    ) -> CaseState:
        """As the engine does; every passage but the one of the cell stays undecided."""
        self.claims_decided.append(claim)
        feature = find_feature(query, cell.feature)
        digest = feature_digest(feature.text)
        known = next(
            (
                item
                for item in reversed(self.decided)
                if item.confirmation.publication == cell.publication
                and item.confirmation.feature_digest == digest
                and cell.passage in {item.passage, None}
            ),
            None,
        )
        self.decided = [item for item in self.decided if item is not known]
        if cell.passage is not None and (known is None or known.confirmation.decision is not decision):
            made = Confirmation(
                publication=cell.publication,
                decision=decision,
                feature=feature.text,
                feature_digest=digest,
                passage=f"text {cell.passage}",
                passage_digest=f"digest {cell.passage}",
                label=f"[{cell.passage}]",
                at=datetime(2024, 5, 6, tzinfo=UTC),
                feature_label=feature.label,
                claim=claim,
            )
            self.decided = [*self.decided, PlacedConfirmation(made, cell.passage, made.label)]
        return self._state()

    def undo(self, context: TaskContext) -> CaseState:
        self.undone.append(self.marks)
        self.marks = self.history.pop()
        return self._state()

    def redo(self, context: TaskContext) -> CaseState:
        self.history.append(self.marks)
        self.marks = self.undone.pop()
        return self._state()

    def _state(self) -> CaseState:
        now = datetime(2024, 5, 6, tzinfo=UTC)
        dates, limit = self.kept_dates
        case = Case(
            CaseId(7),
            "Sample application",
            now,
            now,
            dates=dates,
            limit=limit,
            classes=self.accepted[-1],
            within=self.within,
        )
        undoable = "the last mark" if self.history else ""
        redoable = "the last mark" if self.undone else ""
        return CaseState(
            case,
            tuple(self.marks.values()),
            undoable,
            redoable,
            tuple(self.sets),
            self.seen,
            confirmations=tuple(item.confirmation for item in self.decided),
            passage_notes=self.passage_notes,
        )


def evidence(query: Query, patent: PatentId, *, paragraphs: int = 2) -> DocumentEvidence:
    hits = [passage_hit(query, view) for view in passages(patent, paragraphs=paragraphs)]
    found = tuple(sorted((hit for hit in hits if hit.score > 0), key=lambda hit: (-hit.score, hit.passage)))
    features = []
    for feature in query.features:
        own = [
            with_matches(
                replace(hit, evidence=tuple(item for item in hit.evidence if item.feature == feature.label)),
                query.features,
            )
            for hit in found
        ]
        features.append(
            FeatureEvidence(feature, STRENGTH, CellVerdict.STRONG, tuple(hit for hit in own if hit.evidence))
            if any(hit.evidence for hit in own)
            else FeatureEvidence(feature, 0.0, CellVerdict.NONE, ())
        )
    return DocumentEvidence(patent, found, tuple(features))


def results(request: SearchRequest) -> SearchResults:
    hits = []
    for number in (1, 2, 3):
        coverage = tuple(
            FeatureCoverage(
                feature.label,
                0.2 * number,
                Thresholds(0.35, 0.5).verdict(0.2 * number),
                PassageId(number * 10_000),
                "abstract",
            )
            if place < number
            else FeatureCoverage(feature.label, 0.0, CellVerdict.NONE, None)
            for place, feature in enumerate(request.query.features)
        )
        found = evidence(request.query, PatentId(number)).passages
        ranks = (RankerPlace(Ranker.BM25, number, 3.0), RankerPlace(Ranker.CENTERS, number, 1.0))
        hits.append(Hit(summary(number), 1.0 / number, ranks, coverage, found))
    provenance = Provenance("lib", "g1", 3, "fake", "fake", "cpu")
    return SearchResults(request, tuple(hits), (), (StageTime("all", 0.01),), provenance)


def judged(marks: Sequence[Mark]) -> dict[str, Category]:
    return {str(mark.publication): mark.category for mark in marks}
