"""The coverage matrix of a claim: its features against documents.

A cell is the ruling of a judge on one feature in one document (`claimlight.services.search.charting`), with
the match strength that a search and the evidence of the document give. Without a judge, and where it does not
read the language, it is the match strength alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from claimlight.errors import ResourceError
from claimlight.highlight.matrix import content_words, decide_lamp
from claimlight.judging.calibration import CalibratedJudge
from claimlight.services.library.library import Library
from claimlight.services.search.chart_cache import ChartCache
from claimlight.services.search.charting import Chart
from claimlight.services.search.combining import choose_to_read_on
from claimlight.services.search.dates import find_status
from claimlight.services.search.filters import filter_documents
from claimlight.services.search.judging import NO_JUDGE, open_plugin_judge
from claimlight.services.search.languages import notes_of_matrix
from claimlight.services.search.reading import DOCUMENTS, describe_reading
from claimlight.services.search.requests import cut_query
from claimlight.services.search.scored_passages import ScoredPassages
from claimlight.services.search.search import SearchEngine
from claimlight.services.search.search_state import SearchState
from claimlight.services.search.verdict_words import describe_fault
from claimlight.services.search.verdicts import Judge, thresholds_of
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.store.fulltext import find_passages_with_all
from claimlight.tasks import TaskContext
from claimlight.types import (
    NONE_READ,
    CellRuling,
    CoverageMatrix,
    DateFinding,
    FeatureCoverage,
    IndexDepth,
    MatrixCell,
    MatrixRow,
    PatentId,
    PublicationNumber,
    Query,
    ReferenceDates,
    Unjudged,
    plural,
)

BLOCK = 64
"""Number of documents whose forward lists are in memory at once."""
Rulings = tuple[CellRuling | None, ...]
"""One for each feature; None if there is none."""
_RULED = frozenset({Unjudged.NONE, Unjudged.DEPTH})
"""Causes of cells that a judge's ruling replaces: what is indexed of the document is compared."""


def coverage_matrix(
    engine: SearchEngine,
    library: Library,
    settings: Settings,
    query: Query,
    patents: Sequence[PatentId],
    context: TaskContext,
    *,
    exclude_family_of: PublicationNumber | None = None,
    reference: ReferenceDates | None = None,
    claim: int = 0,
    judge: str = "",
    on_row: Callable[[MatrixRow], None] | None = None,
    rejected: Mapping[str, frozenset[str]] | None = None,
    on_strengths: Callable[[CoverageMatrix], None] | None = None,
    choose_next: Callable[[Sequence[PatentId]], PatentId] | None = None,
    on_reading_on: Callable[[int], None] | None = None,
    reading: float = 0.0,
    read_on: Collection[PatentId] | None = None,
) -> CoverageMatrix:
    """Compare the features of a claim with documents, in the given order, without the own family.

    ``reference`` gives each row its date status for ``claim`` (0: all claims) and leaves none out. ``judge``
    names a plug-in that rules on the cells, ``none`` asks for match strengths alone; empty: the judge of the
    settings. ``rejected`` has the passages that are not offered for a feature
    (`claimlight.services.search.confirmations.rejected_passages`). Documents that are not indexed have a row
    that is not compared. `ResourceError` without a usable index.

    For those who wait: ``on_strengths`` is called before a judge rules, with the match strengths of all rows;
    ``on_row`` with each row as soon as it is known; ``choose_next`` chooses the document that comes next, of
    those that are left (default: the first); ``on_reading_on`` is called when the judge has ruled on all,
    with the number of documents that it now reads on in. With ``reading`` seconds above 0 passages of
    descriptions that are not indexed are read before a judge rules, and ``on_strengths`` is called again.

    ``read_on``: the documents of which a judge reads more passages; default: `choose_to_read_on`. For rows
    that are computed again give those that had `MatrixRow.read_on`: the best of a few may not be of the best.
    """
    state = engine.state(context)
    if state.generation is None or state.encoder is None:
        why = " ".join(state.notes) or "The library is empty."
        raise ResourceError(f"A matrix needs an index. {why}")
    query, told = cut_query(query)
    shown, notes = _choose_rows(library, state, patents, exclude_family_of)
    notes = [*query.notes, *notes, *told]
    judging = _Judging.open(engine, judge)
    summaries = repository.read_summaries(library.store, shown)
    languages = {patent: summary.language for patent, summary in summaries.items()}
    notes += notes_of_matrix(state.encoder.stack, languages.values())
    whole = repository.find_with_full_text(library.store, shown)
    depths = state.depths(shown)
    notes += notes_of_depths(list(depths.values()))
    blocks = [shown[start : start + BLOCK] for start in range(0, len(shown), BLOCK)]

    def compare(state: SearchState) -> tuple[_Work, list[MatrixRow]]:
        work = _Work(library, settings, query, state, context, engine.charts, rejected or {})
        read = state.passages_read(shown)
        rows = (
            MatrixRow(
                summaries[patent],
                cells,
                full_text=patent in whole,
                depth=depths[patent],
                read=read.get(patent, NONE_READ),
            )
            for block in blocks
            for patent, cells in work.cells(block, languages)
            if patent in summaries  # else removed by another program since
        )
        return work, list(rows)

    work, plain = compare(state)

    def assemble(rows: Sequence[MatrixRow]) -> CoverageMatrix:
        made = CoverageMatrix(
            query=query,
            features=query.features,
            rows=tuple(row for row in rows if row.full_text),
            abstracts_only=tuple(row for row in rows if not row.full_text),
            notes=(*notes, *judging.notes),
            thresholds=thresholds_of(settings.search),
            about_judge=tuple(judging.notes),
            reads_on=judging.reads_on
            and (bool(read_on) if read_on is not None else settings.judge.read_on > 0),
        )
        return set_dates(made, reference, claim)

    if on_strengths is not None and judging.there:
        on_strengths(assemble(plain))
    partly = [patent for patent in shown if depths[patent] is IndexDepth.CLAIMS]
    read = 0
    if partly:
        read = engine.read_descriptions(
            query, _in_view(partly, choose_next), seconds=reading, context=context
        )
    if read:
        notes.append(describe_reading(read))
        work, plain = compare(engine.state(context))
        if on_strengths is not None and judging.there:
            on_strengths(assemble(plain))
    ruled: dict[PatentId, MatrixRow] = {}

    def take(rows: Iterable[MatrixRow]) -> None:
        for row in rows:
            ruled[row.patent.id] = row
            if on_row is not None:
                on_row(_dated(row, reference, claim))

    take(judging.rule(plain, lambda judge, asked: work.rule(judge, asked, languages), choose_next))
    if read_on is None:
        # As they were given, and not as they were read: rows in view came first.
        given = [ruled[row.patent.id] for row in plain]
        best = [row.patent.id for row in choose_to_read_on(given, settings.judge.read_on)]
    else:
        best = [patent for patent in ruled if patent in read_on]
    # Without their rulings: one on the first passages goes where there is none by more.
    bare = {row.patent.id: row for row in plain}
    again = [bare[patent] for patent in best if _is_compared(bare[patent])]
    if on_reading_on is not None and judging.reads_on and again:
        on_reading_on(len(again))
    take(judging.read_on(again, lambda judge, asked: work.rule(judge, asked, languages, read_on=True)))
    return assemble([ruled[row.patent.id] for row in plain])


def _in_view(
    patents: Sequence[PatentId], choose_next: Callable[[Sequence[PatentId]], PatentId] | None
) -> list[PatentId]:
    """The documents to read first, those in view before the others."""
    if choose_next is None:
        return list(patents)
    left, chosen = list(patents), list[PatentId]()
    while left and len(chosen) < DOCUMENTS:
        chosen.append(choose_next(tuple(left)))
        left.remove(chosen[-1])
    return chosen


def set_dates(matrix: CoverageMatrix, reference: ReferenceDates | None, claim: int) -> CoverageMatrix:
    """The same matrix with the date statuses for other dates or another claim."""

    def compared(rows: Sequence[MatrixRow]) -> tuple[MatrixRow, ...]:
        return tuple(_dated(row, reference, claim) for row in rows)

    return replace(
        matrix,
        rows=compared(matrix.rows),
        abstracts_only=compared(matrix.abstracts_only),
        reference=reference,
        claim=claim,
    )


def _dated(row: MatrixRow, reference: ReferenceDates | None, claim: int) -> MatrixRow:
    return replace(row, dates=find_status(reference, row.patent, claim) if reference else DateFinding())


def _choose_rows(
    library: Library, state: SearchState, patents: Sequence[PatentId], own: PublicationNumber | None
) -> tuple[list[PatentId], list[str]]:
    """The documents that get a row, each once, and notes on the others."""
    assert state.generation is not None
    allowed = filter_documents(library, state.catalogue, without=(own,))
    notes = list(allowed.notes)
    given = list(dict.fromkeys(patents))
    kept = allowed.documents.keep(np.array(given, dtype=np.int64))
    left = [patent for patent, taken in zip(given, kept.tolist(), strict=True) if taken]
    known = np.intersect1d(np.array(left, dtype=np.int64), state.catalogue.ids)
    waiting = len(np.setdiff1d(known, state.generation.document_ids()))
    if waiting:
        are = "is" if waiting == 1 else "are"
        notes.append(f"{plural(waiting, 'document')} {are} not indexed yet and not compared.")
    return left, notes


def notes_of_depths(depths: Sequence[IndexDepth]) -> list[str]:
    """Note on documents of a matrix whose description is not indexed yet."""
    partly = depths.count(IndexDepth.CLAIMS)
    if not partly:
        return []
    of = plural(partly, "document")
    return [f"The description of {of} is not indexed, or only in part: what is lacking may be there."]


class _Judging:
    """The judge of one matrix: once it has failed it is not asked again, and ``notes`` say so."""

    def __init__(self, judge: CalibratedJudge | None, notes: Sequence[str]) -> None:
        self._judge = judge
        self.notes = list(notes)

    @classmethod
    def open(cls, engine: SearchEngine, name: str) -> _Judging:
        """The judge of the settings, of a plug-in, or none."""
        if name == NO_JUDGE:
            return cls(None, ())
        if not name:
            return cls(*engine.judge())
        try:
            return cls(open_plugin_judge(name), (f"Verdicts are by the judge {name}.",))
        except ResourceError as error:
            return cls(None, (f"{error} The cells have match strengths only.",))

    @property
    def there(self) -> bool:
        """Whether there is a judge to ask."""
        return self._judge is not None

    @property
    def reads_on(self) -> bool:
        """Whether it reads more of the best documents."""
        return self._judge is not None and self._judge.reads_on

    def rule(
        self,
        rows: Sequence[MatrixRow],
        ask: Callable[[CalibratedJudge, Iterable[PatentId]], Iterator[tuple[PatentId, Rulings]]],
        choose_next: Callable[[Sequence[PatentId]], PatentId] | None,
    ) -> Iterator[MatrixRow]:
        """Every row with its rulings, as they are known; without rulings after a fault of the judge."""
        left = {row.patent.id: row for row in rows if _is_compared(row)}
        yield from (row for row in rows if row.patent.id not in left)

        def queue() -> Iterator[PatentId]:
            # Asked for the next document after the row of the last one has left.
            while left:
                yield choose_next(tuple(left)) if choose_next is not None else next(iter(left))

        if self._judge is not None:
            try:
                for patent, rulings in ask(self._judge, queue()):
                    yield _with_rulings(left.pop(patent), rulings)
            except ResourceError as error:
                self._judge = None
                self.notes.append(f"{error} The cells that it did not judge have match strengths only.")
        yield from left.values()

    def read_on(
        self,
        rows: Sequence[MatrixRow],
        ask: Callable[[CalibratedJudge, Iterable[PatentId]], Iterator[tuple[PatentId, Rulings]]],
    ) -> Iterator[MatrixRow]:
        """These rows, which are compared, without rulings, ruled on by more passages, as they are known.

        By the second judge if there is one; after a fault of it the judge reads on itself. None after a fault
        of that one.
        """
        judge = self._judge
        left = {row.patent.id: row for row in rows}
        while judge is not None and judge.reads_on and left:
            try:
                for patent, rulings in ask(judge, list(left)):
                    yield replace(_with_rulings(left.pop(patent), rulings), read_on=True)
            except ResourceError as error:
                self.notes.append(describe_fault(judge, error))
                judge = None if judge.second is None else replace(judge, second=None)


def _is_compared(row: MatrixRow) -> bool:
    return any(cell.cause in _RULED for cell in row.cells)


def _with_rulings(row: MatrixRow, rulings: Rulings) -> MatrixRow:
    """A row whose cells name the passages of their rulings."""
    cells = (
        replace(cell, passage=ruling.passage, label=ruling.label, ruling=ruling)
        if ruling is not None and cell.cause in _RULED
        else cell
        for cell, ruling in zip(row.cells, rulings, strict=True)
    )
    return replace(row, cells=tuple(cells))


class _Work:
    """Computes the cells of one query, block by block."""

    def __init__(
        self,
        library: Library,
        settings: Settings,
        query: Query,
        state: SearchState,
        context: TaskContext,
        cache: ChartCache,
        rejected: Mapping[str, frozenset[str]],
    ) -> None:
        assert state.encoder is not None
        self._library, self._settings, self._query, self._state = library, settings, query, state
        self._context = context
        self._rejected = rejected
        self._encoded = state.encoder.encode(query, context)
        self._judge = Judge.of(state.encoder.stack, settings.search)
        self._cache = cache
        self._words = [self._documents_with(feature.text) for feature in query.features]

    def _documents_with(self, text: str) -> frozenset[int]:
        """Documents with a passage that contains all informative words of a feature."""
        words = content_words(text)
        found = find_passages_with_all(self._library.store, words, context=self._context)
        return frozenset(self._state.catalogue.documents_of(found).tolist())

    def cells(
        self, patents: Sequence[PatentId], languages: Mapping[PatentId, str]
    ) -> Iterator[tuple[PatentId, tuple[MatrixCell, ...]]]:
        """The cells of some documents; their languages apply to passages without a language."""
        assert self._state.generation is not None
        assert self._state.encoder is not None
        self._context.check()
        passages = ScoredPassages(
            patents,
            store=self._library.store,
            catalogue=self._state.catalogue,
            query=self._query,
            encoded=self._encoded,
            generation=self._state.generation,
            anchors=self._state.encoder.stack.vocabulary.anchors,
            settings=self._settings.centers,
            judge=self._judge,
            languages=languages,
            rejected=self._rejected,
        )
        for place, patent in enumerate(patents):
            yield (
                patent,
                tuple(
                    self._cell(passages, place, number, each)
                    for number, each in enumerate(passages.coverage(patent))
                ),
            )

    def rule(
        self,
        judge: CalibratedJudge,
        patents: Iterable[PatentId],
        languages: Mapping[PatentId, str],
        *,
        read_on: bool = False,
    ) -> Iterator[tuple[PatentId, Rulings]]:
        """The rulings on documents, one after the other; see `Chart.rule`."""
        assert self._state.generation is not None
        assert self._state.encoder is not None
        chart = Chart(
            judge,
            store=self._library.store,
            generation=self._state.generation,
            stack=self._state.encoder.stack,
            query=self._query,
            cache=self._cache,
            rejected=self._rejected,
        )
        yield from chart.rule(patents, languages, self._context, read_on=read_on)

    def _cell(self, passages: ScoredPassages, place: int, number: int, found: FeatureCoverage) -> MatrixCell:
        return MatrixCell(
            feature=found.feature,
            strength=found.strength,
            verdict=found.verdict,
            passage=found.passage,
            label=found.label,
            cause=found.cause,
            score=float(passages.cells()[number].score[place]) if found.passage is not None else 0.0,
            lamp=decide_lamp(
                found.verdict,
                passages.met_words(number, place),
                all_words_there=passages.patents[place] in self._words[number],
            ),
        )
