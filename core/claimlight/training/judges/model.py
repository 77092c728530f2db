"""The trainable judge: a cross-encoder of a feature in its claim and a passage.

The feature (after the preamble of its claim) and the passage are one input with two segments. A hidden layer
over the first token, the mean of the feature and the mean of the passage gives the ruling; a linear layer
over the tokens of the feature says which of them the passage meets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError
from claimlight.judging.reading import JudgeInput, pad
from claimlight.training.judges.material import Cell

FIRST_STAGE = ("entailed.", "alike.")
"""How the weights of the heads of the first stage begin; a package has none."""


def make_judge(transformer: Any, hidden: int, seed: int) -> Any:
    """A ``ModuleDict`` of transformer and heads: ruling, terms, and those of the first stage."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        mixed = torch.nn.Sequential(
            torch.nn.Linear(3 * hidden, hidden), torch.nn.GELU(), torch.nn.Dropout(0.1)
        )
        parts = {
            "transformer": transformer,
            "mixed": mixed,
            "ruling": torch.nn.Linear(hidden, 1),
            "terms": torch.nn.Linear(hidden, 1),
            "entailed": torch.nn.Linear(hidden, 1),
            "alike": torch.nn.Linear(hidden, 1),
        }
        return torch.nn.ModuleDict(parts)


def keep_layers(module: Any, layers: int, *, lowest: bool = False) -> None:
    """Keep ``layers`` of the transformer's layers: the first and the last and others evenly between them.

    ``lowest``: the lowest ones instead. Raises `InputError` if it has fewer, or is built otherwise.
    """
    import torch

    transformer = module["transformer"]
    own = _layers(module)
    if not 1 < layers <= len(own):
        raise InputError(f"the transformer has {len(own)} layers: {layers} of them can't be kept")
    last = layers - 1 if lowest else len(own) - 1
    kept = np.linspace(0, last, layers).round().astype(int).tolist()
    transformer.encoder.layer = torch.nn.ModuleList([own[place] for place in kept])
    transformer.config.num_hidden_layers = layers


def freeze(module: Any, layers: int) -> None:
    """Let the embeddings of words stay as they are, and the ``layers`` lowest layers with all below them.

    Raises `InputError` if the transformer has no layers above these, or is built otherwise.
    """
    transformer = module["transformer"]
    transformer.get_input_embeddings().weight.requires_grad_(False)  # noqa: FBT003 - as torch has it
    if not layers:
        return
    own = _layers(module)
    if layers >= len(own):
        raise InputError(f"the transformer has {len(own)} layers: {layers} of them can't stay as they are")
    above = {id(weight) for layer in own[layers:] for weight in layer.parameters()}
    for weight in transformer.parameters():
        weight.requires_grad_(id(weight) in above)


def _layers(module: Any) -> Any:
    return getattr(getattr(module["transformer"], "encoder", None), "layer", ())


def find_device(module: Any) -> Any:
    """The ``torch.device`` of the weights."""
    return next(module.parameters()).device


def runs_half(device: Any) -> bool:
    """Whether a device computes in bf16; without the instructions for it, half precision is far slower."""
    import torch

    return device.type != "cpu" or bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def forward(
    module: Any, inputs: Sequence[JudgeInput], *, heads: Sequence[str] = ("ruling",)
) -> dict[str, Any]:
    """Logits of one padded batch: [n] for each head, and ``terms`` [n, tokens] for every token."""
    import torch

    place = find_device(module)
    padded = pad([item.window for item in inputs])
    given = {name: torch.from_numpy(value).to(place) for name, value in padded.items()}
    return apply(module, given, heads=heads)


def apply(module: Any, given: Mapping[str, Any], *, heads: Sequence[str] = ("ruling",)) -> dict[str, Any]:
    """As `forward`, for the tensors of a batch by the names of the graph's inputs."""
    import torch

    of, text = given["feature_mask"], given["token_type_ids"]
    transformer = module["transformer"]
    # Where a transformer knows no kinds of tokens, the token between the texts tells them apart.
    typed = "token_type_ids" in signature(transformer.forward).parameters
    names = ("input_ids", "attention_mask", "token_type_ids") if typed else ("input_ids", "attention_mask")
    tokens = transformer(**{name: given[name] for name in names}).last_hidden_state
    mixed = module["mixed"](torch.cat([tokens[:, 0], _mean(tokens, of), _mean(tokens, text)], 1))
    found = {name: module[name](mixed).squeeze(-1).float() for name in heads}
    found["terms"] = module["terms"](tokens).squeeze(-1).float()
    return found


def _mean(tokens: Any, mask: Any) -> Any:
    share = mask.unsqueeze(-1).to(tokens.dtype)
    return (tokens * share).sum(1) / share.sum(1).clamp(min=1.0)


def term_targets(item: JudgeInput, cell: Cell) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Indices of the tokens whose ruling is known, and 1 where the passage meets them."""
    places, met = [], []
    for number, (start, end) in enumerate(item.offsets):
        for term in cell.terms:
            if term.start <= start and end <= term.end:
                places.append(item.feature[0] + number)
                met.append(float(term.met))
                break
    return np.array(places, dtype=np.int64), np.array(met, dtype=np.float32)
