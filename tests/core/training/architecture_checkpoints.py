"""Tiny checkpoints of the architectures behind the presets, and what each computes, written out in torch."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.core.training import export_checkpoints as tiny

HIDDEN = 32
BOTTLENECK = 4


@dataclass(frozen=True)
class Architecture:
    """One row of the table test."""

    name: str
    model: str
    layers: int
    pooling: str
    project_to: int = 0
    adapter: str = ""

    def make(self, base: Path) -> Path:
        checkpoint = {"bert": bert, "mpnet": mpnet, "modernbert": modern}[self.model](
            base / "model", self.layers
        )
        as_sentence_transformer(checkpoint, self.pooling, self.project_to)
        if self.adapter:
            adapter(base / "adapter", self.layers, **DESIGNS[self.adapter])
        return checkpoint


TABLE = (
    Architecture("BERT for Patents, PaECTER, patembed-large", "bert", 24, "mean"),
    # The depth of BERT for Patents as well, which is compared above.
    Architecture("PatentMap", "bert", 2, "cls"),
    Architecture("patembed-base", "bert", 12, "mean", project_to=24),
    Architecture("patembed-base_small", "bert", 8, "mean", project_to=16),
    Architecture("patembed-small", "bert", 6, "mean", project_to=12),
    Architecture("patembed-mini", "bert", 4, "mean", project_to=8),
    Architecture("patembed-nano", "bert", 2, "mean", project_to=4),
    Architecture("PatentSBERTa", "mpnet", 3, "cls"),
    Architecture("PatentSBERTa V2", "mpnet", 3, "mean"),
    Architecture("patembed long", "modernbert", 4, "mean"),
    Architecture("SPECTER2", "bert", 3, "cls", adapter="pfeiffer"),
    Architecture("an adapter as Houlsby has it", "bert", 2, "cls", adapter="houlsby"),
)
DESIGNS = {
    "pfeiffer": {"norm_first": True, "residual_first": True, "attention": False},
    "houlsby": {"norm_first": False, "residual_first": True, "attention": True},
    "norm then residual": {"norm_first": True, "residual_first": False, "attention": False},
}


def bert(folder: Path, layers: int, *, max_length: int = tiny.MAX_LENGTH) -> Path:
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(layers)
    config = BertConfig(
        vocab_size=len(tiny.VOCABULARY), hidden_size=HIDDEN, num_hidden_layers=layers, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=max_length, initializer_range=0.2,
    )  # fmt: skip
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    tiny.wordpieces(folder / "tokenizer.json")
    return folder


def mpnet(folder: Path, layers: int, *, max_length: int = 200) -> Path:
    """Relative positions in buckets; two absolute ones can't be used."""
    import torch
    from transformers import MPNetConfig, MPNetModel

    torch.manual_seed(layers)
    config = MPNetConfig(
        vocab_size=len(tiny.VOCABULARY), hidden_size=HIDDEN, num_hidden_layers=layers, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=max_length + 2, initializer_range=0.2,
        pad_token_id=0, bos_token_id=2, eos_token_id=3,
    )  # fmt: skip
    MPNetModel(config, add_pooling_layer=False).save_pretrained(folder)
    tiny.wordpieces(folder / "tokenizer.json")
    return folder


def modern(folder: Path, layers: int) -> Path:
    """Rotary positions, local and global attention by turns, far beyond the numbers fp16 can count."""
    import torch
    from transformers import ModernBertConfig, ModernBertModel

    torch.manual_seed(layers)
    config = ModernBertConfig(
        vocab_size=len(tiny.VOCABULARY), hidden_size=HIDDEN, num_hidden_layers=layers, num_attention_heads=2,
        intermediate_size=48, max_position_embeddings=4096, local_attention=16, initializer_range=0.2,
        global_attn_every_n_layers=3, pad_token_id=0, cls_token_id=2, sep_token_id=3,
        bos_token_id=2, eos_token_id=3,
    )  # fmt: skip
    ModernBertModel(config).save_pretrained(folder)
    tiny.wordpieces(folder / "tokenizer.json")
    return folder


def as_sentence_transformer(folder: Path, pooling: str, project_to: int) -> None:
    """The files around a model; the projection has the width of these checkpoints."""
    kinds = [("Transformer", ""), ("Pooling", "1_Pooling"), *([("Dense", "2_Dense")] if project_to else [])]
    modules = [
        {"idx": number, "name": str(number), "path": place, "type": f"sentence_transformers.models.{kind}"}
        for number, (kind, place) in enumerate(kinds)
    ]
    tiny.write(folder / "modules.json", modules)
    tiny.write(folder / "1_Pooling" / "config.json", tiny.pooling_config(pooling, modern_names=False))
    if project_to:
        _project(folder / "2_Dense", project_to)


def _project(folder: Path, size: int) -> None:
    import torch
    from safetensors.torch import save_file

    identity = "torch.nn.modules.linear.Identity"
    tiny.write(
        folder / "config.json", {"in_features": HIDDEN, "out_features": size, "activation_function": identity}
    )
    generator = torch.Generator().manual_seed(size)
    weight = torch.randn(size, HIDDEN, generator=generator)
    bias = torch.randn(size, generator=generator)
    save_file({"linear.weight": weight, "linear.bias": bias}, str(folder / "model.safetensors"))


def adapter(
    folder: Path, layers: int, *, norm_first: bool, residual_first: bool, attention: bool, **more: object
) -> Path:
    """Files as AdapterHub's library writes them."""
    import torch
    from safetensors.torch import save_file

    config = {
        "mh_adapter": attention, "output_adapter": True, "non_linearity": "relu", "reduction_factor": 8,
        "original_ln_before": norm_first, "original_ln_after": True, "residual_before_ln": residual_first,
        "adapter_residual_before_ln": False, "ln_before": False, "ln_after": False, "is_parallel": False,
        "phm_layer": False, "use_gating": False, "inv_adapter": None, "leave_out": [], "scaling": 1.0,
        "cross_adapter": False, "dropout": 0.0, "init_weights": "bert",
    }  # fmt: skip
    body = {"config": {**config, **more}, "hidden_size": HIDDEN, "model_type": "bert", "name": "[PRX]"}
    tiny.write(folder / "adapter_config.json", body)
    generator = torch.Generator().manual_seed(5)
    weights = {}
    for number in range(layers):
        for place in ("output", *(["attention.output"] if attention else [])):
            stem = f"bert.encoder.layer.{number}.{place}.adapters.[PRX]"
            for part, shape in (
                ("adapter_down.0", (BOTTLENECK, HIDDEN)),
                ("adapter_up", (HIDDEN, BOTTLENECK)),
            ):
                weights[f"{stem}.{part}.weight"] = torch.randn(*shape, generator=generator)
                weights[f"{stem}.{part}.bias"] = torch.randn(shape[0], generator=generator)
    save_file(weights, str(folder / "adapter.safetensors"))
    return folder


def reference(checkpoint: Path, ids: Sequence[int], row: Architecture, folder: Path | None = None):
    """Token vectors and the unit vector of the text, by torch and the formulas alone."""
    import torch
    from safetensors.torch import load_file
    from transformers import AutoModel

    model = AutoModel.from_pretrained(checkpoint, attn_implementation="eager").eval()
    batch = torch.tensor([list(ids)])
    with torch.no_grad():
        if row.adapter:
            tokens = _adapted(model, batch, folder, DESIGNS[row.adapter])[0]
        else:
            tokens = model(input_ids=batch, attention_mask=torch.ones_like(batch)).last_hidden_state[0]
        pooled = tokens[0] if row.pooling == "cls" else tokens.mean(dim=0)
        if row.project_to:
            weights = load_file(str(checkpoint / "2_Dense" / "model.safetensors"))
            matrix, bias = weights["linear.weight"], weights["linear.bias"]
            pooled, tokens = matrix @ pooled + bias, tokens @ matrix.T + bias
    return tokens.numpy(), (pooled / pooled.norm()).numpy()


def _adapted(model, batch, folder, design):
    """BERT layer by layer, its adapters as their paper writes them."""
    from safetensors.torch import load_file

    weights = load_file(str(folder / "adapter.safetensors"))

    def bottleneck(number, place, dense, before, norm):
        stem = f"bert.encoder.layer.{number}.{place}.adapters.[PRX]"
        seen = norm(dense + before) if design["norm_first"] else dense
        down = seen @ weights[f"{stem}.adapter_down.0.weight"].T + weights[f"{stem}.adapter_down.0.bias"]
        up = down.clamp(min=0) @ weights[f"{stem}.adapter_up.weight"].T + weights[f"{stem}.adapter_up.bias"]
        residual = dense if design["residual_first"] else seen
        return norm(up + residual + before)

    hidden = model.embeddings(batch)
    for number, layer in enumerate(model.encoder.layer):
        heads = layer.attention.self(hidden)[0]
        out = layer.attention.output
        if design["attention"]:
            attended = bottleneck(number, "attention.output", out.dense(heads), hidden, out.LayerNorm)
        else:
            attended = out.LayerNorm(out.dense(heads) + hidden)
        dense = layer.output.dense(layer.intermediate(attended))
        hidden = bottleneck(number, "output", dense, attended, layer.output.LayerNorm)
    return hidden


def without(checkpoint: Path, target: Path, *names: str) -> Path:
    """A copy that lacks some files."""
    shutil.copytree(checkpoint, target)
    for name in names:
        (target / name).unlink()
    return target


def edit(path: Path, **changes: object) -> None:
    """Change the ``config`` of an adapter."""
    body = json.loads(path.read_text(encoding="utf-8"))
    body["config"].update(changes)
    path.write_text(json.dumps(body), encoding="utf-8")
