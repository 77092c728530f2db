"""A made library with classes, citations, dates and abstracts that name their parts."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from claimlight.text.patenteb import TASKS
from claimlight.training.documents.corpus import TrainingCorpus
from claimlight.types import Citation, ClassSymbol, LocalText, Origin, Scheme
from tests.core.training import export_checkpoints as tiny
from tests.fakes import library, patent

CLASSES = ("A01", "A61", "B65", "C07", "G06", "H04")
THINGS = {
    "A01": "plough",
    "A61": "splint",
    "B65": "carton",
    "C07": "resin",
    "G06": "cursor",
    "H04": "antenna",
}
WORDS = (
    "axle",
    "beam",
    "cord",
    "dome",
    "edge",
    "fork",
    "gear",
    "hook",
    "inlet",
    "joint",
    "knob",
    "lever",
    "seal",
)


@dataclass(frozen=True)
class Invention:
    """One family."""

    number: int
    labels: tuple[str, ...]
    filed: date
    cites: tuple[int, ...]
    style: str
    title: str
    problem: str
    solution: str
    effect: str

    @property
    def abstract(self) -> str:
        return {
            "japanese": f"PROBLEM TO BE SOLVED: {self.problem} SOLUTION: {self.solution} SELECTED DRAWING: 1",
            "russian": f"FIELD: a thing. SUBSTANCE: {self.solution} EFFECT: {self.effect} 3 cl, 2 dwg",
            "plain": f"{self.solution} {self.effect}",
        }[self.style]

    @property
    def claim(self) -> str:
        return f"A {self.title}, wherein {self.solution.lower()}"


def inventions(count: int = 120, *, seed: int = 3) -> list[Invention]:
    """Families in the order of filing; each cites up to six earlier ones, mostly near in class."""
    rng = random.Random(seed)
    made: list[Invention] = []
    for number in range(count):
        labels = tuple(rng.sample(CLASSES, rng.choice((1, 1, 1, 2, 2, 3))))
        near = [item.number for item in made if set(item.labels) & set(labels)]
        cited = rng.sample(near, min(len(near), rng.randrange(5)))
        cited += rng.sample(range(number), min(number, rng.randrange(3)))
        one, two, three = rng.sample(WORDS, 3)
        thing = THINGS[labels[0]]
        made.append(
            Invention(
                number=number,
                labels=labels,
                filed=date(1990, 1, 1) + timedelta(days=60 * number),
                cites=tuple(dict.fromkeys(cited)),
                style=("japanese", "russian", "plain", "japanese")[number % 4],
                title=f"{thing} with {one} {number}",
                problem=f"To keep the {one} of a {thing} from {two}ing {number}.",
                solution=f"The {thing} has a {two} on its {three} {number}.",
                effect=f"higher {three} of the {thing} {number}.",
            )
        )
    return made


def patents(items: list[Invention]):
    """Publications; every fifth family has two, of which the first has no claims and one class less."""
    made = []
    for item in items:
        number = f"{1_000_000 + item.number}"
        symbols = tuple(ClassSymbol(Scheme.IPC, f"{label}B {n}/00") for n, label in enumerate(item.labels, 1))
        base = replace(
            patent(number, item.title, abstract=item.abstract, claims=(item.claim,)),
            filed=item.filed,
            published=item.filed + timedelta(days=540),
            classes=symbols,
            citations=tuple(
                Citation(made_number(cited), category="X", origin=Origin.SEARCH) for cited in item.cites
            ),
        )
        if item.number % 5 == 0:
            early = replace(base, claims=(), classes=symbols[:1], citations=())
            base = replace(
                base,
                publication=replace(base.publication, kind="B1"),
                published=item.filed + timedelta(days=1200),
                titles=(LocalText(item.title, "en"),),
            )
            made.append(early)
        made.append(base)
    return made


def made_number(number: int):
    return patent(f"{1_000_000 + number}", "").publication


def corpus(folder: Path, items: list[Invention]) -> TrainingCorpus:
    library(folder, patents(items)).close()
    return TrainingCorpus.open(folder)


def checkpoint(folder: Path, items: list[Invention], *, pooling: str = "mean") -> Path:
    """A random model of two layers that knows every word of the inventions and of the prompts."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertModel

    texts = [f"{item.title} {item.abstract} {item.claim} {item.problem} {item.effect}" for item in items]
    texts += [side.prompt for task in TASKS for side in (task.left, task.right) if side]
    words = sorted({word for text in texts for word in re.findall(r"[a-z]+|\d+|[^\w\s]", text.lower())})
    vocabulary = [*tiny.SPECIAL, *words]
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(tiny.SPECIAL)
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(11)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=tiny.HIDDEN, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=128, max_position_embeddings=80, initializer_range=0.2,
    )  # fmt: skip
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return tiny.as_sentence_transformer(folder, pooling)
