"""Reading the weights of an exported graph, under the parameter names of BERT or of MPNet.

Embeddings keep their names in a graph; norms and linear layers are in the order of the model. 8-bit matrices
are dequantised to fp32 by their scales.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders.package import ModelPackage
from claimlight.encoders.package_files import Package
from claimlight.errors import InputError
from claimlight.training.export.fp16_graph import HALF
from claimlight.training.export.int8_products import restore_products

WORDS = "embeddings.word_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
KINDS = "embeddings.token_type_embeddings.weight"
RELATIVE = "encoder.relative_attention_bias.weight"
_MODEL = "model."


@dataclass(frozen=True, slots=True)
class Layout:
    """The names of a family of transformers, of a layer in the order of its graph."""

    tables: tuple[str, ...]
    linear: tuple[str, ...]
    norms: tuple[str, ...]


BERT = Layout(
    (WORDS, POSITIONS, KINDS),
    (
        *("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
        *("intermediate.dense", "output.dense"),
    ),
    ("attention.output.LayerNorm", "output.LayerNorm"),
)
MPNET = Layout(
    # No kinds of tokens; how far two tokens are apart counts in every layer.
    (WORDS, POSITIONS, RELATIVE),
    (
        *("attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o"),
        *("intermediate.dense", "output.dense"),
    ),
    ("attention.LayerNorm", "output.LayerNorm"),
)

Weights = dict[str, NDArray[np.float32]]


class OnnxGraph:
    """An ONNX graph with lookup of its weights."""

    def __init__(self, model: Any) -> None:
        from onnx import numpy_helper

        self.model = model
        self.makers = {name: node for node in model.graph.node for name in node.output}
        self.nodes = list(model.graph.node)
        self._stored = {item.name: item for item in model.graph.initializer}
        self._array = numpy_helper.to_array

    @classmethod
    def read(cls, package: Package[Any], name: str) -> OnnxGraph:
        """Read a graph of a package; int8 products are replaced by products with fp32 matrices."""
        import onnx

        return cls(restore_products(onnx.load_model_from_string(package.read(name))))

    def parameter(self, name: str) -> NDArray[np.float32] | None:
        """A parameter of the module by its name, whatever its precision; None if it is not stored."""
        found = self.weight(name)
        return self.weight(f"{name}{HALF}") if found is None else found

    def weight(self, name: str) -> NDArray[np.float32] | None:
        """A stored tensor in fp32, dequantised if necessary; None for a computed value."""
        if name in self._stored:
            array: NDArray[Any] = self._array(self._stored[name])
            return np.array(array, dtype=np.float32) if np.issubdtype(array.dtype, np.floating) else None
        node = self.makers.get(name)
        if node is None:
            return None
        if node.op_type == "Cast":
            return self.weight(node.input[0])
        if node.op_type != "DequantizeLinear" or node.input[0] not in self._stored:
            return None
        return self._dequantised(node)

    def _dequantised(self, node: Any) -> NDArray[np.float32]:
        whole = self._array(self._stored[node.input[0]]).astype(np.float32)
        scale = self._array(self._stored[node.input[1]]).astype(np.float32)
        if len(node.input) > 2 and node.input[2]:
            zero = self._array(self._stored[node.input[2]]).astype(np.float32)
            whole = whole - _along(zero, self._axis(node), whole.ndim)
        return np.asarray(whole * _along(scale, self._axis(node), whole.ndim), dtype=np.float32)

    @staticmethod
    def _axis(node: Any) -> int:
        return next((int(item.i) for item in node.attribute if item.name == "axis"), 1)

    def pair(self, name: str, weight: str, bias: str) -> Weights:
        """Weight and bias of a module, as far as they are stored."""
        found = {f"{name}.weight": self.weight(weight), f"{name}.bias": self.weight(bias)}
        return {key: array for key, array in found.items() if array is not None}

    def linear(self, name: str, product: Any) -> Weights:
        """A linear layer from its product: the matrix, and the bias if one is added."""
        matrix = self.weight(product.input[1])
        assert matrix is not None
        found = {f"{name}.weight": np.ascontiguousarray(matrix.T)}
        for node in self.nodes:
            if node.op_type == "Add" and product.output[0] in node.input:
                other = next(item for item in node.input if item != product.output[0])
                bias = self.weight(other)
                if bias is not None and bias.shape == (matrix.shape[1],):
                    found[f"{name}.bias"] = bias
        return found

    def transposed(self, name: str, product: Any) -> Weights:
        """A linear layer of a single vector per text: one node, whose matrix is stored as torch has it."""
        return self.pair(name, product.input[1], product.input[2])

    def is_stored(self, name: str) -> bool:
        """Whether a tensor is stored, possibly as 8-bit integers."""
        maker = self.makers.get(name)
        return name in self._stored or (maker is not None and maker.op_type == "DequantizeLinear")

    def attribute(self, kind: str, name: str) -> float | None:
        """The first attribute of this name in a node of this kind."""
        for node in self.nodes:
            if node.op_type == kind:
                return next((float(item.f) for item in node.attribute if item.name == name), None)
        return None

    def has(self, kind: str) -> bool:
        """Whether a node of this kind exists."""
        return any(node.op_type == kind for node in self.nodes)


def _along(values: NDArray[np.float32], axis: int, dimensions: int) -> NDArray[np.float32]:
    """Reshape values of one axis (or a scalar) for broadcasting."""
    if values.ndim == 0:
        return values
    shape = [1] * dimensions
    shape[axis] = -1
    return values.reshape(shape)


def read_named_weights(graph: OnnxGraph, package: ModelPackage) -> tuple[Weights, Weights]:
    """Read the weights of the encoder and of its projection, by BERT's parameter names.

    Raises `InputError` for a graph that is not BERT-like.
    """
    found, products = read_transformer(graph, package, _MODEL)
    # One product more than those of the layers is the projection.
    if len(products) > 1:
        raise not_bert(package)
    projection: Weights = {}
    for node in products:
        projection = {name.lstrip("."): array for name, array in graph.linear("", node).items()}
    return found, projection


def find_layout(graph: OnnxGraph, prefix: str) -> Layout:
    """`MPNET` if the graph has its table of distances, else `BERT`; ``prefix`` as of `read_transformer`."""
    return BERT if graph.parameter(prefix + RELATIVE) is None else MPNET


def read_transformer(
    graph: OnnxGraph, package: Package[Any], prefix: str, layout: Layout = BERT
) -> tuple[Weights, list[Any]]:
    """Read the weights of a transformer by its parameter names, and the products that follow its layers.

    ``prefix``: the name of the transformer in the exported module. Norms and products are identified by their
    order, not their tensors: an exporter stores equal tensors (fresh biases, for example) only once. Raises
    `InputError` for a graph of another layout.
    """
    norms = [node for node in graph.nodes if node.op_type == "LayerNormalization"]
    products = [node for node in graph.nodes if node.op_type == "MatMul" and graph.is_stored(node.input[1])]
    layers = (len(norms) - 1) // 2
    tables = {name: graph.parameter(prefix + name) for name in layout.tables}
    missing = [name for name, table in tables.items() if table is None]
    of_layers = len(layout.linear) * layers
    if missing or layers < 1 or len(norms) != 2 * layers + 1 or len(products) < of_layers:
        raise not_bert(package)
    found: Weights = {name: table for name, table in tables.items() if table is not None}
    norm_names = ["embeddings.LayerNorm", *_names(layers, layout.norms)]
    for name, node in zip(norm_names, norms, strict=True):
        found |= graph.pair(name, node.input[1], node.input[2])
    for name, node in zip(_names(layers, layout.linear), products[:of_layers], strict=True):
        found |= graph.linear(name, node)
    if len(found) != len(tables) + 2 * (len(norms) + of_layers):
        raise not_bert(package)
    return found, products[of_layers:]


def _names(layers: int, parts: tuple[str, ...]) -> Iterator[str]:
    return (f"encoder.layer.{layer}.{part}" for layer in range(layers) for part in parts)


def count_layers(weights: Mapping[str, object]) -> int:
    """Number of layers of these weights."""
    return sum(name.endswith(".intermediate.dense.weight") for name in weights)


def not_bert(package: Package[Any]) -> InputError:
    """The error for a package whose graph can't be read back."""
    return InputError(
        f"The model package {package.folder.name} can't be trained further from its graph: this works "
        "for BERT-like models only. Name the checkpoint it was made from with --checkpoint."
    )
