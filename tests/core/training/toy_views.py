"""A made-up library whose patents have all sections, relatives, shared classes, and some that are no use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from claimlight.training.documents.corpus import TrainingCorpus
from claimlight.types import ClassSymbol, LocalText, Paragraph, Patent, Scheme, Section
from tests.fakes import library, patent

TOPICS = {
    "valve": "valve damper oil viscous piston spring",
    "lid": "lid hinge latch box handle seal",
    "lamp": "lamp diode lens reflector housing cable",
    "plough": "plough soil blade tractor furrow share",
    "antenna": "antenna signal receiver carrier filter phase",
    "yarn": "yarn spindle bobbin fibre thread loom",
}
_SECTIONS = (Section.BACKGROUND, Section.SUMMARY, Section.DRAWINGS, Section.DETAILED)


def sentence(words: Sequence[str], turn: int) -> str:
    """A sentence of a dozen words, another one for every turn."""
    chosen = [words[(turn + step) % len(words)] for step in range(4)]
    return f"The {chosen[0]} opens the {chosen[1]} with a {chosen[2]} of the {chosen[3]} number {turn}."


def text(words: Sequence[str], start: int, count: int = 3) -> str:
    """``count`` sentences."""
    return " ".join(sentence(words, start + turn) for turn in range(count))


def made(number: int, topic: str, *, priority: str = "", sections: Sequence[Section] = _SECTIONS) -> Patent:
    """A patent whose every section begins with the section's name."""
    words = TOPICS[topic].split()
    plain = patent(
        f"{1000 + number}",
        f"Title {number} {topic}",
        claims=[
            f"A {topic} {text(words, number, 2)}",
            f"The {topic} of claim 1, {text(words, number + 3, 2)}",
        ],
        abstract=f"Abstract {number}. {text(words, number)}",
        priority=priority or f"p{number}",
        published=date(2012, 1, 1 + number % 28),
    )
    return replace(
        plain,
        description=tuple(
            Paragraph(
                f"{section.value.title()} {number}. {text(words, number + turn)}", section, language="en"
            )
            for turn, section in enumerate(sections, 1)
        ),
        classes=(
            ClassSymbol(Scheme.IPC, "A01B 1/00"),
            ClassSymbol(Scheme.IPC, f"A01B 3/{list(TOPICS).index(topic):02}"),
            ClassSymbol(Scheme.CPC, f"B60W 10/{number:02}"),
        ),
    )


def many(per_topic: int = 6) -> list[Patent]:
    """``per_topic`` patents of each topic, each with exactly the IPC classes of its topic."""
    return [
        made(10 * place + number, topic) for place, topic in enumerate(TOPICS) for number in range(per_topic)
    ]


def without_abstract(item: Patent, words: int = 0) -> Patent:
    """The same with an abstract of so many words."""
    short = " ".join(["short"] * words)
    return replace(item, abstracts=(LocalText(short, "en"),) if short else ())


def with_section(item: Patent, section: Section, *texts: str) -> Patent:
    """The same with other paragraphs under one section."""
    kept = tuple(paragraph for paragraph in item.description if paragraph.section is not section)
    added = tuple(Paragraph(body, section, language="en") for body in texts)
    return replace(item, description=kept + added)


def corpus(folder: Path, patents: Sequence[Patent]) -> TrainingCorpus:
    """An open corpus of these patents, ids from 1 in their order."""
    library(folder, patents).close()
    return TrainingCorpus.open(folder)


def checkpoint(folder: Path) -> Path:
    """BERT for Patents in small: a bare model, with four of the markers as words of its vocabulary."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from tokenizers.processors import TemplateProcessing
    from transformers import BertConfig, BertModel

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    markers = ["[abstract]", "[claim]", "[summary]", "[invention]"]
    sections = [section.value for section in Section]
    words = {word for topic in TOPICS.values() for word in topic.split()} | set(sections)
    words |= {"the", "opens", "with", "a", "of", "number", "title", "claim", ",", ".", "[", "]"} | {
        str(n) for n in range(70)
    }
    vocabulary = {word: number for number, word in enumerate([*special, *markers, *sorted(words)])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(special)
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(11)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=96, initializer_range=0.2,
    )  # fmt: skip
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder
