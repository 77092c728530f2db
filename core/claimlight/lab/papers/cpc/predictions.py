"""Files of predicted classes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimlight.errors import InputError
from claimlight.evaluation.classification.documents import json_lines, strings
from claimlight.lab.papers.cpc.levels import Level, read_levels


@dataclass(frozen=True, slots=True)
class Prediction:
    """Predicted and true labels of one document."""

    name: str
    given: frozenset[str]
    labels: frozenset[str] | None
    """True labels; None if the file has none."""
    level: Level | None = None
    """Level of the prediction; None if symbols count at every level."""


def read_predictions(path: Path, *, cut: float = 0.5) -> tuple[Prediction, ...]:
    """Predictions of a file of JSON lines, gzipped or not.

    ``{"_id": …, "predicted": ["A61B", …]}``, or with scores, ``{"A61B": 0.9, …}``, of which those of ``cut``
    and above count; ``labels`` where the file holds the truth as well; ``level`` (section, class, subclass,
    main-group, subgroup) where a row is of one level only. A symbol of no class is an `InputError` with the
    line.
    """
    rows: list[Prediction] = []
    seen: set[tuple[str, Level | None]] = set()
    for number, row in json_lines(path):
        found = _prediction(row, f"{path}, line {number}", cut)
        key = (found.name, found.level)
        if key in seen:
            raise InputError(f"{path}, line {number}: {found.name} was predicted before at this level.")
        seen.add(key)
        rows.append(found)
    if not rows:
        raise InputError(f"{path} holds no prediction.")
    return tuple(rows)


def write_predictions(rows: Iterable[Prediction], path: Path) -> None:
    """As `read_predictions` reads them."""
    with path.open("w", encoding="utf-8") as stream:
        for row in rows:
            body: dict[str, Any] = {"_id": row.name, "predicted": sorted(row.given)}
            if row.labels is not None:
                body["labels"] = sorted(row.labels)
            if row.level is not None:
                body["level"] = row.level.value
            stream.write(json.dumps(body, ensure_ascii=False) + "\n")


def at_level(
    rows: Sequence[Prediction], level: Level, truth: Mapping[str, Sequence[str]]
) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """What documents have and what they were given at a level; those that have nothing there are left out.

    ``truth`` has the symbols of documents that the file of predictions says nothing of.
    """
    has: list[frozenset[str]] = []
    given: list[frozenset[str]] = []
    for row in rows:
        if row.level not in (None, level):
            continue
        symbols = row.labels if row.labels is not None else truth.get(row.name, ())
        labels = level.labels(symbols)
        if labels:
            has.append(labels)
            given.append(level.labels(row.given))
    return has, given


def _prediction(row: dict[str, Any], place: str, cut: float) -> Prediction:
    name = row.get("_id")
    if not isinstance(name, str) or not name:
        raise InputError(f'{place}: the prediction has no "_id".')
    labels = row.get("labels")
    given = _read_answers(row.get("predicted"), place, cut)
    return Prediction(
        name, given, None if labels is None else _symbols(labels, "labels", place), _level(row, place)
    )


def _read_answers(value: Any, place: str, cut: float) -> frozenset[str]:
    if not isinstance(value, dict):
        return _symbols(value, "predicted", place)
    for symbol, score in value.items():
        # Python's JSON reads NaN, which compares with nothing.
        if isinstance(score, bool) or not isinstance(score, int | float) or math.isnan(score):
            raise InputError(f"{place}: the score of {symbol} is no number.")
    symbols = _symbols(list(value), "predicted", place)
    return frozenset(symbol for symbol in symbols if value[symbol] >= cut)


def _symbols(value: Any, key: str, place: str) -> frozenset[str]:
    found = strings(value)
    if found is None:
        raise InputError(f'{place}: "{key}" must be a list of symbols such as "A61B".')
    for symbol in found:
        if read_levels(symbol) is None:
            raise InputError(f'{place}: {symbol!r} under "{key}" is no symbol of CPC or IPC.')
    return frozenset(found)


def _level(row: dict[str, Any], place: str) -> Level | None:
    value = row.get("level")
    if value is None:
        return None
    try:
        return Level(value)
    except ValueError as error:
        raise InputError(f"{place}: {value!r} is no level; there are {', '.join(Level)}.") from error
