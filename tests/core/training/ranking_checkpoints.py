"""Tiny SPLADE and ColBERT checkpoints in the layouts they are published in, with random weights."""

from __future__ import annotations

import json
import string
from pathlib import Path

from tests.core.training.export_checkpoints import LETTERS, SPECIAL, WORDS, write

UNUSED = ["[unused0]", "[unused1]"]
MORE = ["wheel", "lens", "pump", "motor", "gear", "lamp", "lever", "spring", "nozzle", "bolt", "frame"]
VOCABULARY = [
    *SPECIAL,
    *UNUSED,
    *string.punctuation,
    *"0123456789",
    *LETTERS,
    *("##" + letter for letter in LETTERS),
    *WORDS[1:],
    *MORE,
]
HIDDEN, DIM, MAX_LENGTH = 32, 16, 48


def _config(max_length: int):
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(VOCABULARY), hidden_size=HIDDEN, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=max_length, initializer_range=0.3, pad_token_id=0,
    )  # fmt: skip


def _tokenizer(folder: Path) -> None:
    from tokenizers import BertWordPieceTokenizer

    pieces = {piece: number for number, piece in enumerate(VOCABULARY)}
    BertWordPieceTokenizer(pieces, lowercase=True).save(str(folder / "tokenizer.json"))
    described = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 10**30}
    write(folder / "tokenizer_config.json", described)


def splade(folder: Path, *, modules: bool = False, max_length: int = MAX_LENGTH, seed: int = 7) -> Path:
    """A masked language model; with ``modules`` as sentence-transformers saves it."""
    import torch
    from transformers import BertForMaskedLM

    folder.mkdir(parents=True)
    torch.manual_seed(seed)
    model = BertForMaskedLM(_config(max_length))
    # Random logits are above zero for half the vocabulary; a trained model leaves out nearly all of it.
    torch.nn.init.constant_(model.cls.predictions.bias, -1.0)
    model.save_pretrained(folder)
    _tokenizer(folder)
    if modules:
        write(
            folder / "modules.json",
            [
                {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.MLMTransformer"},
                {"idx": 1, "name": "1", "path": "1_SpladePooling", "type": "models.SpladePooling"},
            ],
        )
        write(
            folder / "1_SpladePooling" / "config.json",
            {"pooling_strategy": "max", "activation_function": "relu", "word_embedding_dimension": None},
        )
    return folder


def colbert(folder: Path, *, metadata: dict | None = None, max_length: int = MAX_LENGTH) -> Path:
    """As the ColBERT repository saves it: the linear layer among the weights of the transformer."""
    import torch
    from safetensors.torch import save_file
    from transformers import BertModel

    folder.mkdir(parents=True)
    torch.manual_seed(8)
    config = _config(max_length)
    config.architectures = ["HF_ColBERT"]
    model = BertModel(config, add_pooling_layer=False)
    weights = {f"bert.{name}": value.contiguous() for name, value in model.state_dict().items()}
    weights["linear.weight"] = torch.randn(DIM, HIDDEN, generator=torch.Generator().manual_seed(9))
    save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config.to_dict()), encoding="utf-8")
    _tokenizer(folder)
    if metadata is not None:
        write(folder / "artifact.metadata", metadata)
    return folder


def pylate(folder: Path, **told) -> Path:
    """As PyLate saves it: the linear layer is a module of its own."""
    import torch
    from safetensors.torch import save_file
    from transformers import BertModel

    folder.mkdir(parents=True)
    torch.manual_seed(8)
    BertModel(_config(MAX_LENGTH), add_pooling_layer=False).save_pretrained(folder)
    _tokenizer(folder)
    kinds = (("", "sentence_transformers.models.Transformer"), ("1_Dense", "pylate.models.Dense.Dense"))
    write(
        folder / "modules.json",
        [{"idx": n, "name": str(n), "path": path, "type": kind} for n, (path, kind) in enumerate(kinds)],
    )
    layer = {
        "in_features": HIDDEN,
        "out_features": DIM,
        "bias": False,
        "activation_function": "torch.nn.modules.linear.Identity",
    }
    write(folder / "1_Dense" / "config.json", layer)
    weight = torch.randn(DIM, HIDDEN, generator=torch.Generator().manual_seed(9))
    save_file({"linear.weight": weight}, str(folder / "1_Dense" / "model.safetensors"))
    write(
        folder / "config_sentence_transformers.json",
        {
            "query_prefix": "[unused0] ",
            "document_prefix": "[unused1] ",
            "query_length": 12,
            "document_length": 20,
            "attend_to_expansion_tokens": False,
            "skiplist_words": list(string.punctuation),
            **told,
        },
    )
    return folder
