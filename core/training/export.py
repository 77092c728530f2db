"""A checkpoint as a model package: ONNX with token and pooled vectors in one pass.

Weights are read from safetensors only and nothing of a checkpoint is ever run. The small precision
keeps each weight matrix as 8-bit integers with one scale for each column; they are brought back to
fp32 when the session opens, so a vector never depends on what else was in the batch
(docs/adr/0002-encoder-precision.md).
"""

from __future__ import annotations

import logging
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.encoders import manifest as manifests
from core.encoders import probes
from core.encoders.manifest import ENCODER_FILE, TOKENIZER_FILE, Manifest
from core.encoders.package import ModelPackage, add_files, record_of
from core.encoders.reading import register_markers
from core.encoders.runtime import open_encoder
from core.errors import BugError, InputError
from core.settings import EncoderSettings
from core.training import checkpoint as checkpoints
from core.training.checkpoint import Checkpoint
from core.training.small_weights import with_small_weights, without_traces

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PRECISIONS = ("fp32", "int8")
PARITY = 0.9999
"""Least cosine between a vector of the fp32 graph and the checkpoint's own."""
_OPSET = 18
_LONG_PROBE = 600
"""Tokens of the longest input compared: past the local attention of the architectures that have one."""
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
    pooling: str = ""
    """For checkpoints that do not say theirs."""
    templates: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Empty takes those of the checkpoint."""
    markers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Vectors:
    """What the model makes of one batch, padding left out."""

    tokens: NDArray[np.float32]
    pooled: NDArray[np.float32]


_Batch = tuple[NDArray[np.int64], NDArray[np.int64]]


def export(plan: ExportPlan) -> Manifest:
    """Write a model package into ``plan.folder``, which must not exist yet, and return its manifest.

    Raises `InputError` for a checkpoint that is not on this machine, not safetensors, of another pooling
    than mean or CLS or without a token that the plan needs, and `BugError` when the graph's vectors are not
    the checkpoint's.
    """
    if plan.precision not in PRECISIONS:
        raise InputError(f"there is no precision {plan.precision!r}; known: {', '.join(PRECISIONS)}")
    checkpoint = checkpoints.read(plan.checkpoint, pooling=plan.pooling)
    if plan.max_length > checkpoint.max_length:
        raise InputError(f"{plan.checkpoint} takes {checkpoint.max_length} tokens, not {plan.max_length}")
    try:
        plan.folder.mkdir(parents=True)
    except FileExistsError as error:
        raise InputError(f"{plan.folder} is there already; give a folder that is not") from error
    try:
        return _write(plan, checkpoint)
    except BaseException:
        shutil.rmtree(plan.folder)
        raise


def _write(plan: ExportPlan, checkpoint: Checkpoint) -> Manifest:
    import onnx

    manifest = _described(plan, checkpoint)
    checkpoints.copy_tokenizer(checkpoint, plan.folder / TOKENIZER_FILE)
    module = checkpoints.module(checkpoint)
    tokenizer = _tokenizer(manifest, plan.folder, rows=module.model.get_input_embeddings().num_embeddings)
    batches = _batches(tokenizer, manifest.max_length)
    target = plan.folder / ENCODER_FILE
    _trace(module, target)
    onnx.save(without_traces(onnx.load(target)), target)
    exact = _run(target, batches)
    parity = _least_cosines("fp32", _own(module, batches), exact)
    if min(parity.values()) < PARITY:
        raise BugError(f"the exported graph differs from the checkpoint: {parity}")
    if plan.precision == "int8":
        onnx.save(with_small_weights(onnx.load(target)), target)
        parity |= _least_cosines("int8", exact, _run(target, batches))
    return _finished(plan, manifest, parity, dim=exact[0].tokens.shape[-1])


def _described(plan: ExportPlan, checkpoint: Checkpoint) -> Manifest:
    """Everything but the vectors; `InputError` for what no package may say."""
    manifest = Manifest(
        id=plan.id,
        version=plan.version,
        licence=plan.licence,
        source=plan.source,
        dim=1,
        pooling=checkpoint.pooling,
        max_length=plan.max_length or checkpoint.max_length,
        precision=plan.precision,
        commercial=plan.commercial,
        templates=plan.templates,
        prompts=plan.prompts or checkpoint.prompts,
        markers=plan.markers,
    )
    try:
        return manifests.checked(manifest)
    except ValueError as error:
        raise InputError(f"the package can't be described like that: {error}") from error


def _finished(plan: ExportPlan, manifest: Manifest, parity: dict[str, float], *, dim: int) -> Manifest:
    """The package opened as every user opens it, and its vectors recorded."""
    names = [ENCODER_FILE, TOKENIZER_FILE, "NOTICE"]
    (plan.folder / "NOTICE").write_text(_notice(plan), encoding="utf-8")
    if (plan.checkpoint / "LICENSE").is_file():
        shutil.copyfile(plan.checkpoint / "LICENSE", plan.folder / "LICENSE")
        names.append("LICENSE")
    files = tuple(record_of(plan.folder / name) for name in sorted(names))
    manifest = replace(manifest, dim=dim, parity=parity, files=files)
    manifests.write(manifest, plan.folder / manifests.FILE_NAME)
    encoder = open_encoder(ModelPackage.load(plan.folder), EncoderSettings(device="cpu"))
    (plan.folder / probes.FILE_NAME).write_text(probes.record(encoder), encoding="utf-8")
    return add_files(plan.folder, [probes.FILE_NAME])


def _tokenizer(manifest: Manifest, folder: Path, *, rows: int) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    register_markers(tokenizer, manifest)
    highest = max(tokenizer.get_vocab(with_added_tokens=True).values())
    if highest >= rows:
        raise InputError(
            f"the tokenizer has tokens up to number {highest}, the model has rows for {rows}: "
            "its embeddings were not resized when tokens were added"
        )
    return tokenizer


def _trace(module: Any, target: Path) -> None:
    import torch

    # What the exporter says of packages it could use and of its own future helps nobody here.
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)

    ids = torch.randint(5, 50, (2, 7), generator=torch.Generator().manual_seed(1))
    mask = torch.ones(2, 7, dtype=torch.long)
    mask[1, 5:] = 0
    free = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
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


def _batches(tokenizer: Tokenizer, max_length: int) -> list[_Batch]:
    """Each probe alone, all of them padded together, and one that fills a window."""
    alone = [np.array(tokenizer.encode(text).ids[:max_length], dtype=np.int64) for text in _PROBES]
    length = min(max_length, _LONG_PROBE)
    long = np.resize(np.concatenate(alone), length)
    batches = [(ids[None], np.ones_like(ids[None])) for ids in (*alone, long)]
    ids = np.zeros((len(alone), max(map(len, alone))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, item in enumerate(alone):
        ids[row, : len(item)] = item
        mask[row, : len(item)] = 1
    return [*batches, (ids, mask)]


def _run(path: Path, batches: list[_Batch]) -> list[_Vectors]:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found = []
    for ids, mask in batches:
        tokens, pooled = session.run(["tokens", "pooled"], {"input_ids": ids, "attention_mask": mask})
        found.append(_Vectors(tokens[mask == 1], pooled))
    return found


def _own(module: Any, batches: list[_Batch]) -> list[_Vectors]:
    import torch

    found = []
    with torch.no_grad():
        for ids, mask in batches:
            tokens, pooled = module(torch.from_numpy(ids), torch.from_numpy(mask))
            found.append(_Vectors(tokens.numpy()[mask == 1], pooled.numpy()))
    return found


def _least_cosines(name: str, left: list[_Vectors], right: list[_Vectors]) -> dict[str, float]:
    def least(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
        a, b = one.astype(np.float64), other.astype(np.float64)
        cosines = (a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
        return float(cosines.min())

    pairs = list(zip(left, right, strict=True))
    return {
        f"{name}_tokens_cosine_min": round(min(least(a.tokens, b.tokens) for a, b in pairs), 6),
        f"{name}_pooled_cosine_min": round(min(least(a.pooled, b.pooled) for a, b in pairs), 6),
    }


def _notice(plan: ExportPlan) -> str:
    return (
        f"{plan.id} {plan.version}\n\n"
        f"Made from {plan.source}, licensed under {plan.licence}.\n"
        "The graph was exported to ONNX with token and pooled vectors as outputs"
        + ("; weight matrices are stored as 8-bit integers.\n" if plan.precision == "int8" else ".\n")
    )
