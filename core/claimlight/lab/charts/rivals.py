"""What the systems under test say of every cell: words, today's cells, cosine, tokens, and judges.

The documents of the charts are imported and indexed as any library is; every system gives each paragraph of
a document a score for each feature, and the best paragraph is the value of the cell.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError, ResourceError
from claimlight.files import open_text_atomically
from claimlight.judging.base import Judge, Pair
from claimlight.judging.calibration import UNCALIBRATED, CalibratedJudge, Calibration
from claimlight.judging.candidates import choose_candidates, compare_vectors
from claimlight.judging.claim_parts import ClaimParts
from claimlight.judging.fitting import JudgedCell
from claimlight.lab.charts.reading import Chart, ChartCell, Wording
from claimlight.services.indexing.corpus import LibraryCorpus
from claimlight.services.indexing.indexing import build_index, index_folder
from claimlight.services.library.library import Library, import_paths
from claimlight.services.search import verdicts
from claimlight.services.search.scored_passages import FeatureTable, ScoredPassages
from claimlight.services.search.search import SearchEngine
from claimlight.services.search.search_state import SearchState, open_shipped_stack
from claimlight.settings import Settings
from claimlight.store import repository
from claimlight.store.values import StoredPassage
from claimlight.tasks import TaskContext
from claimlight.text.normalise import normalise
from claimlight.text.words import content_words, stem
from claimlight.types import Feature, PassageId, PatentId, Query, Section, Span
from claimlight.vectors import unit_rows

if TYPE_CHECKING:
    from claimlight.encoders import Encoded
    from claimlight.services.models.encoding_stack import EncodingStack

WORDS, TODAY, COSINE, TOKENS = "words (idf)", "match strength", "cosine", "token by token"
CONTRAST = "contrast"
WITH_PARTS = "contrast, nearest claim second"
"""The order in which judges that read on take passages (`claimlight.judging.claim_parts`)."""
SIGNALS = (WORDS, TODAY, COSINE, CONTRAST, WITH_PARTS, TOKENS)
_OFFICE = "XX"
_LANGUAGE = "en"
_OUTSIDE = frozenset({Section.ABSTRACT, Section.CLAIMS})
_FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredCell:
    """A cell of a chart as it is measured."""

    chart: Chart
    cell: ChartCell
    right: frozenset[int]
    """Indices of the paragraphs that disclose the feature."""


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """What one system gives to all cells."""

    name: str
    scores: tuple[_FloatArray, ...]
    """For each cell [paragraphs]; -inf for a paragraph that the system did not read."""
    calibration: Calibration | None = None
    probabilities: _FloatArray | None = None
    """[cells], if calibrated."""

    @property
    def values(self) -> _FloatArray:
        """[cells] score of the best paragraph."""
        return np.array([scores.max(initial=-np.inf) for scores in self.scores])


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The cells of some charts and the systems measured on them."""

    cells: tuple[MeasuredCell, ...]
    systems: tuple[System, ...]
    encoder: str
    """Fingerprint of the encoder."""

    def system(self, name: str) -> System:
        """The system of this name."""
        return next(system for system in self.systems if system.name == name)


def compare_systems(
    charts: Sequence[Chart],
    judges: Sequence[CalibratedJudge],
    settings: Settings,
    context: TaskContext,
    *,
    read_all: bool = True,
    stack: Callable[[Settings], EncodingStack] = open_shipped_stack,
) -> Compared:
    """Score every paragraph of every chart for every feature, by all systems.

    Unless ``read_all``, judges read only as many passages as their calibration says: those of highest
    contrast, with the nearest claim second if they read parts of claims.
    Raises `InputError` for a chart whose paragraphs the import does not keep as they are.
    """
    idf = _Idf([passage.text for chart in charts for passage in chart.document.passages])
    columns: dict[str, list[_FloatArray]] = {name: [] for name in SIGNALS}
    rulings: list[list[_FloatArray]] = [[] for _ in judges]
    firsts: list[list[_FloatArray]] = [[] for _ in judges]
    with (
        tempfile.TemporaryDirectory(prefix="claimlight-charts-") as folder,
        _open_library(charts, Path(folder), settings, context, stack) as library,
    ):
        for place, chart in enumerate(charts):
            context.check()
            scored = library.score(place, chart)
            texts = [passage.text for passage in chart.document.passages]
            columns[WORDS] += [idf.share(feature.text, texts) for feature in chart.features]
            columns[TODAY] += scored.today
            columns[COSINE] += scored.cosine
            columns[CONTRAST] += scored.contrast
            columns[WITH_PARTS] += scored.with_parts
            columns[TOKENS] += scored.tokens
            for item, column, few in zip(judges, rulings, firsts, strict=True):
                number = len(texts) if read_all else item.calibration.candidates
                parts = item.judge.reads_parts
                order = scored.with_parts if parts else scored.contrast
                chosen = [choose_candidates(each, number) for each in order]
                column += _rule(item.judge, chart, chosen, context, scored if parts else None)
                if item.calibration.first is not None:
                    at_first = item.calibration.at_first
                    chosen = [choose_candidates(each, at_first) for each in scored.contrast]
                    few += _rule(item.judge, chart, chosen, context, None)
        fingerprint = library.fingerprint
    systems = [System(name, tuple(column)) for name, column in columns.items()]
    for item, column, few in zip(judges, rulings, firsts, strict=True):
        systems += judge_systems(item, column, few, columns, read_all=read_all)
    return Compared(tuple(_cells(charts)), tuple(systems), fingerprint)


def _cells(charts: Sequence[Chart]) -> Iterator[MeasuredCell]:
    """All cells, by chart and in the order of its features."""
    for chart in charts:
        ruled = {cell.feature: cell for cell in chart.cells}
        place = {passage.n: at for at, passage in enumerate(chart.document.passages)}
        for feature in chart.features:
            cell = ruled[feature.label]
            yield MeasuredCell(chart, cell, frozenset(place[number] for number in cell.paragraphs))


def judge_systems(
    item: CalibratedJudge,
    rulings: Sequence[_FloatArray],
    firsts: Sequence[_FloatArray],
    columns: Mapping[str, Sequence[_FloatArray]],
    *,
    read_all: bool,
) -> list[System]:
    """A judge on its candidates, on all paragraphs if it read them, and with the cosine by its calibration.

    If it reads on in the best documents only, also on what it reads at first, by ``firsts``: without parts of
    claims. ``columns`` has the scores of the other systems.
    """
    name, calibration = item.judge.name, item.calibration
    number = calibration.candidates
    cosines = columns[COSINE]
    read = [
        only_candidates(scores, contrasts, number)
        for scores, contrasts in zip(
            rulings, columns[WITH_PARTS if item.judge.reads_parts else CONTRAST], strict=True
        )
    ]
    systems = [System(name_read(name, number), tuple(read))]
    if read_all:
        systems.append(System(f"{name}, all", tuple(rulings)))
    if calibration != UNCALIBRATED:
        systems.append(_calibrated(name_calibrated(name), read, cosines, calibration))
    if calibration.first is not None:
        systems.append(
            _calibrated(name_first(name, calibration.at_first), firsts, cosines, calibration.first)
        )
    return systems


def _calibrated(
    name: str, rulings: Sequence[_FloatArray], cosines: Sequence[_FloatArray], calibration: Calibration
) -> System:
    joined = [scores + calibration.cosine * near for scores, near in zip(rulings, cosines, strict=True)]
    values = [float(each.max(initial=-np.inf)) for each in joined]
    found = np.array([calibration.probability(value, 0.0) for value in values])
    return System(name, tuple(joined), calibration, found)


def judged_cells(
    compared: Compared, judge: str, candidates: int, *, first: int | None = None
) -> list[JudgedCell]:
    """What a calibration is fitted on: a judge's scores and cosines of its candidates.

    ``first``: of this number of passages that it reads at first; its first calibration must be `UNCALIBRATED`
    but for that number.
    """
    name = name_read(judge, candidates) if first is None else name_first(judge, first)
    rulings, cosines = compared.system(name).scores, compared.system(COSINE).scores
    found = []
    for cell, own, near in zip(compared.cells, rulings, cosines, strict=True):
        read = np.isfinite(own)
        near_miss = cell.cell.wording is Wording.NEAR_MISS
        found.append(
            JudgedCell(
                cell.chart.id,
                cell.cell.disclosed,
                near_miss,
                own[read],
                near[read],
                author=cell.chart.author,
            )
        )
    return found


def name_calibrated(judge: str) -> str:
    """Name of the system of a judge read by its calibration."""
    return f"{judge}, calibrated"


def name_first(judge: str, passages: int) -> str:
    """Name of the system of a judge that reads this number of paragraphs at first, calibrated for these."""
    return f"{judge}, first {passages}"


def name_read(judge: str, candidates: int) -> str:
    """Name of the system of a judge that reads this number of paragraphs."""
    return f"{judge}, {candidates} candidates"


def only_candidates(scores: _FloatArray, contrasts: _FloatArray, number: int) -> _FloatArray:
    """Scores [paragraphs] of the ``number`` paragraphs of highest contrast; -inf for the others."""
    chosen = choose_candidates(contrasts, number)
    kept = np.full(len(scores), -np.inf)
    kept[chosen] = scores[chosen]
    return kept


def _rule(
    judge: Judge,
    chart: Chart,
    read: Sequence[Sequence[int]],
    context: TaskContext,
    scored: _Scored | None,
) -> list[_FloatArray]:
    """For each feature of a chart, scores of the passages that are read; -inf for the others.

    ``scored`` if the parts of claims are read, too.
    """
    texts = [passage.text for passage in chart.document.passages]
    places = [(row, place) for row, chosen in enumerate(read) for place in chosen]
    pairs = [
        Pair(
            chart.subject,
            chart.features[row].text,
            texts[place],
            _LANGUAGE,
            () if scored is None else scored.parts.nearest(scored.of_parts[row], place),
        )
        for row, place in places
    ]
    scores = np.full((len(chart.features), len(texts)), -np.inf)
    for at, ruling in zip(places, judge.rule(pairs, context), strict=True):
        scores[at] = ruling.score
    return list(scores)


class _Idf:
    """Shares of words, weighted by how few paragraphs have them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._number = len(texts)
        self._frequency = Counter(root for text in texts for root in _stems(text))

    def share(self, feature: str, texts: Sequence[str]) -> _FloatArray:
        """[texts] share of the feature's words in each text, 0 to 1."""
        weights = {
            root: math.log((self._number + 1) / (self._frequency[root] + 0.5)) for root in _stems(feature)
        }
        whole = sum(weights.values()) or 1.0
        return np.array(
            [sum(weights[root] for root in weights.keys() & _stems(text)) / whole for text in texts]
        )


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, content_words(text)))


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """For each feature of a chart [paragraphs]."""

    today: list[_FloatArray]
    cosine: list[_FloatArray]
    contrast: list[_FloatArray]
    with_parts: list[_FloatArray]
    tokens: list[_FloatArray]
    parts: ClaimParts
    of_parts: _FloatArray
    """[features, parts]"""


class _ChartLibrary:
    """The documents of charts in a library, numbered by the order of the charts."""

    def __init__(
        self, library: Library, state: SearchState, settings: Settings, context: TaskContext
    ) -> None:
        if state.generation is None or state.encoder is None:
            raise ResourceError(f"Charts need an index: {' '.join(state.notes)}")
        self._library, self._settings, self._context = library, settings, context
        self._state, self._generation, self._encoder = state, state.generation, state.encoder
        ids = [PatentId(item) for item in state.catalogue.ids.tolist()]
        numbers = repository.read_publications(library.store, ids)
        self._patents = {int(number.number) - 1: patent for patent, number in numbers.items()}

    @property
    def fingerprint(self) -> str:
        return self._encoder.stack.encoder.fingerprint

    def score(self, place: int, chart: Chart) -> _Scored:
        """All features of a chart against all paragraphs of its document."""
        patent = self._patents[place]
        stored = repository.read_passages_of(self._library.store, [patent])[patent]
        paragraphs = _match_paragraphs(chart, stored)
        query = _query(chart)
        return self._vectors(query, paragraphs, self._today(patent, query, paragraphs))

    def _today(
        self, patent: PatentId, query: Query, paragraphs: Sequence[StoredPassage]
    ) -> list[_FloatArray]:
        stack = self._encoder.stack
        passages = ScoredPassages(
            [patent],
            store=self._library.store,
            catalogue=self._state.catalogue,
            query=query,
            encoded=self._encoder.encode(query, self._context),
            generation=self._generation,
            anchors=stack.vocabulary.anchors,
            settings=self._settings.centers,
            judge=verdicts.Judge.of(stack, self._settings.search),
            languages={},
        )
        rows = [np.flatnonzero(passages.ids == paragraph.id) for paragraph in paragraphs]
        return [_strengths(item, rows) for item in passages.tables()]

    def _vectors(
        self, query: Query, paragraphs: Sequence[StoredPassage], today: list[_FloatArray]
    ) -> _Scored:
        """Cosines of pooled vectors, contrasts as a chart finds them, and token by token.

        The last is the mean over a feature's tokens of the best cosine in the passage.
        """
        from claimlight.encoders import EncoderInput

        stack = self._encoder.stack
        features = list(
            stack.encoder.encode(
                [EncoderInput(item.text, query.section, is_query=True) for item in query.features],
                self._context,
            )
        )
        texts = [EncoderInput(item.text, item.section) for item in paragraphs]
        tokens = [_unit_tokens(found) for found in stack.encoder.encode(texts, self._context)]
        place, pieces = self._generation.passage_vectors([PassageId(item.id) for item in paragraphs])
        vectors = np.array([feature.pooled for feature in features])
        cosines, contrasts = compare_vectors(vectors, pieces, place, len(paragraphs), stack.nearness)
        parts = ClaimParts.of([(item.text, item.section) for item in paragraphs])
        made = stack.encoder.encode(
            [EncoderInput(text, Section.CLAIMS) for text in parts.texts], self._context
        )
        own = np.array([item.pooled for item in made], dtype=np.float32).reshape(-1, vectors.shape[1])
        _, of_parts = compare_vectors(vectors, own, np.arange(len(own)), len(own), stack.nearness)
        return _Scored(
            today,
            list(cosines),
            list(contrasts),
            list(parts.raise_nearest(contrasts, of_parts)),
            [_best_tokens(_unit_tokens(feature), tokens) for feature in features],
            parts,
            of_parts,
        )


@contextmanager
def _open_library(
    charts: Sequence[Chart],
    folder: Path,
    settings: Settings,
    context: TaskContext,
    stack: Callable[[Settings], EncodingStack],
) -> Iterator[_ChartLibrary]:
    """Import and index the documents of charts."""
    corpus = folder / "documents.jsonl"
    with open_text_atomically(corpus) as stream:
        for number, chart in enumerate(charts, 1):
            row = {
                "publication_number": f"{_OFFICE}{number}",
                "title": chart.document.title,
                "abstract": chart.document.abstract,
                "description": "\n\n".join(paragraph.text for paragraph in chart.document.paragraphs),
                "claims": [claim.text for claim in chart.document.claims],
                "language": _LANGUAGE,
            }
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    with Library.open_or_create(folder / "library") as library:
        import_paths(library, [corpus], context, settings)
        opened = stack(settings)
        build_index(
            index_folder(library.folder),
            LibraryCorpus(library.store),
            stack=opened,
            settings=settings,
            context=context,
        )
        engine = SearchEngine.open(library, settings, stack=lambda _: opened)
        yield _ChartLibrary(library, engine.state(context), settings, context)


def _match_paragraphs(chart: Chart, stored: Sequence[StoredPassage]) -> list[StoredPassage]:
    """The stored passage of each paragraph and claim of a chart."""
    document = chart.document
    described = {passage.text: passage for passage in stored if passage.section not in _OUTSIDE}
    claimed = {passage.text: passage for passage in stored if passage.section is Section.CLAIMS}
    found = []
    for known, asked in ((described, document.paragraphs), (claimed, document.claims)):
        for item in asked:
            passage = known.get(normalise(item.text))
            if passage is None:
                what = item.n if item in document.claims else f"paragraph {item.n}"
                raise InputError(f"{chart.id}: the import does not keep {what} as it is.")
            found.append(passage)
    return found


def _query(chart: Chart) -> Query:
    text = normalise(chart.claim)
    features = []
    for feature in chart.features:
        own = normalise(feature.text)
        start = text.index(own)
        features.append(Feature(feature.label, Span(start, start + len(own)), own))
    return Query(text, tuple(features))


def _strengths(table: FeatureTable, rows: Sequence[NDArray[np.intp]]) -> _FloatArray:
    """Match strength of each paragraph; the score decides among equal ones, as in the matrix."""
    tie = 1e-7 * table.scores / (1.0 + table.scores)
    both = np.round(table.strength, 6) + tie
    return np.array([both[own].max(initial=0.0) for own in rows])


def _unit_tokens(encoded: Encoded) -> NDArray[np.float32]:
    return unit_rows(encoded.tokens[: encoded.length])


def _best_tokens(feature: NDArray[np.float32], passages: Sequence[NDArray[np.float32]]) -> _FloatArray:
    return np.array(
        [float((feature @ tokens.T).max(axis=1).mean()) if tokens.size else -1.0 for tokens in passages]
    )
