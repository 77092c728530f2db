"""Pairs of features and passages of a library on which nobody has ruled, for a teacher to rule on.

A judge that is trained on written cells alone never sees a real description. Here the features of real
claims meet the passages that a chart would have a judge read: of their own document, of the two nearest ones,
and of another. Nothing says what the rulings are; a better judge gives them
(`claimlight.lab.charts.teaching`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from claimlight.files import Access, open_text_atomically
from claimlight.judging.candidates import choose_candidates, contrast
from claimlight.lab.charts.reading import preamble
from claimlight.lab.diagnostics.cells.labels import Cluster
from claimlight.lab.diagnostics.cells.sample import CellPlan, sample
from claimlight.lab.diagnostics.cells.text import Stems
from claimlight.services.library.library import Library
from claimlight.services.search.search import SearchEngine
from claimlight.store import repository
from claimlight.tasks import TaskContext
from claimlight.text.encoder_text import to_encoder_text
from claimlight.text.words import content_words, stem
from claimlight.types import PatentId, Section

OWN, NEAR, OTHER = 2, 2, 1
"""Passages for each feature, of its own document, of the nearest ones and of another one."""
_FEATURES = 9
"""Most features of a claim."""
_FRONT = (Section.ABSTRACT, Section.CLAIMS)
_LONGEST = 2_500
"""Characters of a passage; longer ones are tables, or are cut in a chart too."""


@dataclass(frozen=True, slots=True)
class UnruledGroup:
    """The features of a claim and passages of one document: every feature meets every passage."""

    id: str
    claim: str
    """Preamble."""
    features: tuple[str, ...]
    passages: tuple[str, ...]
    source: str
    """``own``, ``near`` or ``other``."""

    def json(self) -> str:
        """A line in the form of groups, without labels."""
        body = {"id": self.id, "claim": self.claim, "features": list(self.features), "source": self.source}
        return json.dumps(
            {**body, "passages": [{"text": text} for text in self.passages]}, ensure_ascii=False
        )


def write_unruled(groups: Iterator[UnruledGroup], path: Path) -> tuple[int, int]:
    """Write groups as JSON lines; returns the numbers of groups and of pairs."""
    count = pairs = 0
    with open_text_atomically(path, Access.USUAL) as stream:
        for group in groups:
            stream.write(group.json() + "\n")
            count, pairs = count + 1, pairs + len(group.features) * len(group.passages)
    return count, pairs


def draw_unruled(
    library: Library, engine: SearchEngine, plan: CellPlan, context: TaskContext
) -> Iterator[UnruledGroup]:
    """Groups of first independent claims; the same library and plan give the same groups."""
    for cluster in sample(engine, library, plan, Stems(), context).clusters:
        context.check()
        yield from _groups(library, cluster)


def _groups(library: Library, cluster: Cluster) -> Iterator[UnruledGroup]:
    own = cluster.own
    told = [feature.text for feature in own.query.features][:_FEATURES]
    claim = _clean(preamble(own.query.text, told))
    features = tuple(_clean(text) for text in told)
    number = repository.read_publications(library.store, [own.patent])[own.patent]
    against = [("own", own, OWN), *(("near", item, NEAR) for item in cluster.near)]
    against += [("other", item, OTHER) for item in cluster.random[:1]]
    for place, (source, document, many) in enumerate(against):
        texts = _front(library, document.patent, source) + [
            text for text in document.texts if len(text) <= _LONGEST
        ]
        chosen = choose_passages(features, texts, many)
        if chosen:
            passages = tuple(_clean(texts[row]) for row in chosen)
            yield UnruledGroup(f"{number}-{place}", claim, features, passages, source)


def _clean(text: str) -> str:
    """As judges read texts."""
    return to_encoder_text(text).text


def _front(library: Library, patent: PatentId, source: str) -> list[str]:
    """Abstract and first claim of another document; nothing of one's own, which holds the claim itself."""
    if source == "own":
        return []
    stored = repository.read_passages_of(library.store, [patent])[patent]
    found = {
        section: next((p.text for p in stored if p.section is section and p.language in ("", "en")), "")
        for section in _FRONT
    }
    return [text for text in found.values() if text and len(text) <= _LONGEST]


def choose_passages(features: Sequence[str], texts: Sequence[str], many: int) -> list[int]:
    """Indices of the passages that share most with each feature and least with the claim, ascending.

    Shares are of the feature's stems, each weighted by how few passages have it, and the passages are those
    of highest contrast, ``many`` for each feature.
    """
    spoken = [frozenset(map(stem, content_words(text))) for text in texts]
    common = Counter(word for words in spoken for word in words)
    shares = np.array([_share(feature, spoken, common) for feature in features]).reshape(len(features), -1)
    found: set[int] = set()
    for row in contrast(shares):
        found.update(choose_candidates(row, many))
    return sorted(found)


def _share(feature: str, spoken: Sequence[frozenset[str]], common: Counter[str]) -> NDArray[np.float64]:
    own = frozenset(map(stem, content_words(feature)))
    weights = {word: np.log(1 + len(spoken) / common[word]) for word in own if common[word]}
    whole = sum(weights.values()) or 1.0
    return np.array([sum(weights[word] for word in weights.keys() & words) / whole for words in spoken])
