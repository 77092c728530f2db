"""Compiling kernels with numba, at their first call: what `claimlight.index.jit` takes where it is installed.

Machine code is cached beside the source, or in the user's cache folder if that is read-only, so a kernel is
compiled once per machine. The cache is optional: without a writable folder, with a full disk or a damaged
cache file, a kernel is compiled in memory.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.caching import FunctionCache
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

_F = TypeVar("_F", bound=Callable[..., Any])


class _Cache(FunctionCache):  # type: ignore[misc]
    """numba's cache, ignoring its I/O errors: kernels work without it."""

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            return

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        # What reading a cache file raises that is cut short, damaged or of another numba.
        except (OSError, EOFError, ValueError, KeyError, pickle.UnpicklingError):
            return None


def kernel(function: _F) -> _F:
    """Compile a loop over arrays; it releases the GIL and does not check bounds."""
    # No fastmath: reordered additions would change the last bit of a score.
    return _attach_cache(numba.njit(nogil=True, boundscheck=False)(function), function)


def kernel_of_maxima(function: _F) -> _F:
    """As `kernel`, for maxima of numbers that are never NaN, which LLVM can then vectorise."""
    return _attach_cache(
        numba.njit(nogil=True, boundscheck=False, fastmath={"nnan", "nsz"})(function), function
    )


def _attach_cache(compiled: Any, function: _F) -> _F:
    # Not `njit(cache=True)`, whose cache lets I/O errors end the search.
    # numba raises RuntimeError if it finds no writable folder for the cache.
    with suppress(RuntimeError):
        compiled._cache = _Cache(function)
    return compiled  # type: ignore[no-any-return]


@intrinsic  # type: ignore[untyped-decorator]
def claim_next(_context: Any, counter: Any) -> Any:
    """``claim_next(counter)``, int64 [1]: atomically take the next number; no two threads get the same."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = make_array(signature.args[0])(context, builder, arguments[0]).data
        # Monotonic is enough: the number is all that threads learn from each other here.
        return builder.atomic_rmw("add", place, context.get_constant(types.int64, 1), "monotonic")

    return types.int64(counter), code


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(_context: Any, array: Any, place: Any) -> Any:
    """``prefetch(array, place)``: start loading an element into the cache without waiting for it."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        at = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        number = ir.IntType(32)
        wanted = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], wanted)
        # Arguments of llvm.prefetch: for reading (0), high temporal locality (3), data cache (1).
        builder.call(function, [at, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, place), code
