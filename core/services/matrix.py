"""The coverage matrix of a claim, the pairs of documents that cover it together, and what one lacks.

Every cell is the passage of a document that carries most of a feature. How likely that passage discloses
the feature is calibrated on labelled cells of the model in use; with another model the coverage is shown
and no verdict is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from core.errors import ResourceError
from core.highlight.matrix import BestPassages, lamp, telling_words
from core.highlight.pairs import best_pairs
from core.highlight.residual import lacking
from core.services.calibration import SHARE, calibration_of
from core.services.filters import allowed_documents
from core.services.hits import Passages
from core.services.languages import of_matrix, reads
from core.services.library import Library
from core.services.search import SearchEngine
from core.services.search_state import SearchState
from core.settings import Settings
from core.store import repository
from core.store.fulltext import passages_with_all
from core.tasks import TaskContext
from core.types import (
    CellVerdict,
    CoverageMatrix,
    DocumentPair,
    Lamp,
    MatrixCell,
    MatrixRow,
    PassageId,
    PatentId,
    PublicationNumber,
    Query,
    Residual,
    SearchRequest,
)

BLOCK = 64
"""Documents whose forward lists are in memory at once."""
PAIRS = 50
"""Pairs that are given unless more are asked for."""


def coverage_matrix(
    engine: SearchEngine,
    library: Library,
    settings: Settings,
    query: Query,
    patents: Sequence[PatentId],
    context: TaskContext,
    *,
    exclude_family_of: PublicationNumber | None = None,
) -> CoverageMatrix:
    """Features of a claim x documents, in the order given, without the own family.

    Documents that are not indexed are left out and told; a library without a fitting index is a
    `ResourceError`.
    """
    state = engine.state(context)
    if state.generation is None or state.encoder is None:
        why = " ".join(state.notes) or "The library is empty."
        raise ResourceError(f"There is no matrix without an index: {why}")
    shown, notes = _shown(library, state, patents, exclude_family_of)
    work = _Work(library, settings, query, state, context)
    summaries = repository.summaries(library.store, shown)
    languages = {patent: summary.language for patent, summary in summaries.items()}
    notes += of_matrix(state.encoder.machinery, languages.values())
    blocks = [shown[start : start + BLOCK] for start in range(0, len(shown), BLOCK)]
    cells = dict(pair for block in blocks for pair in work.cells(block, languages))
    whole = repository.with_full_text(library.store, shown)
    rows = [
        MatrixRow(summaries[patent], cells[patent], full_text=patent in whole)
        for patent in shown
        if patent in summaries
    ]
    calibration = work.calibration
    if calibration is None and query.features:
        notes.append(
            "No calibration fits this model and these settings: the cells show how much of a feature a "
            "passage carries, and no verdict is given."
        )
    return CoverageMatrix(
        query=query,
        features=query.features,
        rows=tuple(row for row in rows if row.full_text),
        abstracts_only=tuple(row for row in rows if not row.full_text),
        notes=tuple(notes),
        calibration=calibration.title if calibration else "",
        threshold=calibration.covered if calibration else settings.search.covers_share or SHARE,
    )


def pairs(matrix: CoverageMatrix, *, limit: int = PAIRS) -> tuple[DocumentPair, ...]:
    """The pairs of documents that cover most of the claim together, best first; exact over the matrix.

    Abstract-only records take part: what they do cover counts.
    """
    rows = (*matrix.rows, *matrix.abstracts_only)
    labels = [feature.label for feature in matrix.features]
    carried = carried_of(rows, len(labels))
    found = best_pairs(carried, limit=limit)
    covers = carried >= matrix.threshold
    made: list[DocumentPair] = []
    for first, second, covered, gain in zip(
        found.first.tolist(), found.second.tolist(), found.covered.tolist(), found.gain.tolist(), strict=True
    ):
        one, two = covers[first], covers[second]
        made.append(
            DocumentPair(
                first=rows[first].patent.id,
                second=rows[second].patent.id,
                covered=covered,
                gain=gain,
                first_adds=tuple(compress(labels, one & ~two)),
                second_adds=tuple(compress(labels, two & ~one)),
                both=tuple(compress(labels, one & two)),
                missing=tuple(compress(labels, ~(one | two))),
            )
        )
    return tuple(made)


def carried_of(rows: Sequence[MatrixRow], features: int) -> NDArray[np.float64]:
    """[D, F] probabilities of the cells."""
    cells = [[cell.probability for cell in row.cells] for row in rows]
    return np.array(cells, dtype=np.float64).reshape(len(rows), features)


def residual(matrix: CoverageMatrix, patent: PatentId, request: SearchRequest) -> Residual:
    """What a document of the matrix lacks of the claim, as a request that asks with these features only.

    ``request`` gives dates, family and depth of the search to come.
    """
    row = next(row for row in (*matrix.rows, *matrix.abstracts_only) if row.patent.id == patent)
    missing = lacking(row, matrix.threshold)
    asked = replace(request, query=matrix.query, only=missing) if missing else None
    return Residual(patent, missing, asked)


def _shown(
    library: Library, state: SearchState, patents: Sequence[PatentId], own: PublicationNumber | None
) -> tuple[list[PatentId], list[str]]:
    """The documents that get a row, each once, and what is to be said of the others."""
    assert state.generation is not None
    allowed = allowed_documents(library, state.catalogue, exclude_family_of=own)
    notes = list(allowed.notes)
    given = list(dict.fromkeys(patents))
    kept = allowed.documents.keep(np.array(given, dtype=np.int64))
    left = [patent for patent, taken in zip(given, kept.tolist(), strict=True) if taken]
    indexed = set(state.generation.document_ids().tolist())
    shown = [patent for patent in left if patent in indexed]
    if len(shown) < len(left):
        notes.append(f"Left out, as they are not indexed yet: {len(left) - len(shown):,} documents.")
    return shown, notes


class _Work:
    """The cells of one query, block by block."""

    def __init__(
        self, library: Library, settings: Settings, query: Query, state: SearchState, context: TaskContext
    ) -> None:
        assert state.encoder is not None
        self._library, self._settings, self._query, self._state = library, settings, query, state
        self._context = context
        self._encoded = state.encoder.encode(query, context)
        self.calibration = calibration_of(state, settings)
        self._words = [self._documents_with(feature.text) for feature in query.features]

    def _documents_with(self, text: str) -> frozenset[int]:
        """Documents with a passage in which all telling words of a feature stand."""
        words = telling_words(text)
        found = passages_with_all(self._library.store, words, context=self._context)
        return frozenset(self._state.catalogue.documents_of(found).tolist())

    def cells(
        self, patents: Sequence[PatentId], languages: Mapping[PatentId, str]
    ) -> Iterator[tuple[PatentId, tuple[MatrixCell, ...]]]:
        """The cells of some documents, whose languages count where a passage does not say its own."""
        assert self._state.generation is not None
        assert self._state.encoder is not None
        self._context.check()
        passages = Passages(
            patents,
            store=self._library.store,
            catalogue=self._state.catalogue,
            query=self._query,
            encoded=self._encoded,
            generation=self._state.generation,
            anchors=self._state.encoder.machinery.vocabulary.anchors,
            settings=self._settings.centers,
        )
        columns = [
            self._column(place, best, table.extent, passages, patents, languages)
            for place, (best, table) in enumerate(zip(passages.cells(), passages.tables(), strict=True))
        ]
        for place, patent in enumerate(patents):
            yield patent, tuple(column[place] for column in columns)

    def _column(
        self,
        feature: int,
        best: BestPassages,
        extent: float,
        passages: Passages,
        patents: Sequence[PatentId],
        languages: Mapping[PatentId, str],
    ) -> list[MatrixCell]:
        """One feature over a block of documents.

        Of passages in a language that the model does not read nothing is said, nor warned; of documents in
        one never that nothing was found.
        """
        assert self._state.encoder is not None
        model = self._state.encoder.machinery
        stored = passages.cited(best.row[best.row >= 0].tolist())
        chances = self.calibration.probability(best.coverage, extent) if self.calibration else best.coverage
        made: list[MatrixCell] = []
        for place, patent in enumerate(patents):
            row = int(best.row[place])
            cited = stored.get(row)
            own = languages.get(patent, "")
            read = reads(model, (cited.language if cited else "") or own)
            chance, verdict = float(chances[place]) if read else 0.0, CellVerdict.UNCALIBRATED
            if self.calibration is not None and read:
                verdict = self.calibration.verdict(chance)
                if verdict is CellVerdict.NOTHING and not reads(model, own):
                    # The claims are read, the description is not: it may disclose what they do not.
                    chance, verdict, read = 0.0, CellVerdict.UNCALIBRATED, False
            words = passages.met_words(feature, row) if cited else []
            made.append(
                MatrixCell(
                    feature=self._query.features[feature].label,
                    coverage=float(best.coverage[place]),
                    score=float(best.score[place]),
                    probability=chance,
                    verdict=verdict,
                    passage=PassageId(int(cited.id)) if cited else None,
                    label=cited.label if cited else "",
                    lamp=lamp(verdict, words, all_words_there=patent in self._words[feature])
                    if read
                    else Lamp.NONE,
                )
            )
        return made
