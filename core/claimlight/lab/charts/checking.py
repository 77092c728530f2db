"""Form of charts and groups, and texts that two parts of a benchmark have in common."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from claimlight.lab.charts.reading import (
    DISCLOSED,
    GROUPS,
    Benchmark,
    Chart,
    ChartCell,
    PairGroup,
    Placed,
    Wording,
)
from claimlight.text.sentences import cut_sentences

CHART_PARAGRAPHS = (14, 22)
CHART_WORDS = (40, 150)
"""Least and most words of a paragraph."""
CLAIM_WORDS = (8, 200)
CHART_FEATURES = (5, 9)
GROUP_FEATURES = (2, 4)
GROUP_PASSAGES = (5, 8)
GROUP_WORDS = (25, 140)
GROUP_LABELS = frozenset({*DISCLOSED, "near", "absent"})
LEAST_SENTENCE = 6
"""Words of a sentence that two charts must not share; shorter ones may be the same by chance."""
_WORD = re.compile(r"\w+")


def find_faults(benchmark: Benchmark) -> list[str]:
    """Everything that breaks the form, each with its file and line."""
    faults = list(benchmark.faults)
    charts = [placed for part in benchmark.charts.values() for placed in part]
    for chart in charts:
        faults += [f"{chart}: {chart.item.id}: {fault}" for fault in _chart(chart.item)]
    for group in benchmark.groups:
        faults += [f"{group}: {group.item.id}: {fault}" for fault in _group(group.item)]
    return [*faults, *_twice(charts), *_twice(benchmark.groups)]


def find_duplicates(benchmark: Benchmark) -> list[str]:
    """Sentences and features that two charts, two groups, or a chart and a group have in common."""
    places: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for part, charts in benchmark.charts.items():
        for placed in charts:
            for sentence in _sentences(_chart_texts(placed.item)):
                places[sentence].add(f"{part} {placed.item.id}")
    for group in benchmark.groups:
        texts = (*group.item.features, *(passage.text for passage in group.item.passages))
        for sentence in _sentences(texts):
            places[sentence].add(f"{GROUPS} {group.item.id}")
    shared: dict[tuple[str, str], int] = defaultdict(int)
    for found in places.values():
        for pair in combinations(sorted(found), 2):
            shared[pair] += 1
    return [
        f"{one} and {other} share {number} sentence{'s' if number > 1 else ''} or features."
        for (one, other), number in sorted(shared.items())
    ]


def _chart(chart: Chart) -> Iterator[str]:
    numbers = [passage.n for passage in chart.document.passages]
    yield from _within(len(chart.document.paragraphs), CHART_PARAGRAPHS, "paragraphs")
    if len(set(numbers)) < len(numbers):
        yield "a paragraph number is there twice"
    for paragraph in chart.document.paragraphs:
        yield from _within(len(paragraph.text.split()), CHART_WORDS, f"words in paragraph {paragraph.n}")
    for number, claim in enumerate(chart.document.claims, 1):
        if claim.n != f"claim {number}":
            yield f"claim {number} of the document is numbered {claim.n!r}"
        yield from _within(len(claim.text.split()), CLAIM_WORDS, f"words in {claim.n}")
    labels = [feature.label for feature in chart.features]
    yield from _within(len(labels), CHART_FEATURES, "features")
    for feature in chart.features:
        if feature.text not in chart.claim:
            yield f"the text of {feature.label} is no part of the claim"
    if sorted(cell.feature for cell in chart.cells) != sorted(labels):
        yield "every feature needs exactly one cell"
    for cell in chart.cells:
        yield from (f"{cell.feature}: {fault}" for fault in _cell(cell, frozenset(numbers)))


def _cell(cell: ChartCell, numbers: frozenset[str]) -> Iterator[str]:
    listed, near = set(cell.paragraphs), set(cell.near)
    if unknown := sorted((listed | near) - numbers):
        yield f"the document has no paragraph or claim {', '.join(unknown)}"
    if listed & near:
        yield "a paragraph discloses the feature and only comes near"
    if cell.disclosed:
        if not listed:
            yield "it is disclosed, but by no paragraph"
        if cell.wording not in DISCLOSED:
            yield f"a disclosed cell can't be {cell.wording.value!r}"
        return
    if listed:
        yield "it is not disclosed, but lists paragraphs that disclose it"
    if cell.wording not in (Wording.NEAR_MISS, Wording.ABSENT):
        yield f"an undisclosed cell can't be {cell.wording.value!r}"
    elif (cell.wording is Wording.ABSENT) is bool(near):
        yield "a near miss lists the paragraphs that come near, and nothing else does"


def _group(group: PairGroup) -> Iterator[str]:
    yield from _within(len(group.features), GROUP_FEATURES, "features")
    yield from _within(len(group.passages), GROUP_PASSAGES, "passages")
    if not group.cpc:
        yield "the CPC class must not be empty"
    for place, passage in enumerate(group.passages, 1):
        yield from _within(len(passage.text.split()), GROUP_WORDS, f"words in passage {place}")
        if len(passage.labels) != len(group.features):
            yield f"passage {place} needs one label for each feature"
        for label in passage.labels:
            if label not in GROUP_LABELS:
                yield f"passage {place} has the unknown label {label!r}"
    for column in range(len(group.features)):
        rulings = {p.labels[column] in DISCLOSED for p in group.passages if column < len(p.labels)}
        if len(rulings) == 1:
            yield f"feature {column + 1} needs passages that disclose it and passages that don't"


def _within(found: int, limits: tuple[int, int], what: str) -> Iterator[str]:
    least, most = limits
    if not least <= found <= most:
        yield f"{found} {what}; {least} to {most} were expected"


def _twice(placed: Sequence[Placed[Chart]] | Sequence[Placed[PairGroup]]) -> Iterator[str]:
    first: dict[str, str] = {}
    for item in placed:
        if item.item.id in first:
            yield f"{item}: {item.item.id} was there before ({first[item.item.id]})"
        first.setdefault(item.item.id, str(item))


def _chart_texts(chart: Chart) -> tuple[str, ...]:
    passages = (passage.text for passage in chart.document.passages)
    return (chart.document.abstract, *passages, *(feature.text for feature in chart.features))


def _sentences(texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The words of every sentence that is long enough."""
    for text in texts:
        for span in cut_sentences(text):
            words = tuple(_WORD.findall(text[span.start : span.end].lower()))
            if len(words) >= LEAST_SENTENCE:
                yield words
