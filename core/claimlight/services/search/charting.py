"""The rulings of a chart: which document discloses which feature of a claim, and where, by a judge.

passages by contrast -> rulings of the judge -> the passage that counts
-> calibrated probability -> verdict, and the words of the feature that are met or missing

A passage that states a feature word by word (`claimlight.judging.restating`) counts before any other, if a
judge that may say *disclosed* does not deny it.

The first passages by contrast hold the one that discloses a feature for most cells, not for all: paragraphs
of real descriptions disclose several features at once. Reading all takes too long for a long list. So a few
passages of every document are read at first; in a document that deserves it the judge then reads on, or a
second one, which is better and too slow for every document. A judge that reads on also reads parts of
claims by themselves (`claimlight.judging.claim_parts`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claimlight.digests import sha256
from claimlight.encoders import EncoderInput
from claimlight.errors import ResourceError
from claimlight.highlight.matrix import stem_words
from claimlight.index.base import SearchableIndex
from claimlight.judging.base import Pair, Ruling
from claimlight.judging.calibration import CalibratedJudge, Calibration
from claimlight.judging.candidates import choose_candidates, compare_vectors
from claimlight.judging.claim_parts import ClaimParts
from claimlight.judging.restating import CONFIRMED, LIKELY, UNCONFIRMED, restates
from claimlight.judging.terms import words
from claimlight.services.models.encoding_stack import EncodingStack
from claimlight.services.search.chart_cache import ChartCache
from claimlight.store import repository
from claimlight.store.store import Store
from claimlight.store.values import StoredPassage
from claimlight.tasks import TaskContext
from claimlight.text.informative import is_uninformative
from claimlight.text.quantities import Figures, find_quantities
from claimlight.text.words_only import find_words_only
from claimlight.types import (
    CellRuling,
    ChartVerdict,
    Feature,
    FeatureTerm,
    PassageId,
    PatentId,
    Query,
    Section,
    Span,
    TermState,
)

_DESCRIPTION = 40
"""Words from which a passage below a heading of the drawings is taken for description."""
_MET = 0.5
_LITERAL = 24
"""Passages of highest contrast among which one that states a feature word by word is sought: its cosine is
near 1."""
_CONFIRMED = 3
"""Most of these that a judge is asked to confirm for a feature: a description may repeat one many times."""
SHOWN = 6
"""Most passages of a cell that are offered to the reader."""


class Chart:
    """Rules on the features of one claim in one document after the other; threads may share it.

    ``rejected``: digests (`passage_digest`) of the passages that the examiner has rejected, by feature label.
    """

    def __init__(
        self,
        judge: CalibratedJudge,
        *,
        store: Store,
        generation: SearchableIndex,
        stack: EncodingStack,
        query: Query,
        cache: ChartCache | None = None,
        rejected: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self._judge, self._store, self._stack = judge, store, stack
        self._generation = generation
        self._query = query
        self._cache = cache if cache is not None else ChartCache()
        self._rejected = rejected or {}
        self._vectors: NDArray[np.float32] | None = None

    def rule(
        self,
        patents: Iterable[PatentId],
        languages: Mapping[PatentId, str],
        context: TaskContext,
        *,
        read_on: bool = False,
    ) -> Iterator[tuple[PatentId, tuple[CellRuling | None, ...]]]:
        """One ruling for each feature of every document, in their order.

        ``languages`` apply to passages without a language. None: the document has no passage in a language
        that the judge reads, the examiner has rejected them all, or its description is not indexed and
        nothing of the rest is near. ``read_on``: the second judge, if there is one, reads as many passages as
        its calibration allows; where it gives no ruling, and without it, the judge does.
        """
        vectors = self._feature_vectors(context)
        read = self._read_on if read_on else self._read_first
        for patent in patents:
            context.check()
            cells = read(patent, languages.get(patent, ""), vectors, context)
            yield patent, _without_nothing(cells) if self._is_partly_indexed(patent) else cells

    def _read_first(
        self, patent: PatentId, language: str, vectors: NDArray[np.float32], context: TaskContext
    ) -> tuple[CellRuling | None, ...]:
        judge = self._judge
        stored = _readable(self._passages(patent), judge, language)
        return self._document(judge, stored, language, vectors, context, depth=judge.calibration.at_first)

    def _read_on(
        self, patent: PatentId, language: str, vectors: NDArray[np.float32], context: TaskContext
    ) -> tuple[CellRuling | None, ...]:
        def rule_by(judge: CalibratedJudge, stored: Sequence[StoredPassage]) -> tuple[CellRuling | None, ...]:
            depth = judge.calibration.candidates
            return self._document(judge, stored, language, vectors, context, depth=depth)

        passages, second = self._passages(patent), self._judge.second
        mine = _readable(passages, self._judge, language)
        if second is None:
            return rule_by(self._judge, mine)
        others = _readable(passages, second, language)
        found = rule_by(second, others)
        known = {passage.id for passage in others}
        if all(passage.id in known for passage in mine):
            # Where the second one has nothing to rule on, the first has nothing either.
            return found
        own = rule_by(self._judge, mine)
        return tuple(_choose(one, other, known) for one, other in zip(found, own, strict=True))

    def _feature_vectors(self, context: TaskContext) -> NDArray[np.float32]:
        """[F, d] unit vectors of the features."""
        if self._vectors is None:
            asked = [
                EncoderInput(feature.text, self._query.section, is_query=True)
                for feature in self._query.features
            ]
            found = [item.pooled for item in self._stack.encoder.encode(asked, context)]
            self._vectors = np.array(found, dtype=np.float32).reshape(len(asked), -1)
        return self._vectors

    def _document(
        self,
        judge: CalibratedJudge,
        stored: Sequence[StoredPassage],
        language: str,
        vectors: NDArray[np.float32],
        context: TaskContext,
        *,
        depth: int,
    ) -> tuple[CellRuling | None, ...]:
        """The rulings of one judge on ``stored`` passages, which it reads; ``depth``: most for a feature."""
        features = self._query.features
        if not stored:
            return tuple(None for _ in features)
        place, pieces = self._pieces(stored, context)
        near = self._stack.nearness
        cosines, contrasts = compare_vectors(vectors, pieces, place, len(stored), near)
        parts, of_parts = ClaimParts.of(()), np.empty((len(features), 0))
        digests = [passage_digest(passage.text) for passage in stored]
        if judge.judge.reads_parts and depth >= judge.calibration.candidates:
            # Not where fewer passages of every document are read at first: vectors take too long then.
            parts = ClaimParts.of([(passage.text, passage.section) for passage in stored])
            of_parts = self._compare_parts(parts, vectors, context)
            for feature, own in zip(features, of_parts, strict=True):
                out = self._rejected.get(feature.label, frozenset())
                own[[digests[place] in out for place in parts.place]] = -np.inf
            contrasts = parts.raise_nearest(contrasts, of_parts)
        allowed = [
            self._candidates(feature, contrasts[number], digests) for number, feature in enumerate(features)
        ]
        chosen = [places[:depth] for places in allowed]
        stated = {
            number: [place for place in places[:_LITERAL] if restates(feature.text, stored[place].text)]
            for number, (feature, places) in enumerate(zip(features, allowed, strict=True))
        }

        def with_parts(places: Mapping[int, Sequence[int]]) -> dict[tuple[int, int], tuple[str, ...]]:
            return {
                (number, place): parts.nearest(of_parts[number], place)
                for number, own in places.items()
                for place in own
            }

        asked = with_parts({number: places[:_CONFIRMED] for number, places in stated.items()})
        literal = self._confirm(judge, asked, stored, language, cosines, digests, context)
        wanted = with_parts(dict(enumerate(chosen)))
        ruled = self._ask(judge, wanted, stored, digests, context)
        return tuple(
            _make_cell(
                judge,
                feature,
                places,
                [ruled[number, place] for place in places],
                cosines[number],
                stored,
                literal=literal.get(number),
            )
            for number, (feature, places) in enumerate(zip(features, chosen, strict=True))
        )

    def _confirm(
        self,
        judge: CalibratedJudge,
        stated: Mapping[tuple[int, int], tuple[str, ...]],
        stored: Sequence[StoredPassage],
        language: str,
        cosines: NDArray[np.float64],
        digests: Sequence[str],
        context: TaskContext,
    ) -> dict[int, _Literal]:
        """The passages that count as word by word, by feature.

        ``stated``: feature and passage, best first, and the parts that are read, as for `_ask`. A judge that
        may say *disclosed* is asked: ``judge``, else the second one. If there is none, it can't be opened or
        does not read the passage, the words alone count.
        """
        confirming = next(
            (each for each in (judge, self._judge.second) if each and each.calibration.says_disclosed), None
        )
        ruled: dict[tuple[int, int], Ruling] = {}
        if confirming is not None:
            read = {
                at: parts for at, parts in stated.items() if _readable([stored[at[1]]], confirming, language)
            }
            try:
                ruled = self._ask(confirming, read, stored, digests, context)
            except ResourceError:
                if confirming is judge:
                    raise
                # Of the second judge: told where it reads on. The first one must not fail with it.
        out: dict[int, _Literal] = {}
        for at in stated:
            number, place = at
            if number in out:
                continue
            if confirming is None or at not in ruled:
                out[number] = _Literal(place, UNCONFIRMED)
            elif confirming.calibration.probability(ruled[at].score, float(cosines[at])) >= LIKELY:
                out[number] = _Literal(place, CONFIRMED)
        return out

    def _is_partly_indexed(self, patent: PatentId) -> bool:
        ids = self._generation.claims_only
        at = int(np.searchsorted(ids, patent))
        return at < len(ids) and int(ids[at]) == patent

    def _passages(self, patent: PatentId) -> list[StoredPassage]:
        """The passages of a document in reading order.

        Without its title, lines of its list of drawings, and what is found by its words only
        (`find_words_only`); of one that is indexed in part those with a vector.
        """
        found = [
            passage
            for passage in repository.read_passages_of(self._store, [patent]).get(patent, ())
            if passage.section is not Section.TITLE
            and not _names_a_drawing(passage)
            # It has no vector, and would be encoded for every chart.
            and find_words_only(passage.text, passage.section) is None
        ]
        if not self._is_partly_indexed(patent):
            return found
        # The others would all be encoded now; they are compared when the description is indexed.
        place, _ = self._generation.passage_vectors([passage.id for passage in found])
        return [found[n] for n in np.unique(place).tolist()]

    def _pieces(
        self, stored: Sequence[StoredPassage], context: TaskContext
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Unit vectors [pieces, d] of passages, and the index of the passage that each is a piece of."""
        place, known = self._generation.passage_vectors([passage.id for passage in stored])
        without = np.setdiff1d(np.arange(len(stored)), place)
        if not len(without):
            return place, known
        # Indexed by an earlier version, which did not keep the vectors.
        asked = [EncoderInput(stored[n].text, stored[n].section) for n in without.tolist()]
        made = np.array([item.pooled for item in self._stack.encoder.encode(asked, context)])
        return np.concatenate([place, without]), np.concatenate([known, made.astype(np.float32)])

    def _compare_parts(
        self, parts: ClaimParts, vectors: NDArray[np.float32], context: TaskContext
    ) -> NDArray[np.float64]:
        """Contrasts [F, parts] with parts of claims; ``vectors`` are those of the features."""
        texts, encoder, known = parts.texts, self._stack.encoder, self._cache.vectors
        if not texts:
            return np.empty((len(vectors), 0))
        found = {text: known.get((encoder.fingerprint, text)) for text in texts}
        lacking = [text for text, vector in found.items() if vector is None]
        asked = [EncoderInput(text, Section.CLAIMS) for text in lacking]
        for text, item in zip(lacking, encoder.encode(asked, context), strict=True):
            found[text] = item.pooled
            known.put((encoder.fingerprint, text), item.pooled)
        made = np.array([found[text] for text in texts], dtype=np.float32)
        _, contrasts = compare_vectors(vectors, made, np.arange(len(texts)), len(texts), self._stack.nearness)
        return contrasts

    def _candidates(
        self, feature: Feature, contrasts: NDArray[np.float64], digests: Sequence[str]
    ) -> list[int]:
        """The passages that the judge may read for a feature, best first."""
        out = self._rejected.get(feature.label, frozenset())
        return [place for place in choose_candidates(contrasts, len(contrasts)) if digests[place] not in out]

    def _ask(
        self,
        judge: CalibratedJudge,
        wanted: Mapping[tuple[int, int], tuple[str, ...]],
        stored: Sequence[StoredPassage],
        digests: Sequence[str],
        context: TaskContext,
    ) -> dict[tuple[int, int], Ruling]:
        """The rulings on some pairs of feature and passage, from the cache where they are known.

        ``wanted`` gives the parts of each passage that are read by themselves, too.
        """
        features = self._query.features
        pairs = {
            (number, place): Pair(
                subject_of(self._query, number),
                features[number].text,
                stored[place].text,
                stored[place].language,
                parts,
            )
            for (number, place), parts in wanted.items()
        }
        print_of, rulings = judge.judge.fingerprint, self._cache.rulings
        keys = {
            at: (print_of, pair.subject, pair.feature, digests[at[1]], *pair.parts)
            for at, pair in pairs.items()
        }
        found = {at: known for at in pairs if (known := rulings.get(keys[at])) is not None}
        open_ones = [at for at in pairs if at not in found]
        if open_ones:
            made = judge.judge.rule([pairs[at] for at in open_ones], context)
            for at, ruling in zip(open_ones, made, strict=True):
                found[at] = ruling
                rulings.put(keys[at], ruling)
        return found


@dataclass(frozen=True, slots=True)
class _Literal:
    """A passage that states a feature word by word."""

    place: int
    share: float
    """Share of such cells that disclose the feature."""


def _readable(
    passages: Sequence[StoredPassage], judge: CalibratedJudge, language: str
) -> list[StoredPassage]:
    """Those that a judge reads; ``language`` is that of passages without one, empty if unknown."""
    known = judge.judge.languages
    return [
        passage
        for passage in passages
        if not known or not (passage.language or language) or (passage.language or language) in known
    ]


def _names_a_drawing(passage: StoredPassage) -> bool:
    """Whether it only says what a drawing shows: what discloses a feature is then the drawing.

    Judges never saw such lines in training, and take some of them for disclosures. What is longer may be
    description below a heading of the drawings.
    """
    return passage.section is Section.DRAWINGS and len(passage.text.split()) < _DESCRIPTION


def _without_nothing(cells: Sequence[CellRuling | None]) -> tuple[CellRuling | None, ...]:
    """Rulings on a document that is indexed in part: its description may disclose what its claims do not.

    So nothing says that nothing is near.
    """
    return tuple(None if cell is None or cell.verdict is ChartVerdict.NOTHING else cell for cell in cells)


def _choose(
    second: CellRuling | None, first: CellRuling | None, known: Collection[PassageId]
) -> CellRuling | None:
    """The ruling of the second judge; the first's if a passage that only that one reads is likelier.

    ``known``: passages that the second one reads.
    """
    if second is None or first is None:
        return first if second is None else second
    return first if first.passage not in known and first.probability > second.probability else second


def _make_cell(
    judge: CalibratedJudge,
    feature: Feature,
    places: Sequence[int],
    found: Sequence[Ruling],
    cosines: NDArray[np.float64],
    stored: Sequence[StoredPassage],
    *,
    literal: _Literal | None,
) -> CellRuling | None:
    """The ruling by the best of ``places``, or by the passage that states the feature word by word."""
    if not places:
        return None
    read = judge.calibration.after(len(places))
    near = [float(cosines[place]) for place in places]
    worth = [ruling.score + read.cosine * cosine for ruling, cosine in zip(found, near, strict=True)]
    order = sorted(range(len(places)), key=lambda number: -worth[number])
    best = order[0]
    probability = read.probability(found[best].score, near[best])
    ranked, verdict, met = (
        [places[number] for number in order],
        decide(probability, read),
        found[best].terms,
    )
    if literal is not None:
        at = literal.place
        met = found[places.index(at)].terms if at in places else ()
        ranked = [at, *(place for place in ranked if place != at)]
        verdict, probability = ChartVerdict.DISCLOSED, max(probability, literal.share)
    passage = stored[ranked[0]]
    return CellRuling(
        feature.label,
        verdict,
        probability,
        judge.judge.name,
        passage.id,
        passage.label,
        tuple(stored[place].id for place in ranked[:SHOWN]),
        state_terms(feature, passage.text, met),
        len(places),
        len(stored),
        word_by_word=literal is not None,
    )


def subject_of(query: Query, number: int) -> str:
    """What a feature is a feature of: the first one, the preamble; empty for that one itself."""
    first = query.features[0]
    return (
        " ".join(first.text.split()) if number and first.span.end <= query.features[number].span.start else ""
    )


def decide(probability: float, read: Calibration) -> ChartVerdict:
    """The verdict on a probability, by the bounds of the judge."""
    if probability >= read.bounds.disclosed:
        return ChartVerdict.DISCLOSED
    return ChartVerdict.CANDIDATE if probability >= read.bounds.candidate else ChartVerdict.NOTHING


def passage_digest(text: str) -> str:
    """Identifies the text of a passage, whatever its document's id."""
    return sha256(text)


def state_terms(feature: Feature, passage: str, met: Sequence[float]) -> tuple[FeatureTerm, ...]:
    """What a passage has of the words of a feature that say something.

    ``met`` has the judge's probability for every word (`claimlight.judging.terms.words`), or is empty if the
    judge does not say: then only words of the passage have a state, and quantities, of which no judge says
    anything (`claimlight.text.quantities`).
    """
    there = stem_words(passage)
    found: list[FeatureTerm] = []
    for number, (start, end) in enumerate(words(feature.text)):
        word = feature.text[start:end]
        if is_uninformative(word):
            continue
        span = Span(feature.span.start + start, feature.span.start + end)
        if stem_words(word) and stem_words(word) <= there:
            found.append(FeatureTerm(span, TermState.LITERAL))
        elif met:
            state = TermState.MEANING if met[number] >= _MET else TermState.MISSING
            found.append(FeatureTerm(span, state))
    if quantities := find_quantities(feature.text):
        figures, at = Figures.of(passage), feature.span.start
        said = [FeatureTerm(Span(at + each.start, at + each.end), figures.state(each)) for each in quantities]
        # A unit that is also a word: Th of 3005±5 Th.
        words_alone = [term for term in found if not any(_overlap(term.span, each.span) for each in said)]
        found = sorted((*words_alone, *said), key=lambda term: term.span.start)
    return tuple(found)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
