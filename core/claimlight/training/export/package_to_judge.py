"""Restoring the checkpoint of a judge from its package, so that it can be trained further.

The weights are those of the graph; what 8 or 16 bits rounded stays rounded. A package has no heads for the
first stage of training (sentences and terms): new ones are made, which know nothing. The result is verified:
its rulings are compared with those of the graph.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders.session import Session
from claimlight.encoders.token_reader import open_tokenizer
from claimlight.errors import InputError
from claimlight.judging import probes
from claimlight.judging.manifest import JUDGE_FILE, JudgeKind
from claimlight.judging.package import JudgePackage
from claimlight.judging.pair_reading import open_reader
from claimlight.judging.reading import Ids, pad
from claimlight.training.export.graph_weights import (
    MPNET,
    RELATIVE,
    WORDS,
    OnnxGraph,
    Weights,
    count_layers,
    find_layout,
    not_bert,
    read_transformer,
)
from claimlight.training.export.package_to_checkpoint import (
    RestoredCheckpoint,
    describe_bert,
    describe_mpnet,
    find_heads,
)
from claimlight.training.judges.checkpoint import save_judge
from claimlight.training.judges.model import FIRST_STAGE, apply, make_judge

LEAST = {"fp16": 0.97}
"""Least agreement with the rulings of a graph in this precision, whose own arithmetic rounds; else
`LEAST_AGREEMENT`."""
LEAST_AGREEMENT = 0.999
"""1 less the largest difference of a logit, of logits beyond 1 the share."""
_TRANSFORMER = "judge.transformer."
_OUTPUTS = ("ruling", "terms")
_SEED = 0
_FloatArray = NDArray[np.float32]


def restore_judge(package: JudgePackage, folder: Path) -> RestoredCheckpoint:
    """Write the weights of a judge as a checkpoint (`save_judge`) into ``folder``, which must not exist yet.

    Raises `InputError` for other kinds of judges than ours, for a graph that is not like BERT or MPNet, and
    if the checkpoint does not rule as the graph does.
    """
    manifest = package.manifest
    if manifest.kind is not JudgeKind.DISCLOSURE:
        raise InputError(
            f"{package.folder.name} is a judge of kind {manifest.kind}: only judges of kind "
            f"{JudgeKind.DISCLOSURE}, as this program trains them, can be trained further."
        )
    graph = OnnxGraph.read(package, JUDGE_FILE)
    layout = find_layout(graph, _TRANSFORMER)
    own, products = read_transformer(graph, package, _TRANSFORMER, layout)
    weights = {f"transformer.{name}": value for name, value in own.items()}
    weights |= _read_heads(graph, package, products)
    batch = pad([window for pair in probes.PROBES for window in open_reader(package).read(pair).windows])
    wanted = _run_graph(graph, batch)

    def build(heads: int) -> Any:
        described = describe_mpnet(graph, own) if layout is MPNET else describe_bert(graph, own, heads=heads)
        return _build(described, weights)

    least = LEAST.get(manifest.precision, LEAST_AGREEMENT)
    heads, agreement = (
        (own[RELATIVE].shape[1], _agree(build(0), batch, wanted))
        if layout is MPNET
        else find_heads(own[WORDS].shape[1], lambda heads: _agree(build(heads), batch, wanted), least)
    )
    if agreement < least:
        raise InputError(
            f"The judge {package.folder.name} can't be trained further from its graph: the restored "
            f"checkpoint gives other rulings (agreement {agreement:.4f}). Name the original with "
            "--checkpoint."
        )
    licence = package.folder / "LICENSE"
    save_judge(
        folder,
        build(heads),
        open_tokenizer(package),
        max_length=manifest.max_length,
        licence=licence if licence.is_file() else None,
    )
    return RestoredCheckpoint(folder, count_layers(own), heads, agreement)


def _read_heads(graph: OnnxGraph, package: JudgePackage, products: list[Any]) -> Weights:
    """The hidden layer, the ruling and the terms."""
    single = [node for node in graph.nodes if node.op_type == "Gemm"]
    if len(products) != 1 or len(single) != 2:
        raise not_bert(package)
    found = graph.linear("terms", products[0])
    for name, node in zip(("mixed.0", "ruling"), single, strict=True):
        found |= graph.transposed(name, node)
    return found


def _build(described: dict[str, Any], weights: Weights) -> Any:
    import torch
    from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

    of_bert = described["model_type"] == "bert"
    make_config, make = (BertConfig, BertModel) if of_bert else (MPNetConfig, MPNetModel)
    # Tokens are hidden in training instead: dropout costs time.
    config = make_config(**described, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    module = make_judge(make(config, add_pooling_layer=False), config.hidden_size, _SEED)
    given = {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
    loaded = module.load_state_dict(given, strict=False)
    missing = [name for name in loaded.missing_keys if not name.startswith(FIRST_STAGE)]
    if missing or loaded.unexpected_keys:
        raise InputError(f"the graph lacks weights of a judge: {', '.join(missing)}")
    return module.float().eval()


def _run_graph(graph: OnnxGraph, batch: dict[str, Ids]) -> list[_FloatArray]:
    # `Session` dequantises weights when it opens; by default ONNX Runtime would also round activations.
    session = Session(graph.model.SerializeToString(), device="cpu", threads=1)
    inputs = {name: value for name, value in batch.items() if name in session.inputs}
    return session.compute(inputs, _OUTPUTS)


def _agree(module: Any, batch: dict[str, Ids], wanted: list[_FloatArray]) -> float:
    import torch

    with torch.no_grad():
        found = apply(module, {name: torch.from_numpy(value) for name, value in batch.items()})
    read = batch["attention_mask"] == 1
    pairs = [(found["ruling"].numpy(), wanted[0]), (found["terms"].numpy()[read], wanted[1][read])]
    gaps = [np.abs(one - other) / np.maximum(np.abs(other), 1.0) for one, other in pairs]
    return 1.0 - float(np.nan_to_num(max(float(gap.max()) for gap in gaps), nan=np.inf))
