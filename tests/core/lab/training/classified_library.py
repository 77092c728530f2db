"""Made libraries whose documents have classes, and a tiny checkpoint that knows their words.

A document's abstract is half words of its classes and half words that all documents share.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from claimlight.training.documents.corpus import TrainingCorpus
from claimlight.types import ClassSymbol, Scheme
from tests.core.training import export_checkpoints as tiny
from tests.fakes import library, patent

CLASSES = ("A01", "A61", "B65", "C07", "G01", "G06", "H01", "H04")
COMMON = [
    f"{first}{last}" for first in ("zor", "mip", "tun", "kes", "lar") for last in ("an", "el", "ov", "ut")
]


def words_of(label: str) -> list[str]:
    """Ten words that only documents of a class use."""
    start = {name: f"q{chr(97 + number)}" for number, name in enumerate(CLASSES)}[label]
    return [f"{start}{end}" for end in ("ba", "de", "fi", "go", "hu", "ja", "ke", "li", "mo", "nu")]


def document(number: int, labels, *, rng, own: int = 6, common: int = 6, priority: str = ""):
    """A patent with CPC symbols of these classes."""
    words = [word for label in labels for word in rng.sample(words_of(label), own)]
    words += rng.choices(COMMON, k=common)
    rng.shuffle(words)
    made = patent(
        f"{1_000_000 + number}",
        " ".join(words[:3]),
        abstract=" ".join(words[3:]),
        claims=(" ".join(rng.sample(words, len(words))),),
        paragraphs=(" ".join(rng.sample(words, len(words))),),
        priority=priority,
    )
    return replace(
        made,
        classes=tuple(
            ClassSymbol(Scheme.CPC, f"{label}B {rank}/00") for rank, label in enumerate(labels, start=1)
        ),
    )


def documents(count: int, *, seed: int = 0, several: float = 0.2):
    """Patents of all classes in turn; some have a second class."""
    rng = random.Random(seed)
    made = []
    for number in range(count):
        labels = [CLASSES[number % len(CLASSES)]]
        if rng.random() < several:
            labels.append(rng.choice([label for label in CLASSES if label not in labels]))
        made.append(document(number, labels, rng=rng))
    return made


def corpus(folder: Path, patents) -> TrainingCorpus:
    """The corpus of a new library that holds these patents."""
    library(folder, patents).close()
    return TrainingCorpus.open(folder)


def checkpoint(folder: Path, *, layers: int = 2, hidden: int = 32, kind: str = "bert") -> Path:
    """A random model over the words of the made documents, with mean pooling."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertModel, ModernBertConfig, ModernBertModel, MPNetConfig, MPNetModel

    words = [*tiny.SPECIAL, *COMMON, *(word for label in CLASSES for word in words_of(label)), ":", "[", "]"]
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(tiny.SPECIAL)
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(11)
    common = {
        "vocab_size": len(words), "hidden_size": hidden, "num_hidden_layers": layers,
        "num_attention_heads": 2, "intermediate_size": 2 * hidden, "max_position_embeddings": 66,
        "initializer_range": 0.2, "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3,
    }  # fmt: skip
    if kind == "modern":
        positions = {
            "cls_token_id": 2,
            "sep_token_id": 3,
            "local_attention": 16,
            "global_attn_every_n_layers": 3,
        }
        model = ModernBertModel(ModernBertConfig(**common, **positions))
    elif kind == "mpnet":
        model = MPNetModel(MPNetConfig(**common), add_pooling_layer=False)
    else:
        model = BertModel(BertConfig(**common), add_pooling_layer=False)
    model.save_pretrained(folder)
    return tiny.as_sentence_transformer(folder) if hidden == tiny.HIDDEN else _described(folder, hidden)


def _described(folder: Path, hidden: int) -> Path:
    tiny.as_sentence_transformer(folder)
    pooling = {"embedding_dimension": hidden, "pooling_mode": "mean", "include_prompt": True}
    tiny.write(folder / "1_Pooling" / "config.json", pooling)
    return folder
