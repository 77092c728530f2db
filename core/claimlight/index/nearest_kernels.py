"""Compiled loops of the exact nearest-neighbour search (`claimlight.index.nearest`): nothing but arithmetic.

A separate module because importing numba takes a second: callers import it inside functions. Every loop
releases the GIL and none starts threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.index.jit import kernel

CHUNK = 64
"""Columns per chunk: the sieve keeps one maximum per chunk, and skips chunks as a whole."""
ONE = np.int32(1 << 24)
"""A cosine of 1 in fixed point: LLVM vectorises the maximum of integers, but not of floats."""
_NOTHING = 1e-60
"""Squared lengths below this are too small to be normalised in fp32."""
NEVER = np.int32(-(1 << 30))
"""Fixed-point value below every cosine."""


@kernel
def _product(left: NDArray[Any], right: NDArray[Any]) -> float:
    """Dot product in fp64, always summed in the same order so that it is reproducible."""
    whole = len(left) // 4
    # Four partial sums, as many as a vector register holds: additions to a single one would depend on one
    # another and could not be vectorised.
    one = two = three = four = 0.0
    for step in range(whole):
        place = np.uint64(4 * step)
        one += np.float64(left[place]) * np.float64(right[place])
        two += np.float64(left[place + np.uint64(1)]) * np.float64(right[place + np.uint64(1)])
        three += np.float64(left[place + np.uint64(2)]) * np.float64(right[place + np.uint64(2)])
        four += np.float64(left[place + np.uint64(3)]) * np.float64(right[place + np.uint64(3)])
    total = (one + two) + (three + four)
    for rest in range(4 * whole, len(left)):
        total += np.float64(left[rest]) * np.float64(right[rest])
    return total


@kernel
def unit_rows(vectors: NDArray[np.float32], unit: NDArray[np.float32]) -> int:
    """Normalise rows to unit length; returns -1, or the first row that is zero or not finite."""
    for row in range(len(vectors)):
        square = _product(vectors[row], vectors[row])
        if not (square > _NOTHING and square < np.inf):
            return row
        scale = np.float32(1.0 / np.sqrt(square))
        for place in range(vectors.shape[1]):
            unit[row, place] = vectors[row, place] * scale
    return -1


@kernel
def seven_bits(
    unit: NDArray[np.float32],
    codes: NDArray[np.uint8],
    step: NDArray[np.float32],
    slack: NDArray[np.float32],
    margin: float,
) -> None:
    """Round unit rows to multiples (-63 to 63) of ``step`` [m]; ``codes`` are these multiples + 64.

    ``slack`` [m] is the length of the rounding error plus ``margin``: by Cauchy-Schwarz a bound of the error
    of every product with a unit vector.
    """
    for row in range(len(unit)):
        # A loop of its own: numba's `max` calls its run-time library, which compiled kernels do without.
        most = np.float32(0.0)
        for place in range(unit.shape[1]):
            most = max(most, np.float32(abs(unit[row, place])))
        width = most / np.float32(63.0)
        inverse = np.float32(1.0) / width
        left = 0.0
        for place in range(unit.shape[1]):
            level = np.rint(unit[row, place] * inverse)
            codes[row, place] = np.uint8(np.int32(level) + 64)
            rest = np.float64(unit[row, place]) - np.float64(width) * np.float64(level)
            left += rest * rest
        step[row] = width
        # Slightly more than the length: rounding to fp32 must not make the bound too small.
        slack[row] = np.float32(np.sqrt(left) * 1.000001 + margin)


@kernel
def sieve(
    products: NDArray[np.int32],
    shift: NDArray[np.int32],
    scale: NDArray[np.float32],
    limit: NDArray[np.int32],
    width: np.float32,
    slack: np.int32,
    about: NDArray[np.int32],
    possible: NDArray[np.int32],
    sure: NDArray[np.int32],
) -> None:
    """Estimate every cosine; for each chunk, the largest that may reach and that must reach its limit.

    ``about`` [V] are the estimates in fixed point, `NEVER` if the limit is out of reach; ``possible`` and
    ``sure`` [chunks] are the maxima.
    """
    count = len(products)
    for place in range(count):
        # Two of int32 make int64 in numba, which halves the width of the vectors: hence the casts.
        value = np.int32(np.float32(np.int32(products[place] - shift[place])) * scale[place] * width)
        about[place] = value if np.int32(value + slack) >= limit[place] else NEVER
    for chunk in range(len(sure)):
        first = np.uint64(chunk * CHUNK)
        most = least = NEVER
        for place in range(first, np.uint64(min(chunk * CHUNK + CHUNK, count))):
            value = about[place]
            must = value if np.int32(value - slack) >= limit[place] else NEVER
            most = value if value > most else most
            least = must if must > least else least
        possible[chunk] = most
        sure[chunk] = least


@kernel
def nth_largest(values: NDArray[np.int32], best: NDArray[np.int32]) -> np.int32:
    """The ``len(best)``-th largest value; `NEVER` if there are fewer. ``best`` is scratch space."""
    best[:] = NEVER
    last = len(best) - 1
    for value in values:
        if value > best[last]:
            place = last
            while place > 0 and best[place - 1] < value:
                best[place] = best[place - 1]
                place -= 1
            best[place] = value
    found: np.int32 = best[last]
    return found


@kernel
def _insert(
    found: NDArray[np.int32], cosine: NDArray[np.float64], kept: int, place: int, exact: float
) -> int:
    """Insert a column into the ``kept`` best of a row, after equal ones; returns the new number."""
    kept = min(kept + 1, len(found))
    slot = kept - 1
    while slot > 0 and cosine[slot - 1] < exact:
        cosine[slot] = cosine[slot - 1]
        found[slot] = found[slot - 1]
        slot -= 1
    cosine[slot] = exact
    found[slot] = place
    return kept


@kernel
def best_inside(
    products: NDArray[np.int32],
    shift: NDArray[np.int32],
    scale: NDArray[np.float32],
    limit: NDArray[np.int32],
    step: NDArray[np.float32],
    slack: NDArray[np.float32],
    unit: NDArray[np.float32],
    vectors: NDArray[np.float32],
    exact_limit: NDArray[np.float64],
    found: NDArray[np.int32],
    cosine: NDArray[np.float64],
    counts: NDArray[np.int64],
) -> int:
    """Find the best ``found.shape[1]`` columns of each row whose cosine reaches the limit; exact.

    ``products`` [m, V] are those of the 7-bit rows with the 8-bit columns; ``(products - shift) * scale *
    step`` is within ``slack`` of the cosine. Undecided cosines are computed in fp64 from ``unit`` and
    ``vectors``. Best first, ties by lower column. Returns the number of fp64 products.
    """
    count, top = products.shape[1], found.shape[1]
    chunks = (count + CHUNK - 1) // CHUNK
    about = np.empty(count, dtype=np.int32)
    possible = np.empty(chunks, dtype=np.int32)
    sure = np.empty(chunks, dtype=np.int32)
    scratch = np.empty(min(top, chunks), dtype=np.int32)
    # All columns fit, so nothing is displaced: sort once at the end.
    everything = top >= count
    computed = 0
    for row in range(len(products)):
        wide = np.int32(np.ceil(slack[row] * np.float64(ONE)))
        width = step[row] * np.float32(ONE)
        sieve(products[row], shift, scale, limit, width, wide, about, possible, sure)
        floor = np.int64(NEVER) + 1
        # As many chunks surely hold a column each. Its estimate may be too high by `wide`, another's too low.
        if top <= chunks:
            floor = max(floor, np.int64(nth_largest(sure, scratch)) - 2 * np.int64(wide))
        kept = 0
        for chunk in range(chunks):
            if possible[chunk] < floor:
                continue
            for place in range(chunk * CHUNK, min(chunk * CHUNK + CHUNK, count)):
                if about[place] < floor:
                    continue
                # Can't displace the worst of the kept ones.
                if kept == top and about[place] + wide < cosine[row, top - 1] * ONE:
                    continue
                computed += 1
                exact = _product(unit[row], vectors[place])
                if exact < exact_limit[place] or (kept == top and exact <= cosine[row, top - 1]):
                    continue
                if everything:
                    found[row, kept], cosine[row, kept] = place, exact
                    kept += 1
                else:
                    kept = _insert(found[row], cosine[row], kept, place, exact)
        counts[row] = kept
        if everything:
            # Stable: of equal cosines the lower column stays first.
            order = np.argsort(-cosine[row, :kept], kind="mergesort")
            cosine[row, :kept] = cosine[row, :kept][order]
            found[row, :kept] = found[row, :kept][order]
    return computed


@kernel
def settle(
    values: NDArray[np.float32],
    columns: NDArray[np.int64],
    unit: NDArray[np.float32],
    vectors: NDArray[np.float32],
    exact_limit: NDArray[np.float64],
    found: NDArray[np.int32],
    cosine: NDArray[np.float64],
    counts: NDArray[np.int64],
    complete: NDArray[np.bool_],
    margin: float,
) -> None:
    """Find the best of each row among ``columns`` [m, n], whose fp32 cosines ``values`` [m, n] descend.

    ``complete`` [m] is whether no other column can be among the best: the list ended early (value -2), or its
    last value is lower than the worst result by more than the rounding error.
    """
    top, count = found.shape[1], values.shape[1]
    for row in range(len(values)):
        kept = 0
        # Ascending: `_insert` keeps the first of equal cosines, which is then the lower column.
        listed = np.sort(columns[row])
        for place in listed:
            exact = _product(unit[row], vectors[place])
            if exact < exact_limit[place] or (kept == top and exact <= cosine[row, top - 1]):
                continue
            kept = _insert(found[row], cosine[row], kept, place, exact)
        counts[row] = kept
        last = np.float64(values[row, count - 1])
        ended = last < -1.5 or count == len(vectors)
        complete[row] = ended or (kept == top and last + 2.0 * margin < cosine[row, top - 1])
