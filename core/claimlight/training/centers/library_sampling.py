"""Passages for a center vocabulary out of a library, drawn as `sampling` beside this draws from files."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator

from claimlight.tasks import TaskContext
from claimlight.training.centers.sampling import OFFERED, SampledPassage
from claimlight.training.documents.corpus import TrainingCorpus
from claimlight.training.documents.document import TrainingDocument
from claimlight.types import Progress, Section

_MIN_PASSAGE = 40
_MAX_PASSAGE = 2000
_STEP = 200


def draw_from_library(
    corpus: TrainingCorpus, count: int, *, seed: int, context: TaskContext
) -> list[SampledPassage]:
    """``count`` passages in draw order, fewer where the library has no more.

    A document offers a few of each part. A hash of seed, publication and place decides, so the order of the
    documents does not matter.
    """
    return heapq.nsmallest(count, _offers(corpus, seed, context))


def _offers(corpus: TrainingCorpus, seed: int, context: TaskContext) -> Iterator[SampledPassage]:
    for begin in range(0, len(corpus), _STEP):
        context.report(Progress("read", begin, len(corpus), "documents", 0.0, None))
        for document in corpus.read(corpus.ids[begin : begin + _STEP].tolist()):
            name = document.number
            for section, texts in _parts(document):
                usable = [text[:_MAX_PASSAGE] for text in texts if len(text) >= _MIN_PASSAGE]
                offers = (
                    SampledPassage(_draw(f"{seed} {name} {section} {place}"), name, section, text)
                    for place, text in enumerate(usable)
                )
                yield from heapq.nsmallest(OFFERED[section], offers)


def _parts(document: TrainingDocument) -> Iterator[tuple[Section, list[str]]]:
    if document.abstract:
        head = [document.title] if document.title else []
        yield Section.ABSTRACT, ["\n".join([*head, document.abstract])]
    yield Section.CLAIMS, list(document.claims)
    yield Section.DESCRIPTION, list(document.paragraphs)


def _draw(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
