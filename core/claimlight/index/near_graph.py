"""The ONNX model of one integer matrix product, written byte by byte.

ONNX Runtime packs the weights of a model once for the processor at hand, but only when they are part of the
model; so each set of vectors is a model of its own, made here in memory. The `onnx` package, which would
write it too, belongs to the training extra.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_UINT8, _INT8, _INT32 = 2, 3, 6
"""Of TensorProto.DataType."""
_IR_VERSION, _OPSET = 8, 17


def integer_product(columns: NDArray[np.int8]) -> bytes:
    """``products`` int32 [m, n] = ``rows`` uint8 [m, d] times ``columns`` [n, d], transposed."""
    count, dim = columns.shape
    weights = np.ascontiguousarray(columns.T).tobytes()
    node = _text(1, "rows") + _text(1, "columns") + _text(2, "products") + _text(4, "MatMulInteger")
    constant = (
        _number(1, dim) + _number(1, count) + _number(2, _INT8) + _text(8, "columns") + _message(9, weights)
    )
    graph = (
        _message(1, node)
        + _text(2, "integer_product")
        + _message(5, constant)
        + _message(11, _matrix("rows", _UINT8, dim))
        + _message(12, _matrix("products", _INT32, count))
    )
    return _number(1, _IR_VERSION) + _message(7, graph) + _message(8, _text(1, "") + _number(2, _OPSET))


def _matrix(name: str, kind: int, width: int) -> bytes:
    """ValueInfoProto of a matrix with any number of rows."""
    shape = _message(1, _text(2, "m")) + _message(1, _number(1, width))
    return _text(1, name) + _message(2, _message(1, _number(1, kind) + _message(2, shape)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _message(field, value.encode())


def _message(field: int, body: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(body)) + body


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
