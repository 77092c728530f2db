"""Balance of charts and groups, and whether anything but the content gives the ruling away.

A tell is a property that a judge could use instead of reading: where a feature or paragraph is, how long it
is, whether it negates, how many words both share. Each is measured as the area under the curve of predicting
the ruling by this property alone: .50 says nothing, 1 and 0 say all.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from claimlight.evaluation.measures import auc
from claimlight.lab.charts.reading import DISCLOSED, Benchmark, Chart, PairGroup
from claimlight.text.words import content_words, stem

_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|instead|unlike|rather|cannot|\w+n[’']t)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Share:
    """Cells of one kind."""

    name: str
    cells: int
    share: float
    overlap: float | None
    """Mean share of the feature's content words in the listed paragraphs; None without any."""


@dataclass(frozen=True, slots=True)
class Tell:
    """How well one property alone predicts the ruling."""

    name: str
    area: float | None
    """None if all rulings are the same."""


@dataclass(frozen=True, slots=True)
class Balance:
    """What a part, or the groups, consist of."""

    name: str
    items: int
    """Charts or groups."""
    cells: int
    disclosed: float
    """Share of the cells."""
    kinds: tuple[Share, ...]
    sections: tuple[tuple[str, int], ...]
    """CPC sections and their number of charts or groups."""
    tells: tuple[Tell, ...]


@dataclass(frozen=True, slots=True)
class _Judged:
    """A feature against one text, or a document."""

    kind: str
    disclosed: bool
    values: dict[str, float]


def measure_balance(benchmark: Benchmark) -> tuple[Balance, ...]:
    """The balance of every part and of the groups."""
    found = [
        _balance(part, [placed.item for placed in charts], lambda chart: chart.field, _of_chart)
        for part, charts in benchmark.charts.items()
        if charts
    ]
    if benchmark.groups:
        groups = [placed.item for placed in benchmark.groups]
        found.append(_balance("groups", groups, lambda group: group.cpc, _of_group))
    return tuple(found)


def _balance(
    name: str, items: Sequence[object], section: Callable[..., str], judge: Callable[..., list[_Judged]]
) -> Balance:
    judged = [cell for item in items for cell in judge(item)]
    rulings = [cell for cell in judged if "words in common" in cell.values]
    kinds = Counter(cell.kind for cell in rulings)
    overlap = {
        kind: [c.values["listed"] for c in judged if c.kind == kind and "listed" in c.values]
        for kind in kinds
    }
    return Balance(
        name,
        len(items),
        len(rulings),
        float(np.mean([cell.disclosed for cell in rulings])),
        tuple(
            Share(
                kind,
                kinds[kind],
                kinds[kind] / len(rulings),
                float(np.mean(overlap[kind])) if overlap[kind] else None,
            )
            for kind in sorted(kinds, key=_order)
        ),
        tuple(sorted(Counter(section(item)[:1] for item in items).items())),
        _tells(judged),
    )


def _order(kind: str) -> int:
    return ["same", "other", "implicit", "near_miss", "near", "absent"].index(kind)


def _tells(judged: Iterable[_Judged]) -> tuple[Tell, ...]:
    values: dict[str, list[float]] = {}
    labels: dict[str, list[bool]] = {}
    for cell in judged:
        for name, value in cell.values.items():
            if name != "listed":
                values.setdefault(name, []).append(value)
                labels.setdefault(name, []).append(cell.disclosed)
    areas = {name: auc(np.array(found), np.array(labels[name])) for name, found in values.items()}
    return tuple(Tell(name, None if math.isnan(area) else area) for name, area in areas.items())


def _of_chart(chart: Chart) -> list[_Judged]:
    """Its cells by what can be seen of feature and document, and their listed paragraphs one by one.

    Claims of the document count for the words in common only.
    """
    texts = {paragraph.n: paragraph.text for paragraph in chart.document.paragraphs}
    stems = {passage.n: _stems(passage.text) for passage in chart.document.passages}
    place = {number: at / max(len(texts) - 1, 1) for at, number in enumerate(texts)}
    labels = [feature.label for feature in chart.features]
    cells = {cell.feature: cell for cell in chart.cells}
    found: list[_Judged] = []
    before = 0.0
    for at, label in enumerate(labels):
        cell, text = cells[label], chart.feature(label).text
        asked = _stems(text)
        seen = {
            "position of the feature": at / max(len(labels) - 1, 1),
            "length of the feature": float(len(text.split())),
            "negations in the feature": float(len(_NEGATION.findall(text))),
            "words in common": max(_overlap(asked, other) for other in stems.values()),
        }
        found.append(_Judged(cell.wording.value, cell.disclosed, seen))
        listed = [number for number in (*cell.paragraphs, *cell.near) if number in texts]
        found += [
            _Judged(
                cell.wording.value,
                number in cell.paragraphs,
                {
                    "listed": _overlap(asked, stems[number]),
                    "position of the paragraph": place[number],
                    "paragraph after that of the feature before": float(place[number] >= before),
                    "length of the paragraph": float(len(texts[number].split())),
                    "negations in the paragraph": float(len(_NEGATION.findall(texts[number]))),
                },
            )
            for number in listed
        ]
        before = place[listed[0]] if listed else before
    return found


def _of_group(group: PairGroup) -> list[_Judged]:
    found: list[_Judged] = []
    asked = [_stems(feature) for feature in group.features]
    for row, passage in enumerate(group.passages):
        there = _stems(passage.text)
        for column, (feature, label) in enumerate(zip(group.features, passage.labels, strict=True)):
            common = _overlap(asked[column], there)
            seen = {
                "listed": common,
                "position of the feature": column / max(len(group.features) - 1, 1),
                "position of the paragraph": row / max(len(group.passages) - 1, 1),
                "length of the feature": float(len(feature.split())),
                "length of the paragraph": float(len(passage.text.split())),
                "negations in the feature": float(len(_NEGATION.findall(feature))),
                "negations in the paragraph": float(len(_NEGATION.findall(passage.text))),
                "words in common": common,
            }
            found.append(_Judged(label, label in DISCLOSED, seen))
    return found


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, content_words(text)))


def _overlap(asked: frozenset[str], there: frozenset[str]) -> float:
    return len(asked & there) / max(len(asked), 1)
