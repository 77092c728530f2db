"""Variants of written cells, whose rulings follow from how they are made.

Charts and minimal pairs are written to mislead: near misses have the words of a feature, disclosing passages
have others, and a passage speaks of one thing. Documents are not like that. A claim or an abstract lists a
dozen features in nearly the claim's words, and a paragraph discloses several at once; a judge that was
trained on written cells alone takes such a passage for a near miss. So a share of the cells is varied:

* phrases of a feature are replaced by others of the same meaning, and reference signs are added;
* a paragraph is joined with another one that does not speak of the feature: the ruling stays;
* a passage lists features of the chart's own claim, the feature among them (disclosed) or not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from random import Random

from claimlight.training.judges.material import Block, Cell, TrainingChart

_JOINED, _REWORDED, _SIGNED = 0.35, 0.3, 0.15
"""Shares of the cells of a chart that are varied in each way."""
_LISTED = 3
"""Features of a chart that are listed."""
_LONGEST = 185
"""Words of a varied passage: it is read in one window."""
_PHRASES = (
    ("which is", ""), ("which are", ""), ("wherein", "in which"), ("arranged", "located"),
    ("arranged", "disposed"), ("fastened to", "attached to"), ("fixed to", "secured to"),
    ("a plurality of", "several"), ("a plurality of", "multiple"), ("at least one", "one or more"),
    ("configured to", "adapted to"), ("configured to", "designed to"), ("adapted to", "configured to"),
    ("comprising", "having"), ("comprises", "includes"), ("comprising", "including"),
    ("provided with", "having"), ("provided with", "equipped with"), ("having", "with"),
    ("by means of", "by"), ("by means of", "using"), ("in response to", "upon"), ("when", "as soon as"),
    ("when", "if"), ("exceeds", "is above"), ("greater than", "above"), ("mounted on", "carried on"),
    ("mounted on", "attached to"), ("connected to", "coupled to"), ("connected to", "joined to"),
    ("such that", "so that"), ("adjacent to", "next to"), ("detecting", "sensing"), ("detect", "sense"),
    ("determining", "ascertaining"), ("towards", "in the direction of"), ("said", "the"),
    ("driven by", "actuated by"), ("receives", "takes up"), ("supplied with", "fed with"),
    ("facing", "directed towards"),
)  # fmt: skip
_MOST_PHRASES = 3
_HEADS = ("", "1. ", "2. ")
_LINKS = (" comprising: ", " comprising ", " having ", " with ")
_BREAKS = ("; ", ", ", "; and ", "\n")
_OPEN_END = re.compile(r"[ ,:]*\b(comprising|including|having|characteri[sz]ed (in that|by))?[ ,:]*$")


def vary_chart(chart: TrainingChart, block: Block, random: Random) -> list[Cell]:
    """The cells of a chart, some of them varied, and lists of features of its claim."""
    cells = [_vary(chart, cell, random) for cell in block.cells]
    columns = random.sample(range(len(chart.features)), min(_LISTED, len(chart.features)))
    for column in columns:
        feature = chart.features[column]
        others = [text for place, text in enumerate(chart.features) if place != column]
        taken = random.sample(others, random.randint(0, min(6, len(others))))
        texts = [*taken, feature]
        random.shuffle(texts)
        cells += _list_cell(chart.subject, feature, texts, column, random, disclosed=True)
        if len(taken) > 1:
            cells += _list_cell(chart.subject, feature, taken, column, random, disclosed=False)
    return cells


def reword(text: str, random: Random) -> str:
    """The same with up to three phrases replaced by others of the same meaning."""
    fitting = [pair for pair in _PHRASES if _whole(pair[0]).search(text)]
    for old, new in random.sample(fitting, min(random.randint(1, _MOST_PHRASES), len(fitting))):
        text = _whole(old).sub(new, text, count=1)
    return " ".join(text.split())


@cache
def _whole(phrase: str) -> re.Pattern[str]:
    """A phrase as whole words: a detector is no *senseor*."""
    return re.compile(rf"\b{re.escape(phrase)}\b")


def add_signs(text: str, random: Random) -> str:
    """The same with reference signs after some of its longer words."""
    sign = random.randint(1, 30)
    found = []
    for word in text.split():
        found.append(word)
        if len(word) > 5 and word.isalpha() and random.random() < 0.12:
            sign += 2
            found.append(f"({sign})")
    return " ".join(found)


def list_features(subject: str, features: Sequence[str], random: Random) -> str:
    """A passage like a claim: the subject, and the features, most of them reworded."""
    told = [reword(text, random) if random.random() < 0.7 else text for text in features]
    named = subject if random.random() < 0.7 else "An arrangement"
    head = random.choice(_HEADS) + _OPEN_END.sub("", named)
    text = f"{head}{random.choice(_LINKS)}{random.choice(_BREAKS).join(told)}."
    return add_signs(text, random) if random.random() < 0.5 else text


def _list_cell(
    subject: str, feature: str, texts: Sequence[str], column: int, random: Random, *, disclosed: bool
) -> list[Cell]:
    passage = list_features(subject, texts, random)
    if len(passage.split()) > _LONGEST:
        return []
    asked = feature if random.random() < 0.5 else reword(feature, random)
    # A row of its own: the two lists of a feature are compared with each other and with its paragraphs.
    row, wording = -2 - column, "same" if disclosed else "near"
    return [Cell(subject, asked, passage, disclosed, wording, row=row, column=column)]


def _vary(chart: TrainingChart, cell: Cell, random: Random) -> Cell:
    drawn = random.random()
    if drawn < _JOINED:
        told = {*chart.disclosing[cell.column], *chart.near[cell.column], cell.row}
        rest = [text for row, text in enumerate(chart.paragraphs) if row not in told]
        parts = [cell.passage, random.choice(rest)] if rest else [cell.passage]
        random.shuffle(parts)
        joined = " ".join(parts)
        if len(joined.split()) <= _LONGEST:
            return replace(cell, passage=joined, terms=())
    elif drawn < _JOINED + _REWORDED:
        # Without terms: their places are those of the words as they were written.
        return replace(cell, feature=reword(cell.feature, random), terms=())
    elif drawn < _JOINED + _REWORDED + _SIGNED:
        return replace(cell, feature=add_signs(cell.feature, random), terms=())
    return cell
