"""A tiny causal language model with random weights, as such checkpoints lie on disk."""

from __future__ import annotations

import json
from pathlib import Path

WORDS = "the a valve damper lid lamp opens shuts of with oil box hinge . , is in under over near".split()  # noqa: SIM905
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<think>", "</think>"]
LIMIT = 160
TEMPLATE = (
    "{% for m in messages %}{{ '<s> ' + m['content'] + ' </s>' }}{% endfor %}"
    "{% if not enable_thinking|default(true) %}<think> </think>{% endif %}"
)


def model(folder: Path, *, chat: bool = False, seed: int = 3) -> Path:
    """Weights, configuration and a tokenizer of whole words; with a chat template where wanted."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.save(str(folder / "tokenizer.json"))
    described: dict[str, object] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": "<pad>",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "model_max_length": LIMIT,
    }
    if chat:
        described["chat_template"] = TEMPLATE
    (folder / "tokenizer_config.json").write_text(json.dumps(described), encoding="utf-8")
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=32, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=LIMIT, initializer_range=0.4,
        pad_token_id=0, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    made = LlamaForCausalLM(config)
    made.generation_config.do_sample = True
    made.generation_config.temperature = 0.6
    made.generation_config.top_k = 20
    made.save_pretrained(folder)
    return folder
