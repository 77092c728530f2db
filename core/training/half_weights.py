"""The graph for graphics cards: 16-bit weights and arithmetic, but for what 16 bits can't count.

Positions of long texts are whole numbers beyond 2,048, which fp16 does not have, and a rotary angle is wrong
by as much; the sum behind a pooled vector leaves its range. Both stay fp32.
"""

from __future__ import annotations

import warnings
from typing import Any

from core.errors import InputError

_POSITIONS = frozenset(("Cos", "Sin", "Log", "Pow"))
"""Functions of positions in rotary and relative encodings; all that leads to them is exact."""


def with_half_weights(model: Any) -> Any:
    """The fp32 ``model`` in fp16, its outputs included.

    Raises `InputError` where a weight is too large for fp16.
    """
    from onnxruntime.transformers.float16 import convert_float_to_float16

    _check_range(model)
    exact = _towards(model, {node.name for node in model.graph.node if node.op_type in _POSITIONS})
    exact |= {node.name for node in model.graph.node} - _towards_output(model, "tokens")
    with warnings.catch_warnings():
        # It warns of every constant that fp16 rounds to zero or to its largest number, as masks are meant to.
        warnings.simplefilter("ignore")
        return convert_float_to_float16(model, keep_io_types=False, node_block_list=sorted(exact))


def _check_range(model: Any) -> None:
    import numpy as np
    from onnx import numpy_helper

    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        # Masks hold the least fp32 number, which becomes the least fp16 one; weights are matrices.
        if array.dtype == np.float32 and array.ndim >= 2 and np.abs(array).max(initial=0.0) > 65_504:
            raise InputError(f"{tensor.name} has weights beyond the range of fp16; export it as fp32 or int8")


def _towards_output(model: Any, output: str) -> set[str]:
    makers = {name: node.name for node in model.graph.node for name in node.output}
    return _towards(model, {makers[output]})


def _towards(model: Any, targets: set[str]) -> set[str]:
    """Names of ``targets`` and of all nodes whose outputs lead to them."""
    nodes = {node.name: node for node in model.graph.node}
    makers = {name: node.name for node in model.graph.node for name in node.output}
    found: set[str] = set()
    open_names = list(targets)
    while open_names:
        name = open_names.pop()
        if name in found:
            continue
        found.add(name)
        open_names += [makers[item] for item in nodes[name].input if item in makers]
    return found
