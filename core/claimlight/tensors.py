"""A small reader and writer of the safetensors format: named arrays in one file, never code.

Only what our own files need: dense little-endian arrays, a bounded JSON header, every byte of the
file accounted for. Whatever does not add up is a `ResourceError` that names the file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import ResourceError
from claimlight.files import parse_json

_DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
# The length is read from the file before anything is verified; our headers are far smaller.
_HEADER_LIMIT = 1 << 20


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of a safetensors file that holds ``arrays``, in name order."""
    header: dict[str, object] = {}
    parts: list[bytes] = []
    offset = 0
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        body = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(body)],
        }
        parts.append(body)
        offset += len(body)
    text = json.dumps(header, sort_keys=True).encode()
    # Arrays begin at a multiple of 8 bytes, as the format asks; spaces are valid JSON.
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def unpack(data: bytes, path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a safetensors file; ``path`` is only named in errors."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(_HEADER_LIMIT, len(data) - 8):
        raise ResourceError(f"{path} is not a safetensors file")
    body = memoryview(data)[8 + length :]
    try:
        header = parse_json(data[8 : 8 + length])
        arrays = {name: _array(body, entry) for name, entry in header.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ResourceError(f"{path} is a damaged safetensors file ({error})") from error
    if sum(array.nbytes for array in arrays.values()) != len(body):
        raise ResourceError(f"{path} is a damaged safetensors file (bytes missing or left over)")
    return arrays


def _array(body: memoryview, entry: Mapping[str, Any]) -> NDArray[Any]:
    dtype = _DTYPES[entry["dtype"]]
    shape = tuple(int(size) for size in entry["shape"])
    begin, end = (int(value) for value in entry["data_offsets"])
    if min(shape, default=0) < 0 or not 0 <= begin <= end <= len(body):
        raise ValueError("an array lies outside the file")
    if math.prod(shape) * dtype.itemsize != end - begin:
        raise ValueError("a shape does not match its bytes")
    array: NDArray[Any] = np.frombuffer(body[begin:end], dtype=dtype).reshape(shape)
    return array
