"""Exact nearest neighbours among many fixed vectors on a GPU, by a shipped ONNX graph (``resources/graphs``).

The GPU multiplies in fp32 (not TF32), applies the radius with a margin and returns a few more columns than
needed; the CPU then computes these cosines in fp64. Rows for which the extra columns may not suffice are left
to the CPU's sieve, so the result is the same on every device.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from claimlight import paths
from claimlight.errors import ResourceError
from claimlight.index.nearest import MARGIN, Nearest, Sieve

if TYPE_CHECKING:
    import onnxruntime

GRAPH = "activate.onnx"
_MORE = 8
"""Extra columns, for ties and cosines too close for fp32."""
_PRODUCTS = 1 << 26
"""Products computed at a time: 256 MB."""
_NOTHING = -1.5
"""Values below this mean that the graph found no further column (it returns -2)."""


class GpuSieve:
    """As `claimlight.index.nearest.Sieve`, on a GPU; falls back to the CPU if the GPU fails."""

    def __init__(
        self, quantised: NDArray[np.int8], vectors: NDArray[np.float32], *, device: str = "cuda"
    ) -> None:
        """``device`` of ONNX Runtime; raises `ResourceError` if it is not available."""
        self._quantised, self._vectors = quantised, vectors
        self._device = device
        self._lost = False
        self._session = _open_session(device)
        self._across = self._sent(np.ascontiguousarray(vectors.T))

    def best(
        self, rows: NDArray[np.float32], limits: NDArray[np.float64], top: int, *, threads: int = 0
    ) -> Nearest:
        """See `claimlight.index.nearest.Sieve.best`."""
        if self._lost:
            return self._fallback.best(rows, limits, top, threads=threads)
        try:
            return self._best(rows, limits, top, threads=threads)
        # The rows are at fault, not the card.
        except ValueError:
            raise
        except Exception:  # noqa: BLE001 - onnxruntime's errors share no base class
            self._lost = True
            return self._fallback.best(rows, limits, top, threads=threads)

    def _best(
        self, rows: NDArray[np.float32], limits: NDArray[np.float64], top: int, *, threads: int
    ) -> Nearest:
        found = Nearest(
            np.empty((len(rows), top), dtype=np.int32),
            np.empty((len(rows), top), dtype=np.float64),
            np.zeros(len(rows), dtype=np.int64),
        )
        # The card may let too many columns pass, never too few.
        lowered = self._sent((limits - MARGIN).astype(np.float32))
        size = max(1, _PRODUCTS // max(len(self._vectors), 1))
        for begin in range(0, len(rows), size):
            part = slice(begin, begin + size)
            target = Nearest(found.columns[part], found.cosines[part], found.counts[part])
            open_rows = self._block(rows[part], limits, lowered, target)
            if len(open_rows):
                rest = self._fallback.best(rows[part][open_rows], limits, top, threads=threads)
                target.columns[open_rows] = rest.columns
                target.cosines[open_rows] = rest.cosines
                target.counts[open_rows] = rest.counts
        return found

    @cached_property
    def _fallback(self) -> Sieve:
        return Sieve(self._quantised, self._vectors)

    def _block(
        self, rows: NDArray[np.float32], limits: NDArray[np.float64], lowered: Any, found: Nearest
    ) -> NDArray[np.intp]:
        """Fill ``found``; returns the rows whose result is not certain."""
        from claimlight.index import nearest_kernels

        unit = np.empty(rows.shape, dtype=np.float32)
        if nearest_kernels.unit_rows(np.ascontiguousarray(rows, dtype=np.float32), unit) >= 0:
            raise ValueError("a vector is zero or not finite")
        count = min(found.columns.shape[1] + _MORE, len(self._vectors))
        values, columns = self._run(unit, lowered, count)
        complete = np.zeros(len(rows), dtype=np.bool_)
        nearest_kernels.settle(
            values, columns, unit, self._vectors, limits, found.columns, found.cosines, found.counts,
            complete, MARGIN,
        )  # fmt: skip
        return np.flatnonzero(~complete)

    def _run(
        self, unit: NDArray[np.float32], lowered: Any, count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        binding = self._session.io_binding()
        binding.bind_cpu_input("rows", unit)
        binding.bind_cpu_input("count", np.array([count], dtype=np.int64))
        binding.bind_ortvalue_input("across", self._across)
        binding.bind_ortvalue_input("limits", lowered)
        binding.bind_output("values")
        binding.bind_output("columns")
        self._session.run_with_iobinding(binding)
        values, columns = binding.copy_outputs_to_cpu()
        return values, columns

    def _sent(self, array: NDArray[Any]) -> Any:
        import onnxruntime

        return onnxruntime.OrtValue.ortvalue_from_numpy(array, self._device, 0)


def _open_session(device: str) -> onnxruntime.InferenceSession:
    import onnxruntime

    providers: dict[str, list[Any]] = {
        "cpu": ["CPUExecutionProvider"],
        # TF32 keeps ten bits of a factor's mantissa, far coarser than MARGIN.
        "cuda": [("CUDAExecutionProvider", {"use_tf32": "0"}), "CPUExecutionProvider"],
    }
    wanted = providers[device]
    first = wanted[0] if isinstance(wanted[0], str) else wanted[0][0]
    if first not in onnxruntime.get_available_providers():
        raise ResourceError(f"this installation of ONNX Runtime has no {first}")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # A library that is missing is reported by the runtime, not by the session.
    onnxruntime.set_default_logger_severity(4)
    session = onnxruntime.InferenceSession(paths.resources() / "graphs" / GRAPH, options, providers=wanted)
    if session.get_providers()[0] != first:
        raise ResourceError(f"ONNX Runtime could not start {first}")
    return session
