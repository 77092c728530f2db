"""What a judge learns from: features, passages, and whether the passage discloses the feature.

Four sources: groups of minimal pairs, charts of whole documents, pairs on which a better judge has ruled, and
pairs of sentences or terms for the first stage. Siblings of a group differ in one thing, so the words in
which an undisclosed feature differs from a disclosed sibling are the words that the passage does not meet.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import Any

from claimlight.errors import InputError
from claimlight.text.encoder_text import to_encoder_text

DISCLOSED = ("same", "other", "implicit")
"""Kinds of wording of a disclosed cell; the others are ``near`` and ``absent``."""
_LIKEST = 6
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Term:
    """A word of a feature, and whether the passage meets it."""

    start: int
    end: int
    met: bool


@dataclass(frozen=True, slots=True)
class Cell:
    """A feature in its claim, a passage, and the ruling."""

    subject: str
    """Preamble of the claim."""
    feature: str
    passage: str
    disclosed: bool
    wording: str
    terms: tuple[Term, ...] = ()
    """Words of the feature whose ruling is known, by character offsets."""
    row: int = 0
    column: int = 0
    """Passage and feature within their block: cells of one row or column are compared with each other."""


@dataclass(frozen=True, slots=True)
class Block:
    """Cells that are trained together: a group, or the cells of a chart."""

    id: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two texts with a target of 0 to 1: entailment of the first by the second, or likeness of terms."""

    first: str
    second: str
    target: float


@dataclass(frozen=True, slots=True)
class TaughtPair:
    """A feature and a passage on which another judge, the teacher, has ruled."""

    subject: str
    feature: str
    passage: str
    score: float
    """The teacher's logit."""


def read_groups(path: Path) -> list[Block]:
    """The groups of a file of minimal pairs."""
    return [_group(item) for item in _read_lines(path)]


def read_taught(path: Path) -> list[TaughtPair]:
    """The pairs of a file of groups on which a teacher has ruled (``scores`` of each passage)."""
    return [
        TaughtPair(item["claim"], feature, passage["text"], float(score))
        for item in _read_lines(path)
        for passage in item["passages"]
        for feature, score in zip(item["features"], passage["scores"], strict=True)
    ]


def read_sentences(path: Path) -> list[SentencePair]:
    """Pairs of ``premise``, ``hypothesis`` and ``entailed``; the hypothesis is the first text."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [SentencePair(row["hypothesis"], row["premise"], float(row["entailed"])) for row in rows]


def read_phrases(path: Path) -> list[SentencePair]:
    """Pairs of ``anchor`` and ``target`` terms with their ``score``."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [SentencePair(row["anchor"], row["target"], float(row["score"])) for row in rows]


@dataclass(frozen=True, slots=True)
class TrainingChart:
    """A claim chart: every feature of a claim against all paragraphs of a document."""

    id: str
    subject: str
    """The claim before its first feature."""
    features: tuple[str, ...]
    paragraphs: tuple[str, ...]
    disclosing: tuple[tuple[int, ...], ...]
    """For each feature the paragraphs that disclose it."""
    near: tuple[tuple[int, ...], ...]
    """For each feature the paragraphs that come near and do not disclose it."""
    wordings: tuple[str, ...]

    def draw(self, random: Random, *, hard: int = 2, easy: int = 1) -> Block:
        """Cells of all features: every disclosing and near paragraph, and some of the others.

        Of the others ``hard`` are among the six that share most with the feature, weighted by how rare the
        words are in the document, and ``easy`` are any.
        """
        spoken = [frozenset(_words(text)) for text in self.paragraphs]
        common = Counter(word for text in spoken for word in text)
        cells: list[Cell] = []
        for column, feature in enumerate(self.features):
            own = frozenset(_words(feature))
            told = {*self.disclosing[column], *self.near[column]}
            rest = [row for row in range(len(spoken)) if row not in told]
            # A random number below 1 orders paragraphs that share nothing.
            worth = {
                row: random.random() + sum(_rarity(common[word], len(spoken)) for word in own & spoken[row])
                for row in rest
            }
            likest = sorted(rest, key=lambda row: -worth[row])[:_LIKEST]
            others = {
                *random.sample(likest, min(hard, len(likest))),
                *random.sample(rest, min(easy, len(rest))),
            }
            cells += [self._cell(column, row) for row in (*self.disclosing[column], *self.near[column])]
            cells += [self._cell(column, row) for row in sorted(others)]
        return Block(self.id, tuple(cells))

    def _cell(self, column: int, row: int) -> Cell:
        feature, passage = self.features[column], self.paragraphs[row]
        if row in self.disclosing[column]:
            wording = self.wordings[column]
        else:
            wording = "near" if row in self.near[column] else "absent"
        # An unlisted paragraph may meet words of a feature that is disclosed elsewhere.
        sure = wording in DISCLOSED or (wording == "absent" and self.wordings[column] == "absent")
        terms = find_terms(feature, passage, wording, ()) if sure else ()
        return Cell(self.subject, feature, passage, wording in DISCLOSED, wording, terms, row, column)


def read_charts(path: Path) -> list[TrainingChart]:
    """The charts of a file of claim charts (docs/lab/charts.md)."""
    return [_chart(item) for item in _read_lines(path)]


def _chart(item: dict[str, Any]) -> TrainingChart:
    paragraphs = [*item["document"]["paragraphs"], *(item["document"].get("claims") or ())]
    place = {paragraph["n"]: row for row, paragraph in enumerate(paragraphs)}
    ruled = {cell["feature"]: cell for cell in item["cells"]}
    cells = [ruled[feature["label"]] for feature in item["features"]]
    begins = min(item["claim"].index(feature["text"]) for feature in item["features"])
    return TrainingChart(
        item["id"],
        item["claim"][:begins].strip(),
        tuple(feature["text"] for feature in item["features"]),
        tuple(_clean(paragraph["text"]) for paragraph in paragraphs),
        tuple(tuple(place[n] for n in cell.get("paragraphs") or ()) for cell in cells),
        tuple(tuple(place[n] for n in cell.get("near") or ()) for cell in cells),
        tuple(cell["wording"] for cell in cells),
    )


def _rarity(count: int, paragraphs: int) -> float:
    return math.log(1 + paragraphs / count)


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                try:
                    yield json.loads(line)
                except json.JSONDecodeError as error:
                    raise InputError(f"{path}, line {number} is no JSON: {error}") from error


def _group(item: dict[str, Any]) -> Block:
    features: list[str] = item["features"]
    cells = []
    for row, passage in enumerate(item["passages"]):
        labels, text = passage["labels"], _clean(passage["text"])
        told = [feature for feature, label in zip(features, labels, strict=True) if label in DISCLOSED]
        for column, (feature, label) in enumerate(zip(features, labels, strict=True)):
            terms = find_terms(feature, text, label, told)
            cells.append(Cell(item["claim"], feature, text, label in DISCLOSED, label, terms, row, column))
    return Block(item["id"], tuple(cells))


def find_terms(feature: str, passage: str, wording: str, siblings: Sequence[str]) -> tuple[Term, ...]:
    """The words of a feature whose ruling follows from the ruling on the cell.

    ``siblings``: the features of the group that the passage discloses. All words of a disclosed feature are
    met. Of an undisclosed one, those that it shares in order with its likest disclosed sibling are met and
    the others are not. Where nothing speaks of the feature, no word is met that is not in the passage.
    """
    words = [(found.start(), found.end(), found.group().lower()) for found in _WORD.finditer(feature)]
    if wording in DISCLOSED:
        return tuple(Term(start, end, met=True) for start, end, _ in words)
    if wording == "absent":
        there = {found.lower() for found in _WORD.findall(passage)}
        return tuple(Term(start, end, met=False) for start, end, word in words if word not in there)
    if not siblings:
        return ()
    own = [word for _, _, word in words]
    matchers = [SequenceMatcher(None, own, _words(sibling), autojunk=False) for sibling in siblings]
    likest = max(matchers, key=lambda matcher: matcher.ratio())
    shared = {
        place for block in likest.get_matching_blocks() for place in range(block.a, block.a + block.size)
    }
    if len(shared) == len(words):
        return ()
    return tuple(Term(start, end, met=place in shared) for place, (start, end, _) in enumerate(words))


def _clean(text: str) -> str:
    """As judges read passages: without reference signs."""
    return to_encoder_text(text).text


def _words(text: str) -> list[str]:
    return [found.lower() for found in _WORD.findall(text)]
