"""Tiny checkpoints of the architectures of published patent encoders, with random weights."""

from __future__ import annotations

import json
from pathlib import Path

LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
WORDS = [
    "a",
    "the",
    "valve",
    "damper",
    "viscous",
    "opens",
    "lid",
    "of",
    "oil",
    "with",
    "abstract",
    "claim",
    "invention",
]
MARKERS = ["[abstract]", "[claim]", "[summary]", "[invention]", "[drawing]", "[description]"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SIGNS = [".", ",", ":", ";", "[", "]", "1", "2"]
VOCABULARY = [*SPECIAL, *MARKERS, *SIGNS, *LETTERS, *("##" + c for c in LETTERS), *WORDS[1:]]
HIDDEN = 64
MAX_LENGTH = 40


def bert(folder: Path, *, tokenizer_json: bool = True, max_length: int = MAX_LENGTH) -> Path:
    """BERT-for-Patents in small: markers stand in the vocabulary and are registered nowhere."""
    import torch
    from transformers import BertConfig, BertModel

    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(VOCABULARY), hidden_size=HIDDEN, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=128, max_position_embeddings=max_length, initializer_range=0.3,
    )  # fmt: skip
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    described = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 10**30}
    (folder / "tokenizer_config.json").write_text(json.dumps(described), encoding="utf-8")
    if tokenizer_json:
        wordpieces(folder / "tokenizer.json")
    return folder


def wordpieces(path: Path) -> None:
    from tokenizers import BertWordPieceTokenizer

    vocabulary = {piece: number for number, piece in enumerate(VOCABULARY)}
    BertWordPieceTokenizer(vocabulary, lowercase=True).save(str(path))


def modern(folder: Path) -> Path:
    """The architecture of the long patembed models: byte-level pieces, rotary positions, local attention."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from tokenizers.processors import TemplateProcessing
    from transformers import ModernBertConfig, ModernBertModel

    folder.mkdir(parents=True, exist_ok=True)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {piece: number for number, piece in enumerate([*SPECIAL, *alphabet, "va", "Ġva"])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[("v", "a"), ("Ġ", "va")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False)
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(7)
    config = ModernBertConfig(
        vocab_size=len(vocabulary), hidden_size=HIDDEN, num_hidden_layers=3, num_attention_heads=2,
        intermediate_size=96, max_position_embeddings=1024, local_attention=16, initializer_range=0.3,
        global_attn_every_n_layers=3, pad_token_id=0, cls_token_id=2, sep_token_id=3,
        bos_token_id=2, eos_token_id=3,
    )  # fmt: skip
    ModernBertModel(config).save_pretrained(folder)
    return folder


def as_sentence_transformer(
    folder: Path,
    pooling: str = "mean",
    *,
    project_to: int = 0,
    modern_names: bool = True,
    prompts: dict | None = None,
) -> Path:
    """Add the files that sentence-transformers puts around a model, in its old or its new spelling."""
    kinds = [("Transformer", ""), ("Pooling", "1_Pooling")]
    if project_to:
        kinds.append(("Dense", "2_Dense"))
    kinds.append(("Normalize", f"{len(kinds)}_Normalize"))
    prefix = "sentence_transformers.base.modules" if modern_names else "sentence_transformers.models"
    modules = [
        {"idx": number, "name": str(number), "path": place, "type": f"{prefix}.{kind}"}
        for number, (kind, place) in enumerate(kinds)
    ]
    write(folder / "modules.json", modules)
    write(folder / "1_Pooling" / "config.json", pooling_config(pooling, modern_names=modern_names))
    if project_to:
        project(folder / "2_Dense", project_to)
    if not modern_names:
        write(folder / "sentence_bert_config.json", {"max_seq_length": 32, "do_lower_case": False})
    write(folder / "config_sentence_transformers.json", {"prompts": prompts or {}})
    return folder


def pooling_config(pooling: str, *, modern_names: bool) -> dict[str, object]:
    if modern_names:
        return {"embedding_dimension": HIDDEN, "pooling_mode": pooling, "include_prompt": True}
    return {
        "word_embedding_dimension": HIDDEN,
        "pooling_mode_cls_token": pooling == "cls",
        "pooling_mode_mean_tokens": pooling == "mean",
        "pooling_mode_max_tokens": pooling == "max",
    }


def project(folder: Path, size: int, activation: str = "torch.nn.modules.linear.Identity") -> None:
    import torch
    from safetensors.torch import save_file

    write(
        folder / "config.json",
        {"in_features": HIDDEN, "out_features": size, "activation_function": activation},
    )
    generator = torch.Generator().manual_seed(9)
    weight = torch.randn(size, HIDDEN, generator=generator)
    bias = torch.randn(size, generator=generator)
    save_file({"linear.weight": weight, "linear.bias": bias}, str(folder / "model.safetensors"))


def write(path: Path, body: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body), encoding="utf-8")
