"""The graph for GPUs: 16-bit weights and arithmetic, except where fp16 is not precise enough.

Positions of long texts are integers beyond 2,048, which fp16 can't represent, so rotary angles would be
wrong; the sum for the pooled vector overflows. Both remain fp32 throughout: values are cast only at the
boundaries.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from claimlight.errors import BugError, InputError

_POSITIONS = frozenset(("Cos", "Sin"))
"""Functions of positions in rotary encodings; everything that leads to them stays fp32."""
_SQUARES = frozenset(("Pow", "ReduceMean", "Sqrt", "Reciprocal"))
"""Steps of a root mean square (RMSNorm); other norms are one node, which ONNX Runtime computes in fp32."""
_LARGEST = 65_504.0
"""Largest finite fp16 number."""
HALF = "_half"
"""After the name of a weight that was converted."""
_MASKED = 30_000.0
"""Replaces larger constants, which mask padding: still finite when a score is added, and 0 after a
softmax."""


def convert_to_fp16(model: Any, output: str = "tokens") -> Any:
    """Convert the fp32 ``model`` to fp16, including its ``output``; what only others need stays fp32.

    Raises `InputError` if a weight is too large for fp16.
    """
    _check_range(model)
    names = {node.name for node in model.graph.node}
    if len(names) != len(model.graph.node):
        raise BugError("nodes of the graph share a name")
    exact = _towards(model, {node.name for node in model.graph.node if _counts(node)})
    # What only the pooled vector needs: its sum overflows fp16.
    exact |= names - _towards_output(model, output)
    # The squares of a norm that is written out overflow too.
    exact |= {node.name for node in model.graph.node if node.op_type in _SQUARES}
    return _Conversion(model, exact).done()


class _Conversion:
    """The conversion of one graph: each value has the precision of the node that computes it."""

    def __init__(self, model: Any, exact: set[str]) -> None:
        from onnx import TensorProto, shape_inference

        self._model = model
        self._exact = exact
        self._float, self._half = TensorProto.FLOAT, TensorProto.FLOAT16
        inferred = shape_inference.infer_shapes(model).graph
        self._floats = {
            item.name
            for part in (inferred.value_info, inferred.output, inferred.input)
            for item in part
            if item.type.tensor_type.elem_type == self._float
        }
        self._weights = {item.name: item for item in model.graph.initializer}
        self._made: dict[str, bool] = {}
        """Whether the value of each name is fp16."""
        self._kept: dict[str, Any] = {}
        self._nodes: list[Any] = []

    def done(self) -> Any:
        """Convert the model in place."""
        graph = self._model.graph
        for node in graph.node:
            half = node.name not in self._exact
            for place, name in enumerate(node.input):
                node.input[place] = self._read(name, half=half)
            if half:
                self._halve(node)
            self._made |= {name: half for name in node.output if name in self._floats}
            self._nodes.append(node)
        del graph.node[:], graph.initializer[:], graph.value_info[:]
        graph.node.extend(self._nodes)
        graph.initializer.extend(self._kept[name] for name in sorted(self._kept))
        for item in graph.output:
            if self._made.get(item.name):
                item.type.tensor_type.elem_type = self._half
        return self._model

    def _read(self, name: str, *, half: bool) -> str:
        """Name of a value in the precision of a node; adds a cast if necessary."""
        from onnx import helper

        if name in self._weights:
            return self._weight(name, half=half)
        if name not in self._made or self._made[name] == half:
            return name
        other = f"{name}_as_{'half' if half else 'float'}"
        if other not in self._made:
            kind = self._half if half else self._float
            self._nodes.append(helper.make_node("Cast", [name], [other], f"{other}_cast", to=kind))
            self._made[other] = half
        return other

    def _weight(self, name: str, *, half: bool) -> str:
        from onnx import numpy_helper

        tensor = self._weights[name]
        if not half or tensor.data_type != self._float:
            self._kept[name] = tensor
            return name
        other = f"{name}{HALF}"
        if other not in self._kept:
            self._kept[other] = numpy_helper.from_array(_to_fp16(numpy_helper.to_array(tensor)), other)
        return other

    def _halve(self, node: Any) -> None:
        """Convert the attributes of a node that state a precision."""
        from onnx import numpy_helper

        for attribute in node.attribute:
            if attribute.g.node or attribute.graphs:
                raise BugError(f"{node.name} contains a subgraph")
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == self._float:
                attribute.i = self._half
            if attribute.t.data_type == self._float:
                array = _to_fp16(numpy_helper.to_array(attribute.t))
                attribute.t.CopyFrom(numpy_helper.from_array(array, attribute.t.name))


def _to_fp16(array: Any) -> Any:
    hides = np.abs(array) > _LARGEST
    return np.where(hides, np.sign(array) * _MASKED, array).astype(np.float16)


def _counts(node: Any) -> bool:
    """Whether a node uses a position or computes an integer, such as a bucket of relative positions."""
    from onnx import TensorProto

    whole = (TensorProto.INT64, TensorProto.INT32)
    to = [item.i for item in node.attribute if item.name == "to"]
    return node.op_type in _POSITIONS or (node.op_type == "Cast" and to[0] in whole)


def _check_range(model: Any) -> None:
    from onnx import numpy_helper

    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        # Only matrices are weights; masks contain the lowest fp32 number, which is replaced by `_MASKED`.
        if array.dtype == np.float32 and array.ndim >= 2 and np.abs(array).max(initial=0.0) > _LARGEST:
            raise InputError(
                f"{tensor.name} has weights outside the range of fp16; export it as fp32 or int8"
            )


def _towards_output(model: Any, output: str) -> set[str]:
    makers = {name: node.name for node in model.graph.node for name in node.output}
    return _towards(model, {makers[output]})


def _towards(model: Any, targets: set[str]) -> set[str]:
    """Names of ``targets`` and of all nodes on whose outputs they depend."""
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
