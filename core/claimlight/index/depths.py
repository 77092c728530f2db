"""How much of its documents an index holds, from the small arrays of its segments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from claimlight.index import files
from claimlight.index.manifest import IndexManifest
from claimlight.index.segments import SegmentPart, SegmentRecord

_Ids = NDArray[np.int64]


def count_depths(folder: Path, manifest: IndexManifest, removed: Sequence[int] = ()) -> tuple[int, int]:
    """Number of live documents, and of those whose description is not indexed.

    ``folder`` is that of the generation; ``removed`` documents left the library after this commit.
    `ResourceError` if an array can't be read.
    """
    documents = 0
    begun: list[_Ids] = []
    described: list[_Ids] = []
    for item in manifest.segments:
        if item.part is SegmentPart.PASSAGES:
            continue
        ids = _load(folder, item, "document_ids").astype(np.int64)
        live = ~np.isin(ids, manifest.gone(item)) & ~np.isin(ids, removed)
        if item.part is SegmentPart.DESCRIPTION:
            described.append(ids[live])
            continue
        documents += int(live.sum())
        if item.part is SegmentPart.CLAIMS:
            begun.append(ids[live & (_load(folder, item, "document_rest") > 0)])
    none = np.empty(0, dtype=np.int64)
    left = ~np.isin(np.concatenate([none, *begun]), np.concatenate([none, *described]))
    return documents, int(left.sum())


def _load(folder: Path, item: SegmentRecord, name: str) -> _Ids:
    path = folder / item.name / f"{name}.npy"
    try:
        return np.asarray(np.load(path, allow_pickle=False))
    except (OSError, ValueError) as error:
        raise files.damage_error(path, str(error)) from error
