"""What the center index is measured against: a sparse matrix product, Seismic and impact-index."""

from __future__ import annotations

import multiprocessing
import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import numpy as np

from bench.center_data import Asked, Lists

GRID = ((3500, 15), (6000, 15), (12000, 15))
"""Seismic: postings kept for each center on average, and entries of a passage that clusters look at."""
FIXED = {"centroid_fraction": 0.1, "min_cluster_size": 2, "summary_energy": 0.4, "max_fraction": 1.5}
CUTS = (10, 15, 20, 25, 30, 40, 60, 120)
HEAP_FACTORS = (0.8, 0.9, 1.0)
_STEP = 1 << 16


class Product:
    """``CSC[:, centers] @ weights``, the length norm in the matrix: the baseline; and the exact scores."""

    def __init__(self, lists: Lists, norms: np.ndarray) -> None:
        from scipy.sparse import csc_matrix

        count = np.bincount(lists.center, minlength=lists.centers)
        offsets = np.concatenate([[0], np.cumsum(count)])
        rows, codes = np.empty(offsets[-1], dtype=np.int32), np.empty(offsets[-1], dtype=np.uint8)
        written = offsets[:-1].copy()
        for start in range(0, len(lists), _STEP):
            bounds = lists.offsets[start : start + _STEP + 1]
            center, code = lists.center[bounds[0] : bounds[-1]], lists.code[bounds[0] : bounds[-1]]
            row = np.repeat(np.arange(start, start + len(bounds) - 1, dtype=np.int32), np.diff(bounds))
            order = np.argsort(center, kind="stable")
            here = np.bincount(center, minlength=lists.centers)
            at = np.repeat(written - np.cumsum(here) + here, here) + np.arange(len(center))
            rows[at], codes[at] = row[order], code[order]
            written += here
        data = codes / np.float32(255) / norms.astype(np.float32)[rows]
        self.matrix = csc_matrix((data, rows, offsets), shape=(len(lists), lists.centers))
        self._rows, self._codes, self._offsets, self._norms = rows, codes, offsets, norms

    def best(self, centers: np.ndarray, weights: np.ndarray, k: int) -> np.ndarray:
        """Rows of the best ``k``, in no order, in single precision."""
        scores = self.matrix[:, centers] @ weights
        return np.argpartition(scores, len(scores) - k)[-k:]

    def exact(self, centers: np.ndarray, worth: np.ndarray) -> np.ndarray:
        """[P] scores in double precision, added center by center."""
        scores = np.zeros(len(self._norms))
        for center, table in zip(centers, worth, strict=True):
            window = slice(self._offsets[center], self._offsets[center + 1])
            scores[self._rows[window]] += table[self._codes[window]]
        return scores / self._norms


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to run Seismic, and how it fared."""

    postings: int
    doc_cut: int
    query_cut: int
    heap_factor: float
    build_seconds: float
    recall: float
    median: float


def build_seismic(lists: Lists, norms: np.ndarray, folder: Path) -> list[tuple[int, int, float, Path]]:
    """An index for each row of `GRID`, built in a process of its own; those that could be built."""
    made: list[tuple[int, int, float, Path]] = []
    if find_spec("seismic") is None:
        print("Seismic is left out: `pip install pyseismic-lsr` to compare with it.", file=sys.stderr)
        return made
    for postings, cut in GRID:
        path = folder / f"seismic-{postings}-{cut}"
        begin = perf_counter()
        child = multiprocessing.get_context("fork").Process(
            target=_seismic, args=(lists, norms, path, postings, cut)
        )
        child.start()
        child.join()
        if child.exitcode == 0:
            (file,) = folder.glob(f"{path.name}*")
            made.append((postings, cut, perf_counter() - begin, file))
    return made


def _seismic(lists: Lists, norms: np.ndarray, path: Path, postings: int, cut: int) -> None:
    import seismic

    os.dup2(2, 1)  # it tells of its progress, and what is printed here is JSON
    data = seismic.SeismicDataset(lists.centers)
    for start in range(0, len(lists), _STEP):
        bounds = lists.offsets[start : start + _STEP + 1]
        window = slice(bounds[0], bounds[-1])
        rows = np.arange(start, start + len(bounds) - 1)
        values = lists.code[window] / 255 / np.repeat(norms[rows], np.diff(bounds))
        data.add_documents_by_id(
            [str(row) for row in rows],
            lists.center[window].astype(np.int64),
            values.astype(np.float32),
            bounds - bounds[0],
        )
    index = seismic.SeismicIndex.build_from_dataset(data, n_postings=postings, doc_cut=cut, **FIXED)
    index.save(str(path))


class Seismic:
    """A built index."""

    def __init__(self, path: Path) -> None:
        import seismic

        self._index = seismic.SeismicIndex.load(str(path))
        self._kind = seismic.get_seismic_string()

    def names(self, centers: np.ndarray) -> np.ndarray:
        """Centers as Seismic wants them; not part of a query's time."""
        return np.array([str(center) for center in centers], dtype=self._kind)

    def best(self, names: np.ndarray, weights: np.ndarray, k: int, cut: int, heap: float) -> list[int]:
        found = self._index.search("q", names, weights, k, cut, heap)
        return [int(item[2]) for item in found]


def tune(
    index: Seismic,
    asked: list[Asked],
    truth: list[set[int]],
    *,
    k: int,
    postings: int,
    doc_cut: int,
    seconds: float,
) -> list[Setting]:
    """Recall and median time of every query setting; a heap factor is tried only where the cut allows it."""
    rows = []
    names = [index.names(item.centers) for item in asked]
    for cut in CUTS:
        for heap in HEAP_FACTORS:
            times, recalls = [], []
            for item, name, true in zip(asked, names, truth, strict=True):
                begin = perf_counter()
                found = index.best(name, item.weights, k, cut, heap)
                times.append(perf_counter() - begin)
                recalls.append(len(true.intersection(found)) / len(true))
            recall, median = float(np.mean(recalls)), float(np.median(times))
            rows.append(Setting(postings, doc_cut, cut, heap, seconds, recall, median))
        if max(row.recall for row in rows[-len(HEAP_FACTORS) :]) >= 0.998:
            break
    return rows


def impact_index(lists: Lists, norms: np.ndarray, asked: list[Asked], *, k: int, folder: Path) -> list[float]:
    """Seconds of each query by impact-index's MaxScore over its 8-bit compressed index."""
    import impact_index as package

    builder = package.IndexBuilder(str(folder / "impact"))
    for row in range(len(lists)):
        window = slice(lists.offsets[row], lists.offsets[row + 1])
        values = (lists.code[window] / 255 / norms[row]).astype(np.float32)
        builder.add(row, lists.center[window].astype(np.uintp), values)
    index = builder.build(False).compress(str(folder / "impact-8"), nbits=8)
    times = []
    for item in asked:
        query = dict(zip(item.centers.tolist(), item.weights.tolist(), strict=True))
        begin = perf_counter()
        index.search_maxscore(query, k)
        times.append(perf_counter() - begin)
    return times
