"""One ONNX Runtime session, on the requested device or on the CPU, with the reason."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders.host_memory import HostMemory
from claimlight.encoders.package_files import Role
from claimlight.errors import ResourceError
from claimlight.machine import usable_cores

if TYPE_CHECKING:
    import onnxruntime

WHOLE_NUMBERS = "whole_numbers"
"""Boolean input [1] of graphs with an int8 branch, which is fast on CPUs only; see
`claimlight.training.export.int8_products`."""
_CPU = "CPUExecutionProvider"
_CUDA = "CUDAExecutionProvider"
_SLOW_ON_CPU = ("SkipLayerNormFusion",)
"""Graph optimisations whose fused operator is slower on a CPU than the original nodes."""
# ONNX Runtime reports a lack of memory only in the words of its error.
_MEMORY_WORDS = (
    "allocate memory",
    "out of memory",
    "bad_alloc",
    "bad allocation",
    "cuda_error_out_of_memory",
)

NO_RUNTIME = (
    "ONNX Runtime, which runs the models, is not installed: install claimlight[cpu], "
    "or claimlight[gpu] for a graphics card."
)


class OutOfMemory(Exception):  # noqa: N818 - a condition the encoder handles, not an error of the tree
    """The batch did not fit into memory."""


class Session:
    """Runs the model; falls back to the CPU if the GPU fails."""

    def __init__(
        self,
        model: bytes,
        *,
        device: str = "auto",
        threads: int = 0,
        output: str = "tokens",
        role: Role = Role.ENCODER,
    ) -> None:
        """``output`` is the output of the graph that `run` returns; ``role`` is for messages."""
        self._model = model
        self._output = output
        self._role = role
        self._threads = threads or usable_cores()
        self._lock = threading.Lock()
        self._memory = HostMemory()
        self.note = ""
        self.device = "cpu"
        self._session = self._opened(device)
        self.inputs = frozenset(item.name for item in self._session.get_inputs())
        """Names of the inputs of the graph."""

    def run(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """Run a batch; token vectors [batch, length, dim], or the other output named at construction.

        Results of a GPU are in a buffer that the next run in the same thread overwrites.
        """
        found: NDArray[np.float32] = self._attempt({"input_ids": ids, "attention_mask": mask}, self._tokens)
        return found

    def compute(
        self, inputs: Mapping[str, NDArray[np.int64]], outputs: Sequence[str]
    ) -> list[NDArray[np.float32]]:
        """Run a batch of named ``inputs`` [batch, …]; the named ``outputs`` of the graph, which are small."""

        def small(session: onnxruntime.InferenceSession, given: dict[str, NDArray[Any]]) -> list[Any]:
            return [np.asarray(value, dtype=np.float32) for value in session.run(list(outputs), given)]

        return list(self._attempt(inputs, small))

    def _attempt(self, given: Mapping[str, NDArray[np.int64]], work: Callable[..., Any]) -> Any:
        session, device = self._session, self.device
        inputs: dict[str, NDArray[Any]] = dict(given)
        if WHOLE_NUMBERS in self.inputs:
            inputs[WHOLE_NUMBERS] = np.array([device == "cpu"])
        try:
            return work(session, inputs)
        except Exception as error:
            # onnxruntime's errors share no base class but Exception; every path below raises or retries.
            # A smaller batch first, on a card too: only a single text that does not fit leaves the card.
            if _is_memory(error) and len(given["input_ids"]) > 1:
                raise OutOfMemory from error
            if device != "cpu":
                self._leave_gpu(error)
                return self._attempt(given, work)
            if _is_memory(error):
                raise OutOfMemory from error
            raise ResourceError(f"the {self._role} failed: {error}") from error

    def _tokens(
        self, session: onnxruntime.InferenceSession, inputs: dict[str, NDArray[Any]]
    ) -> NDArray[np.float32]:
        if self.device != "cpu":
            return self._bound(session, inputs)
        (tokens,) = session.run([self._output], inputs)
        found: NDArray[np.float32] = tokens
        return found

    def _bound(
        self, session: onnxruntime.InferenceSession, inputs: dict[str, NDArray[Any]]
    ) -> NDArray[np.float32]:
        """As `_tokens`, with the GPU writing into a reused host buffer."""
        binding = session.io_binding()
        for name, values in inputs.items():
            binding.bind_cpu_input(name, np.ascontiguousarray(values))
        given = next(item for item in session.get_outputs() if item.name == self._output)
        rows, length = inputs["input_ids"].shape
        # The graph names its free dimensions: the batch and, for token outputs, the length.
        shape = [rows, *([length] if len(given.shape) > 2 else []), given.shape[-1]]
        if not all(isinstance(size, int) for size in shape):
            # A graph with a free last dimension: ONNX Runtime allocates the output, at the cost of a copy.
            binding.bind_output(self._output)
            session.run_with_iobinding(binding)
            (copied,) = binding.copy_outputs_to_cpu()
            return np.asarray(copied, dtype=np.float32)
        kind = np.float16 if given.type == "tensor(float16)" else np.float32
        found = self._memory.take(shape, kind)
        binding.bind_output(self._output, "cpu", 0, kind, shape, found.ctypes.data)
        session.run_with_iobinding(binding)
        return found.astype(np.float32, copy=False)

    def _opened(self, device: str) -> onnxruntime.InferenceSession:
        try:
            import onnxruntime
        except ModuleNotFoundError as error:
            raise ResourceError(NO_RUNTIME) from error
        there = _CUDA in onnxruntime.get_available_providers()
        if device == "cuda" and not there:
            self.note = (
                "The graphics card was requested, but this installation has no CUDA support; "
                f"the {self._role} runs on the processor. To use the card, install claimlight[gpu]."
            )
        if device != "cpu" and there:
            session = self._created([_CUDA, _CPU])
            if session.get_providers()[0] == _CUDA:
                self.device = "cuda"
                return session
            self.note = (
                "The graphics card can't be used (driver or CUDA libraries are missing); "
                f"the {self._role} runs on the processor."
            )
        # Never the session that was meant for a card: the processor has optimizations of its own.
        return self._created([_CPU])

    def _created(self, providers: list[str]) -> onnxruntime.InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        # Fatal errors only: all others are raised, or stated in `note`.
        options.log_severity_level = 4
        # ONNX Runtime caches a memory plan per input shape; with free lengths these only accumulate.
        options.enable_mem_pattern = False
        # Dequantise 8-bit weights once, when the session is created, not in every pass.
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        if _CUDA in providers:
            # A library that a card needs and that is missing is not the session's to report.
            onnxruntime.set_default_logger_severity(4)
        try:
            with warnings.catch_warnings():
                # A provider that fails to start is reported by `note` instead.
                warnings.simplefilter("ignore", UserWarning)
                # Explicit, because the standard wheel would also enable a network provider.
                return onnxruntime.InferenceSession(
                    self._model,
                    options,
                    providers=providers,
                    disabled_optimizers=_SLOW_ON_CPU if providers == [_CPU] else None,
                )
        except Exception as error:
            # No common base class, as above. The fault is the file's or the system's, not a bug.
            raise ResourceError(f"the model can't be loaded: {error}") from error

    def _leave_gpu(self, error: Exception) -> None:
        with self._lock:
            # Another thread left the card while this one waited for the lock.
            if self.device == "cpu":
                return
            self._session = self._created([_CPU])
            self.device = "cpu"
            self.note = (
                f"The graphics card failed ({_first_line(error)}); the {self._role} continues on the "
                "processor."
            )


def _is_memory(error: Exception) -> bool:
    message = str(error).lower()
    return isinstance(error, MemoryError) or any(word in message for word in _MEMORY_WORDS)


def _first_line(error: Any) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:160] if lines else type(error).__name__
