"""A checkpoint of the BERT family as a model package: ONNX with token and pooled vectors in one pass.

Weights are read from safetensors only and nothing of a checkpoint is ever run. The small precision
keeps each weight matrix as 8-bit integers with one scale for each column; they are brought back to
fp32 when the session opens, so a vector never depends on what else was in the batch
(docs/adr/0002-encoder-precision.md).
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.encoders import manifest as manifests
from core.encoders.manifest import ENCODER_FILE, TOKENIZER_FILE, Manifest
from core.encoders.package import record_of
from core.errors import BugError, InputError

PRECISIONS = ("fp32", "int8")
PARITY = 0.9999
"""Least cosine between a vector of the fp32 graph and the checkpoint's own."""
_OPSET = 18
_LEAST_WEIGHTS = 4096
"""Smaller tensors (biases, norms) stay fp32: they are nothing in size and much in precision."""
_PROBES = (
    "1. A shock absorber comprising a cylinder filled with a damping liquid.",
    "The valve opens.",
    "A method of producing a sintered ceramic body, in which a slurry of aluminium oxide is cast, dried at "
    "80 °C and fired; wherein the slurry contains 0.5 to 2 % of a dispersant.",
)


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """What to make of a checkpoint folder."""

    checkpoint: Path
    folder: Path
    id: str
    version: str
    licence: str
    source: str
    precision: str = "int8"
    max_length: int = 0
    """Tokens in a window; 0 takes what the checkpoint was made for."""
    commercial: bool = True


def export(plan: ExportPlan) -> Manifest:
    """Write a model package into ``plan.folder``, which must not exist yet, and return its manifest.

    Raises `InputError` for a checkpoint that is not on this machine, not safetensors or of another
    pooling than mean or CLS, and `BugError` when the graph's vectors are not the checkpoint's.
    """
    if plan.precision not in PRECISIONS:
        raise InputError(f"there is no precision {plan.precision!r}; known: {', '.join(PRECISIONS)}")
    for needed in ("config.json", "model.safetensors", TOKENIZER_FILE):
        if not (plan.checkpoint / needed).is_file():
            raise InputError(f"{plan.checkpoint} is no checkpoint that can be exported: {needed} is missing")
    pooling = _pooling(plan.checkpoint)
    plan.folder.mkdir(parents=True)
    try:
        return _write(plan, pooling)
    except BaseException:
        shutil.rmtree(plan.folder)
        raise


def _write(plan: ExportPlan, pooling: str) -> Manifest:
    import onnx

    module = _module(plan.checkpoint, pooling)
    target = plan.folder / ENCODER_FILE
    _trace(module, target)
    shutil.copyfile(plan.checkpoint / TOKENIZER_FILE, plan.folder / TOKENIZER_FILE)
    exact = _vectors(target, plan.folder)
    parity: dict[str, Any] = _agreement(module, exact, plan.folder)
    if min(parity.values()) < PARITY:
        raise BugError(f"the exported graph differs from the checkpoint: {parity}")
    if plan.precision == "int8":
        onnx.save(_with_small_weights(onnx.load(target)), target)
        parity |= _loss(exact, _vectors(target, plan.folder))
    (plan.folder / "NOTICE").write_text(_notice(plan), encoding="utf-8")
    manifest = Manifest(
        id=plan.id,
        version=plan.version,
        licence=plan.licence,
        source=plan.source,
        dim=int(exact[0][1].shape[-1]),
        pooling=pooling,
        max_length=plan.max_length or _max_length(plan.checkpoint),
        precision=plan.precision,
        commercial=plan.commercial,
        parity=parity,
        files=tuple(
            record_of(plan.folder / name) for name in sorted((ENCODER_FILE, TOKENIZER_FILE, "NOTICE"))
        ),
    )
    manifests.write(manifest, plan.folder / manifests.FILE_NAME)
    return manifest


def _pooling(checkpoint: Path) -> str:
    path = checkpoint / "1_Pooling" / "config.json"
    if not path.is_file():
        return "mean"
    config = json.loads(path.read_text(encoding="utf-8"))
    for name, pooling in (("pooling_mode_mean_tokens", "mean"), ("pooling_mode_cls_token", "cls")):
        if config.get(name):
            return pooling
    raise InputError(f"{path}: only mean and CLS pooling can be exported")


def _max_length(checkpoint: Path) -> int:
    path = checkpoint / "sentence_bert_config.json"
    if path.is_file():
        return int(json.loads(path.read_text(encoding="utf-8"))["max_seq_length"])
    return int(
        json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))["max_position_embeddings"]
    )


def _module(checkpoint: Path, pooling: str) -> Any:
    """The checkpoint as a torch module from ids and mask to (tokens, pooled)."""
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(
        str(checkpoint),
        local_files_only=True,
        use_safetensors=True,
        trust_remote_code=False,
        attn_implementation="eager",
        dtype=torch.float32,
    )

    class Pooled(torch.nn.Module):  # type: ignore[misc]  # torch is not there when types are checked
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            tokens = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            if pooling == "cls":
                pooled = tokens[:, 0]
            else:
                kept = attention_mask.unsqueeze(-1).to(tokens.dtype)
                pooled = (tokens * kept).sum(1) / kept.sum(1).clamp(min=1e-9)
            return tokens, torch.nn.functional.normalize(pooled, dim=-1)

    return Pooled().eval()


def _trace(module: Any, target: Path) -> None:
    import torch

    ids = torch.randint(5, 50, (2, 7), generator=torch.Generator().manual_seed(1))
    mask = torch.ones(2, 7, dtype=torch.long)
    mask[1, 5:] = 0
    free = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    torch.onnx.export(
        module,
        (ids, mask),
        str(target),
        dynamo=True,
        external_data=False,
        verbose=False,
        input_names=["input_ids", "attention_mask"],
        output_names=["tokens", "pooled"],
        dynamic_shapes=(free, free),
        opset_version=_OPSET,
    )


_Vectors = tuple[NDArray[np.float32], NDArray[np.float32]]


def _inputs(folder: Path) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    tokenizer.no_padding()
    ids = [np.array([tokenizer.encode(text).ids], dtype=np.int64) for text in _PROBES]
    return [(item, np.ones_like(item)) for item in ids]


def _vectors(path: Path, folder: Path) -> list[_Vectors]:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return [
        tuple(session.run(["tokens", "pooled"], {"input_ids": ids, "attention_mask": mask}))
        for ids, mask in _inputs(folder)
    ]


def _agreement(module: Any, exact: list[_Vectors], folder: Path) -> dict[str, float]:
    import torch

    own: list[_Vectors] = []
    with torch.no_grad():
        for ids, mask in _inputs(folder):
            tokens, pooled = module(torch.from_numpy(ids), torch.from_numpy(mask))
            own.append((tokens.numpy(), pooled.numpy()))
    return _least_cosines("fp32", own, exact)


def _loss(exact: list[_Vectors], small: list[_Vectors]) -> dict[str, float]:
    return _least_cosines("int8", exact, small)


def _least_cosines(name: str, left: list[_Vectors], right: list[_Vectors]) -> dict[str, float]:
    result = {}
    for place, output in enumerate(("tokens", "pooled")):
        least = 1.0
        for one, other in zip(left, right, strict=True):
            a = one[place].reshape(-1, one[place].shape[-1]).astype(np.float64)
            b = other[place].reshape(a.shape).astype(np.float64)
            cosines = (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
            least = min(least, float(cosines.min()))
        result[f"{name}_{output}_cosine_min"] = round(least, 6)
    return result


def _with_small_weights(model: Any) -> Any:
    """Replace each large fp32 matrix by 8-bit integers and a DequantizeLinear in front of its users.

    Embeddings get one scale for each row (a row is a word), other matrices one for each column.
    """
    from onnx import helper, numpy_helper

    gathered = {node.input[0] for node in model.graph.node if node.op_type == "Gather"}
    kept, nodes = [], []
    for tensor in model.graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype != np.float32 or array.ndim != 2 or array.size < _LEAST_WEIGHTS:
            kept.append(tensor)
            continue
        axis = 0 if tensor.name in gathered else 1
        peak = np.abs(array).max(axis=1 - axis)
        scale = (np.maximum(peak, 1e-12) / 127.0).astype(np.float32)
        whole = np.rint(array / np.expand_dims(scale, 1 - axis)).astype(np.int8)
        names = [f"{tensor.name}_int8", f"{tensor.name}_scale"]
        kept += [numpy_helper.from_array(whole, names[0]), numpy_helper.from_array(scale, names[1])]
        nodes.append(
            helper.make_node("DequantizeLinear", names, [tensor.name], f"{tensor.name}_read", axis=axis)
        )
    nodes.extend(model.graph.node)
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)
    return model


def _notice(plan: ExportPlan) -> str:
    return (
        f"{plan.id} {plan.version}\n\n"
        f"Made from {plan.source}, licensed under {plan.licence}.\n"
        "The graph was exported to ONNX with token and pooled vectors as outputs"
        + ("; weight matrices are stored as 8-bit integers.\n" if plan.precision == "int8" else ".\n")
    )
