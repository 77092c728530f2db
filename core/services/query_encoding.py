"""The query side of the model: one claim in, everything the legs and the evidence need out."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.highlight.terms import QuerySpans, Terms
from core.index.assign import SpanVectors, span_vectors
from core.retrieval import RetrievalQuery
from core.tasks import TaskContext
from core.text.words import telling
from core.types import Feature, Query

if TYPE_CHECKING:
    from core.services.machinery import Machinery

CACHED_QUERIES = 32


@dataclass(frozen=True, slots=True, eq=False)
class EncodedQuery:
    """A query after the model: what the legs ask with, and the spans behind it."""

    retrieval: RetrievalQuery
    spans: QuerySpans
    terms: Terms

    def feature_terms(self, feature: Feature) -> Terms:
        """What one feature asks for on its own."""
        return self.spans.terms(feature.span)


def encode_query(query: Query, machinery: Machinery, *, top_k: int, context: TaskContext) -> EncodedQuery:
    """Encode the text once; a query none of whose spans lies in a radius takes its nearest centers."""
    from core.encoders import EncoderInput

    inputs = [EncoderInput(text=query.text, section=query.section, is_query=True)]
    (encoded,) = machinery.encoder.encode(inputs, context)
    context.check()
    spans = span_vectors([query.text], [encoded], machinery.unit)
    asked = _asked(query.text, spans)
    vectors = spans.vectors[asked]
    active = machinery.vocabulary.activate(vectors, top_k)
    if not len(active) and len(vectors):
        active = machinery.vocabulary.activate(vectors, top_k, within_radius=False)
    found = QuerySpans(spans.start[asked], spans.end[asked], active)
    terms = found.terms()
    retrieval = RetrievalQuery(
        text=query.text,
        vector=encoded.pooled if encoded.length else None,
        centers=terms.center,
        weights=terms.weight.astype("float32"),
    )
    return EncodedQuery(retrieval, found, terms)


def _asked(text: str, spans: SpanVectors) -> NDArray[np.intp]:
    """The spans a query asks with: those that say something of their own, or all if none does.

    Documents are indexed by every span; what a function word, a "comprising" or a reference numeral meets
    explains nothing to an examiner, and leaving it out of the query does not harm the ranking
    (docs/adr/0004).
    """
    ranges = zip(spans.start.tolist(), spans.end.tolist(), strict=True)
    told = np.flatnonzero([any(map(telling, text[start:end].split())) for start, end in ranges])
    return told if len(told) else np.arange(len(spans.start))


class QueryEncoder:
    """Encodes queries with one model and remembers the last ones; safe from any thread."""

    def __init__(self, machinery: Machinery, *, top_k: int) -> None:
        self.machinery = machinery
        self._top_k = top_k
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], EncodedQuery] = OrderedDict()

    def encode(self, query: Query, context: TaskContext) -> EncodedQuery:
        """The same values for the same text and section, whatever the features are."""
        key = (query.text, query.section.value)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        encoded = encode_query(query, self.machinery, top_k=self._top_k, context=context)
        with self._lock:
            self._known[key] = encoded
            while len(self._known) > CACHED_QUERIES:
                self._known.popitem(last=False)
        return encoded
