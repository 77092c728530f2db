"""Restoring a trainable checkpoint from the ONNX graph of a model package.

A package contains everything needed for further training. 8-bit matrices are dequantised by their scales, so
that training starts from the model in use, except for the rounding of activations. The result is verified:
its vectors are compared with those of the package's graph, computed in fp32.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders.manifest import ENCODER_FILE, NGRAMS_FILE, TOKENIZER_FILE, PackageManifest
from claimlight.encoders.package import ModelPackage
from claimlight.encoders.session import Session
from claimlight.errors import InputError
from claimlight.files import parse_json
from claimlight.training.export.graph_weights import (
    KINDS,
    POSITIONS,
    RELATIVE,
    WORDS,
    OnnxGraph,
    Weights,
    count_layers,
    read_named_weights,
)

PARITY = 0.9999
"""Least cosine between a token vector of the checkpoint and that of the package's graph in fp32."""
_USUAL_HEADS = (64, 32)
"""Dimensions of an attention head in nearly all published encoders; tried before others."""
_SPECIAL = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
            "mask_token": "[MASK]"}  # fmt: skip
_PROBE_LENGTHS = (12, 5)


@dataclass(frozen=True, slots=True)
class RestoredCheckpoint:
    """A checkpoint restored from a package."""

    folder: Path
    """Folder in the layout of sentence-transformers, for
    `claimlight.training.checkpoints.checkpoint.read`."""
    layers: int
    heads: int
    parity: float
    """Least cosine between a token vector of the checkpoint and that of the package's graph in fp32; of a
    judge the agreement of rulings (`claimlight.training.export.package_to_judge`)."""


def restore_checkpoint(package: ModelPackage, folder: Path) -> RestoredCheckpoint:
    """Write the weights of ``package`` as a checkpoint into ``folder``, which must not exist yet.

    Raises `InputError` for a graph that is not BERT-like (with or without a linear projection), and if the
    checkpoint does not reproduce its vectors.
    """
    graph = OnnxGraph.read(package, ENCODER_FILE)
    weights, projection = read_named_weights(graph, package)
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        raise InputError(f"{folder} exists already; name a new folder") from error
    try:
        _write(package, folder, graph=graph, weights=weights, projection=projection)
        heads, parity = _find_heads(package, folder, graph)
    except BaseException:
        shutil.rmtree(folder)
        raise
    return RestoredCheckpoint(folder, count_layers(weights), heads, parity)


def _write(
    package: ModelPackage, folder: Path, *, graph: OnnxGraph, weights: Weights, projection: Weights
) -> None:
    from safetensors.numpy import save_file

    manifest = package.manifest
    (folder / TOKENIZER_FILE).write_bytes(package.read(TOKENIZER_FILE))
    if manifest.has(NGRAMS_FILE):
        (folder / NGRAMS_FILE).write_bytes(package.read(NGRAMS_FILE))
    hidden = weights[WORDS].shape[1]
    # BERT's pooler is not used; zeros, because transformers warns of missing weights.
    unused = {"pooler.dense.weight": np.zeros((hidden, hidden), np.float32),
              "pooler.dense.bias": np.zeros(hidden, np.float32)}  # fmt: skip
    # transformers expects the format in the metadata.
    save_file(weights | unused, str(folder / "model.safetensors"), metadata={"format": "pt"})
    modules = ["Transformer", "Pooling"]
    _write_json(folder / "1_Pooling" / "config.json", _pooling(manifest, hidden))
    if projection:
        modules.append("Dense")
        out, into = projection["weight"].shape
        described = {"in_features": into, "out_features": out, "bias": "bias" in projection}
        identity = {"activation_function": "torch.nn.modules.linear.Identity"}
        _write_json(folder / "2_Dense" / "config.json", described | identity)
        linear = {f"linear.{name}": item for name, item in projection.items()}
        save_file(linear, str(folder / "2_Dense" / "model.safetensors"), metadata={"format": "pt"})
    modules.append("Normalize")
    _write_json(folder / "modules.json", [_module(number, kind) for number, kind in enumerate(modules)])
    _write_json(folder / "sentence_bert_config.json", {"max_seq_length": manifest.max_length})
    _write_json(folder / "config_sentence_transformers.json", {"prompts": dict(manifest.prompts)})
    _write_json(folder / "tokenizer_config.json", _tokenizer(folder, manifest))
    _write_json(folder / "config.json", describe_bert(graph, weights, heads=1))


def _module(number: int, kind: str) -> dict[str, object]:
    place = "" if kind == "Transformer" else f"{number}_{kind}"
    return {"idx": number, "name": str(number), "path": place, "type": f"sentence_transformers.models.{kind}"}


def _pooling(manifest: PackageManifest, hidden: int) -> dict[str, object]:
    return {
        "word_embedding_dimension": hidden,
        "pooling_mode_cls_token": manifest.pooling == "cls",
        "pooling_mode_mean_tokens": manifest.pooling == "mean",
        "pooling_mode_max_tokens": False,
        "include_prompt": True,
    }


def _tokenizer(folder: Path, manifest: PackageManifest) -> dict[str, object]:
    from tokenizers import Tokenizer

    known = Tokenizer.from_file(str(folder / TOKENIZER_FILE)).get_vocab(with_added_tokens=True)
    special = {name: token for name, token in _SPECIAL.items() if token in known}
    limit = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": manifest.max_length}
    return limit | special


def describe_bert(graph: OnnxGraph, weights: Weights, *, heads: int) -> dict[str, Any]:
    """The configuration of transformers for weights of `read_transformer`."""
    return _describe(graph, weights, heads=heads) | {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "type_vocab_size": len(weights[KINDS]),
        "pad_token_id": 0,
        "position_embedding_type": "absolute",
    }


def describe_mpnet(graph: OnnxGraph, weights: Weights) -> dict[str, Any]:
    """The same for MPNet, whose table of distances [distances, heads] has the number of heads."""
    distances, heads = weights[RELATIVE].shape
    return _describe(graph, weights, heads=heads) | {
        "architectures": ["MPNetModel"],
        "model_type": "mpnet",
        "relative_attention_num_buckets": distances,
        "pad_token_id": 1,
        "bos_token_id": 0,
        "eos_token_id": 2,
    }


def _describe(graph: OnnxGraph, weights: Weights, *, heads: int) -> dict[str, Any]:
    words, positions = weights[WORDS], weights[POSITIONS]
    return {
        "vocab_size": len(words),
        "hidden_size": words.shape[1],
        "num_hidden_layers": count_layers(weights),
        "num_attention_heads": heads,
        "intermediate_size": len(weights["encoder.layer.0.intermediate.dense.bias"]),
        # The head of a judge has an Erf of its own.
        "hidden_act": "gelu_new" if graph.has("Tanh") else "relu" if graph.has("Relu") else "gelu",
        # The graph has it in fp32, where 1e-12 is 9.99999996e-13.
        "layer_norm_eps": float(f"{graph.attribute('LayerNormalization', 'epsilon') or 1e-12:.6g}"),
        "max_position_embeddings": len(positions),
    }


def _find_heads(package: ModelPackage, folder: Path, graph: OnnxGraph) -> tuple[int, float]:
    """The number of attention heads, written to ``config.json``, and the parity that it gives."""
    path = folder / "config.json"
    config = parse_json(path.read_text(encoding="utf-8"))
    ids, mask = _make_probe(int(config["vocab_size"]), package.manifest.max_length)
    wanted = _run_graph(graph, ids, mask)

    def measure(heads: int) -> float:
        _write_json(path, config | {"num_attention_heads": heads})
        return _measure_parity(folder, ids, mask, wanted=wanted)

    heads, parity = find_heads(int(config["hidden_size"]), measure, PARITY)
    if parity < PARITY:
        raise InputError(
            f"The model package {package.folder.name} can't be trained further from its graph: the restored "
            f"checkpoint has other vectors (cosine {parity:.4f}). Name the original with --checkpoint."
        )
    return heads, parity


def find_heads(hidden: int, measure: Callable[[int], float], least: float) -> tuple[int, float]:
    """The first number of attention heads that ``measure`` gives at least ``least``, and what it gives.

    The shapes of the weights do not determine the number, and its form in a graph depends on the exporter. If
    none is good enough, the best one.
    """
    usual = [hidden // size for size in _USUAL_HEADS if hidden % size == 0]
    others = [count for count in range(1, hidden + 1) if hidden % count == 0]
    best = (0, -math.inf)
    for heads in dict.fromkeys((*usual, *others)):
        best = max(best, (heads, measure(heads)), key=lambda item: item[1])
        if best[1] >= least:
            break
    return best


def _make_probe(vocabulary: int, longest: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token ids and their mask, one row with padding."""
    width = min(longest, max(_PROBE_LENGTHS))
    ids = np.random.default_rng(1).integers(0, vocabulary, size=(len(_PROBE_LENGTHS), width))
    mask = (np.arange(width) < np.array(_PROBE_LENGTHS)[:, None]).astype(np.int64)
    return ids * mask, mask


def _run_graph(graph: OnnxGraph, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    # `Session` dequantises weights when it opens; by default ONNX Runtime would also round activations.
    session = Session(graph.model.SerializeToString(), device="cpu", threads=1)
    return np.asarray(session.run(ids, mask)[mask == 1], dtype=np.float32)


def _measure_parity(
    folder: Path, ids: NDArray[np.int64], mask: NDArray[np.int64], *, wanted: NDArray[np.float32]
) -> float:
    """Least cosine between the checkpoint's token vectors and ``wanted``."""
    import torch

    from claimlight.training.checkpoints import checkpoint as checkpoints

    module = checkpoints.build_module(checkpoints.read(folder))
    with torch.no_grad():
        tokens, _ = module(torch.from_numpy(ids), torch.from_numpy(mask))
    found = tokens.numpy()[mask == 1].astype(np.float64)
    norms = np.linalg.norm(found, axis=1) * np.linalg.norm(wanted, axis=1)
    return float(((found * wanted).sum(axis=1) / norms).min())


def _write_json(path: Path, body: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")
