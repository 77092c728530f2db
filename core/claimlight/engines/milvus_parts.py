"""Parts as Milvus stores them, and filters as it reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.index.backend import (
    PART_BITS,
    UNDATED,
    DocumentFacts,
    Found,
    Ids,
    Leg,
    PartBatch,
    PartFilter,
)

_ROWS = 1_000
"""Parts in one request: some 2 MB."""
_MOST_CLASSES, _LONGEST_CLASS = 4_096, 64
_PART = "part"


def make_fields(client: Any, description: str, legs: Sequence[Leg], dim: int) -> Any:
    """The fields of a collection whose parts have the vectors of some legs."""
    from pymilvus import DataType

    made = client.create_schema(auto_id=False, enable_dynamic_field=False, description=description)
    made.add_field(_PART, DataType.INT64, is_primary=True)
    for name in ("document", "published", "family"):
        made.add_field(name, DataType.INT64)
    made.add_field(
        "classes",
        DataType.ARRAY,
        element_type=DataType.VARCHAR,
        max_capacity=_MOST_CLASSES,
        max_length=_LONGEST_CLASS,
    )
    made.add_field("claims", DataType.BOOL)
    for leg in legs:
        if leg is Leg.DENSE:
            made.add_field(leg.value, DataType.FLOAT_VECTOR, dim=dim)
        else:
            made.add_field(leg.value, DataType.SPARSE_FLOAT_VECTOR)
    return made


def section_rows(batch: PartBatch) -> Iterator[dict[str, Any]]:
    """The sections of a batch, by field."""
    sections, facts = batch.sections, _Facts(batch)
    given = zip(sections.parts.tolist(), sections.claims.tolist(), sections.vectors, strict=True)
    for part, claims, vector in given:
        yield {**facts.of(part), _PART: part, "claims": claims, Leg.DENSE.value: vector}


def passage_rows(batch: PartBatch) -> Iterator[dict[str, Any]]:
    """The passage pieces of a batch, by field."""
    passages, facts = batch.passages, _Facts(batch)
    for row, (part, claims) in enumerate(zip(passages.parts.tolist(), passages.claims.tolist(), strict=True)):
        yield {
            **facts.of(part),
            _PART: part,
            "claims": claims,
            Leg.CENTERS.value: _as_dictionary(*passages.centers.row(row)),
            Leg.WORDS.value: _as_dictionary(*passages.words.row(row)),
        }


class _Facts:
    """The fields of a part that are those of its document."""

    def __init__(self, batch: PartBatch) -> None:
        self._facts = batch.facts

    def of(self, part: int) -> dict[str, Any]:
        document = part >> PART_BITS
        facts: DocumentFacts = self._facts[document]
        return {
            "document": document,
            "published": facts.published,
            "family": facts.family,
            "classes": list(facts.classes),
        }


def _as_dictionary(indices: Ids, values: NDArray[np.float32]) -> dict[int, float]:
    return dict(zip(indices.tolist(), values.tolist(), strict=True))


def in_blocks(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Rows as many as a request takes."""
    block: list[dict[str, Any]] = []
    for row in rows:
        block.append(row)
        if len(block) == _ROWS:
            yield block
            block = []
    if block:
        yield block


def is_impossible(allowed: PartFilter) -> bool:
    """Whether a filter names no document, which Milvus does not read."""
    return allowed.documents is not None and not len(allowed.documents)


def express(allowed: PartFilter) -> str:
    """A filter in the language of Milvus; values are written out, as Milvus Lite knows no templates."""
    conditions = []
    if allowed.before:
        conditions.append(f"published > {UNDATED} and published < {allowed.before}")
    if allowed.classes:
        conditions.append(f"array_contains_any(classes, {json.dumps(list(allowed.classes))})")
    if allowed.without_families:
        conditions.append(is_in("family not", allowed.without_families))
    if allowed.documents is not None:
        conditions.append(is_in("document", allowed.documents.tolist()))
    if allowed.without is not None and len(allowed.without):
        conditions.append(is_in("document not", allowed.without.tolist()))
    if allowed.claims:
        conditions.append("claims == true")
    return " and ".join(f"({each})" for each in conditions)


def is_in(name: str, numbers: Sequence[int]) -> str:
    """The condition that a field has one of some numbers."""
    return f"{name} in [{','.join(map(str, numbers))}]"


def read_found(parts: Sequence[int], scores: Sequence[float]) -> Found:
    """Hits in the order of the port, which Milvus does not promise for equal scores."""
    ids, worth = np.array(parts, dtype=np.int64), np.array(scores, dtype=np.float64)
    order = np.lexsort((ids, -worth))
    return Found(ids[order], worth[order])
