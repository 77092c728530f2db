"""Kernels that were compiled when the program was built: machine code for two kinds of processor.

``installer/bundle/kernels.py`` compiles the functions that `claimlight.index.jit` decorates, with numba, into
one library for each level of instructions, and lists in `TABLE` what each of them takes and returns. Here the
best level that this processor has is loaded. A call releases the GIL, as one of numba's does, and takes some
microseconds more.
"""

from __future__ import annotations

import ctypes
import json
import pickle
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import BugError, ResourceError
from claimlight.machine import instructions

_F = TypeVar("_F", bound=Callable[..., Any])

FOLDER = Path(__file__).with_name("kernels")
TABLE = "kernels.json"
LEVELS = {"x86-64-v3": "X86_V3", "x86-64-v2": ""}
"""Levels of instructions of x86-64, the best first, and the names that numpy has for them.

There is nothing below the second: numpy itself does not start without it.
"""
_SUFFIX = ".dll" if sys.platform == "win32" else ".so"
_WIDE = "q"
"""A number, an address or a length: one slot of 64 bits each."""
_CODES = {"i8": _WIDE, "f8": "d", "f4": "f4x"}


class _Failure(ctypes.Structure):
    """What numba leaves of an exception; of its messages only those that are constant."""

    _fields_ = (
        ("pickled", ctypes.c_void_p),
        ("size", ctypes.c_int32),
        ("_hash", ctypes.c_void_p),
        ("_unwrap", ctypes.c_void_p),
        ("computed", ctypes.c_int32),
    )


class _Memory:
    """Memory that a kernel allocated, as numpy takes it; released with the last array that uses it."""

    __slots__ = ("__array_interface__", "_block", "_release")

    def __init__(self, release: Callable[[int], None], block: int, place: int, kind: str, shape: Any) -> None:
        self._release = release
        self._block = block
        typestr = np.dtype(kind).str
        self.__array_interface__ = {
            "version": 3,
            "data": (place, False),
            "typestr": typestr,
            "shape": tuple(shape),
        }

    def __del__(self) -> None:
        if self._block:
            self._release(self._block)


@dataclass(frozen=True, slots=True)
class _Variant:
    """Machine code of a kernel for arguments of certain types."""

    call: Callable[[bytes, Any], int]
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    several: bool
    """Whether the result is a tuple."""
    arguments: struct.Struct
    results: struct.Struct
    """At least the one slot for an exception."""


class Kernels:
    """The kernels of a folder, for one level of instructions."""

    def __init__(self, folder: Path, level: str = "") -> None:
        try:
            self._table: dict[str, list[dict[str, Any]]] = json.loads((folder / TABLE).read_text("utf-8"))
            self.level = level or best_level(folder)
            self._library = ctypes.CDLL(str(folder / library_name(self.level)))
        except (OSError, ValueError) as problem:
            raise ResourceError(f"The installation is damaged: {problem}") from problem
        self._library.claimlight_begin()
        self._release = self._library.claimlight_release
        self._release.argtypes, self._release.restype = [ctypes.c_void_p], None

    def bind(self, name: str) -> Callable[..., Any]:
        """The kernel ``module.function``; one that only kernels call cannot be called here."""
        variants = {}
        for each in self._table.get(name, ()):
            call = self._library[each["symbol"]]
            call.argtypes, call.restype = [ctypes.c_char_p, ctypes.c_char_p], ctypes.c_int
            takes, gives = tuple(each["takes"]), tuple(each["gives"])
            variants[takes] = _Variant(
                call,
                takes,
                gives,
                each["several"],
                struct.Struct("<" + "".join(map(_slots, takes))),
                struct.Struct("<" + ("".join(map(_result_slots, gives)) or _WIDE)),
            )
        return _Kernel(name, variants, self._release)


class _Kernel:
    """A function over arrays and numbers, as numba makes them."""

    def __init__(
        self, name: str, variants: dict[tuple[str, ...], _Variant], release: Callable[[int], None]
    ) -> None:
        self.__name__ = name.rpartition(".")[2]
        self._name = name
        self._variants = variants
        self._release = release

    def __call__(self, *arguments: Any) -> Any:
        words = tuple(map(_word, arguments))
        variant = self._variants.get(words) or self._find(words)
        slots: list[Any] = []
        kept: list[NDArray[Any]] = []
        copied: list[tuple[NDArray[Any], NDArray[Any]]] = []
        for given, word, wanted in zip(arguments, words, variant.takes, strict=True):
            if not isinstance(given, np.ndarray):
                slots.append(given)
                continue
            array = given
            if word != wanted or not (array.flags.c_contiguous and array.flags.aligned):
                array = np.array(given, _split(wanted)[0], order="C")
                if given.flags.writeable:
                    copied.append((given, array))
            kept.append(array)
            slots += (array.__array_interface__["data"][0], *array.shape)
        left = ctypes.create_string_buffer(variant.results.size)
        if variant.call(variant.arguments.pack(*slots), left):
            self._fail(left.raw)
        for target, source in copied:
            target[...] = source
        found = self._read(variant, left.raw)
        return tuple(found) if variant.several else found[0] if found else None

    def _find(self, words: tuple[str, ...]) -> _Variant:
        """The first variant that takes such arguments after they are widened, as those of old files are."""
        for variant in self._variants.values():
            if len(words) == len(variant.takes) and all(map(_fits, words, variant.takes)):
                self._variants[words] = variant
                return variant
        raise BugError(f"{self._name} is not compiled for {' '.join(words)}")

    def _read(self, variant: _Variant, left: bytes) -> list[Any]:
        slots = iter(variant.results.unpack(left))
        found: list[Any] = []
        for word in variant.gives:
            kind, dimensions = _split(word)
            value = next(slots)
            if dimensions:
                place, shape = next(slots), [next(slots) for _ in range(dimensions)]
                found.append(np.asarray(_Memory(self._release, value, place, kind, shape)))
            else:
                found.append(bool(value) if kind == "b1" else value)
        return found

    def _fail(self, left: bytes) -> NoReturn:
        """Raise what the kernel raised: no memory, or a fault of its caller."""
        failure = _Failure.from_address(struct.unpack_from(_WIDE, left)[0])
        if failure.computed:
            raise BugError(f"{self._name} was given arrays that do not fit")
        # Written into the library when it was compiled.
        kind, given, *_ = pickle.loads(ctypes.string_at(failure.pickled, failure.size))  # noqa: S301
        raise kind(*given)


def is_there() -> bool:
    """Whether this program has its kernels compiled."""
    return (FOLDER / TABLE).exists()


@cache
def loaded() -> Kernels:
    """The kernels of this program, for this processor."""
    return Kernels(FOLDER)


def best_level(folder: Path) -> str:
    """The best of the levels in a folder that this processor has."""
    has = instructions()
    levels = [level for level in LEVELS if (folder / library_name(level)).exists()]
    for level in levels:
        if not LEVELS[level] or has.get(LEVELS[level], False):
            return level
    raise ResourceError(f"The installation is damaged: no kernels in {folder}")


def library_name(level: str) -> str:
    """Name of the library of a level of instructions."""
    return f"kernels-{level}{_SUFFIX}"


def kernel(function: _F) -> _F:
    """As `claimlight.index.compiler.kernel`."""
    return loaded().bind(f"{function.__module__}.{function.__name__}")  # type: ignore[return-value]


def kernel_of_maxima(function: _F) -> _F:
    """As `claimlight.index.compiler.kernel_of_maxima`."""
    return kernel(function)


def claim_next(_counter: Any) -> Any:
    """Called by kernels only, which have it compiled into them."""
    raise BugError("claim_next is called by kernels only")


def prefetch(_array: Any, _place: Any) -> Any:
    """Called by kernels only, which have it compiled into them."""
    raise BugError("prefetch is called by kernels only")


@cache
def _split(word: str) -> tuple[str, int]:
    """Kind and dimensions of a word like ``f8[2]``, or ``i8``, which has none."""
    kind, _, dimensions = word.partition("[")
    return kind, int(dimensions.removesuffix("]") or 0)


def _word(given: Any) -> str:
    if isinstance(given, np.ndarray):
        return _array_word(given.dtype, given.ndim)
    if isinstance(given, np.float32):
        return "f4"
    return "f8" if isinstance(given, float) else "i8"


@cache
def _array_word(dtype: np.dtype[Any], dimensions: int) -> str:
    if not dtype.isnative:
        raise BugError("a kernel was given an array of another byte order")
    return f"{dtype.kind}{dtype.itemsize}[{dimensions}]"


def _fits(word: str, wanted: str) -> bool:
    """Whether an argument can be made what is wanted without loss."""
    (kind, dimensions), (wide, wanted_dimensions) = _split(word), _split(wanted)
    if word == wanted or (not dimensions and wanted == "f8"):
        return True
    whole = kind[0] in "iu" and wide[0] in "iu" and int(kind[1:]) <= int(wide[1:])
    return dimensions == wanted_dimensions > 0 and whole and not (kind[0] == "i" and wide[0] == "u")


def _slots(word: str) -> str:
    """Slots of an argument: the place and the shape of an array, or a number."""
    kind, dimensions = _split(word)
    return _WIDE * (1 + dimensions) if dimensions else _CODES[kind]


def _result_slots(word: str) -> str:
    """Slots of a result: the block, the place and the shape of an array, or a number in 64 bits."""
    kind, dimensions = _split(word)
    if dimensions:
        return _WIDE * (2 + dimensions)
    return "d" if kind.startswith("f") else _WIDE
