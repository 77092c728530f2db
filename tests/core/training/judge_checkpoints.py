"""Tiny checkpoints of judges, with random weights: every architecture behind the presets of judges."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.core.training import export_checkpoints as tiny

LONGEST = 700
HIDDEN = 64
_SIZE: Mapping[str, Any] = {
    "hidden_size": HIDDEN, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 96,
    "max_position_embeddings": LONGEST, "initializer_range": 0.25,
}  # fmt: skip
_SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<|im_start|>", "<|im_end|>"]


def byte_pieces(folder: Path, special: list[str], single: str, pair: str = "") -> int:
    """A byte-level tokenizer with a few merges; the number of its pieces."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from tokenizers.processors import TemplateProcessing

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("v", "a"), ("Ġ", "va"), ("l", "v"), ("Y", "e"), ("Ye", "s"), ("N", "o")]
    merges += [("Ġ", "Yes"), ("Ġ", "No")]
    joined = ["".join(pair) for pair in merges]
    vocabulary = {piece: number for number, piece in enumerate([*special, *alphabet, *joined])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(item, special=True, normalized=False) for item in special])
    if single:
        used = [(item, vocabulary[item]) for item in special if item in f"{single} {pair}".split()]
        used += [(item, vocabulary[item]) for item in special if f"{item}:1" in pair.split()]
        tokenizer.post_processor = TemplateProcessing(
            single=single, pair=pair or None, special_tokens=sorted(set(used))
        )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    return len(vocabulary)


def labels(count: int) -> dict[str, Any]:
    """The head of a reranker (1) or of an entailment model (3)."""
    if count == 1:
        return {"num_labels": 1}
    names = ("contradiction", "entailment", "neutral")
    return {
        "id2label": dict(enumerate(names)),
        "label2id": {name: place for place, name in enumerate(names)},
    }


def classifier(folder: Path, architecture: str, count: int) -> Path:
    """A cross-encoder of one of the four architectures."""
    import torch
    from transformers import (
        AutoModelForSequenceClassification,
        BertConfig,
        DebertaV2Config,
        ModernBertConfig,
        XLMRobertaConfig,
    )

    folder.mkdir(parents=True)
    own: dict[str, Any] = dict(_SIZE) | labels(count)
    if architecture == "bert":
        tiny.wordpieces(folder / "tokenizer.json")
        config = BertConfig(**own, vocab_size=len(tiny.VOCABULARY))
    elif architecture == "xlm-roberta":
        size = byte_pieces(folder, _SPECIAL, "<s> $A </s>", "<s> $A </s> </s> $B </s>")
        own["max_position_embeddings"] += 2
        config = XLMRobertaConfig(
            **own, vocab_size=size, type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2
        )
    elif architecture == "deberta-v2":
        size = byte_pieces(folder, tiny.SPECIAL, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
        config = DebertaV2Config(
            **own, vocab_size=size, relative_attention=True, position_biased_input=False,
            pos_att_type=["p2c", "c2p"], position_buckets=32, norm_rel_ebd="layer_norm", share_att_key=True,
            type_vocab_size=0, pad_token_id=0,
        )  # fmt: skip
    else:
        size = byte_pieces(folder, tiny.SPECIAL, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]")
        config = ModernBertConfig(
            **own, vocab_size=size, local_attention=16, global_attn_every_n_layers=2, pad_token_id=0,
            cls_token_id=2, sep_token_id=3, bos_token_id=2, eos_token_id=3,
        )  # fmt: skip
    torch.manual_seed(3)
    AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    return folder


def instruction(folder: Path, architecture: str) -> Path:
    """A causal model; Llama's tokenizer begins every text with a token."""
    import torch
    from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config, Qwen3Config

    begins = architecture == "llama"
    size = byte_pieces(folder, _SPECIAL, "<s> $A" if begins else "")
    own: dict[str, Any] = dict(_SIZE) | {"num_key_value_heads": 1, "vocab_size": size, "pad_token_id": 1}
    own |= {"bos_token_id": 0, "eos_token_id": 2}
    config = {
        "llama": lambda: LlamaConfig(**own),
        "qwen2": lambda: Qwen2Config(**own),
        "qwen3": lambda: Qwen3Config(**own, head_dim=32, tie_word_embeddings=True),
    }[architecture]()
    torch.manual_seed(3)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    return folder


def disclosure(folder: Path, *, seed: int = 5, longest: int = 200, mpnet: bool = False) -> Path:
    """A judge as this program trains it, from BERT or from MPNet."""
    import torch
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertModel, MPNetConfig, MPNetModel

    from claimlight.training.judges.checkpoint import save_judge
    from claimlight.training.judges.model import make_judge

    torch.manual_seed(seed)
    size = {**_SIZE, "max_position_embeddings": longest + 2, "vocab_size": len(tiny.VOCABULARY)}
    transformer = MPNetModel(MPNetConfig(**size)) if mpnet else BertModel(BertConfig(**size))
    module = make_judge(transformer, HIDDEN, seed)
    folder.parent.mkdir(parents=True, exist_ok=True)
    words = folder.parent / f"{folder.name}-words.json"
    tiny.wordpieces(words)
    save_judge(folder, module, Tokenizer.from_file(str(words)), max_length=longest)
    return folder
