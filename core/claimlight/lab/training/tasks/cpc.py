"""Pairwise contrastive CPC fine-tuning (Jain & Wang 2025): pairs that share a section or class, or do not.

At the section level all pairs are one mixture. Below it, down to the subgroup, there is a phase for each
section, in the order A to H, Y, as the paper trains its classes (appendix D1): every example of a phase comes
before the next begins. ``replay`` mixes pairs of what was learned before into each phase, the section level
included, because what was learned of A may be forgotten by the time Y is learned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from claimlight.errors import InputError
from claimlight.lab.training.mining.cpc_pairs import Labels, Pairs, Sharing, join_pairs, label_pairs
from claimlight.text.class_levels import split_class_levels
from claimlight.training.documents.class_index import Level
from claimlight.training.documents.corpus import TrainingCorpus, TrainingDocument
from claimlight.training.task import Batch, TaskSource, generator
from claimlight.types import Scheme

SECTIONS = ("A", "B", "C", "D", "E", "F", "G", "H", "Y")
PARTS = ("title", "abstract", "claims")
LEVELS = {
    "section": Level.SECTION,
    "class": Level.CLASS,
    "subclass": Level.SUBCLASS,
    "main-group": Level.MAIN_GROUP,
    "subgroup": Level.SUBGROUP,
}
PAIRS = {Level.SECTION: 2000, Level.MAIN_GROUP: 100, Level.SUBGROUP: 40}
"""Positive pairs of a label by default; 400 at other levels. The paper says what there are for sections and
classes; there are ten to a hundred times as many groups, most of a handful of documents."""
_TAG = re.compile(r"<[^>\s][^>]{0,80}>")
_READ = 20_000
"""Characters of a document that are read: no window of 4,096 tokens holds more."""


class Negatives(StrEnum):
    """Where the other document of a negative pair comes from, below the section."""

    SECTION = "section"
    """The section, as in the paper."""
    PARENT = "parent"
    """The label one level up, as far as it goes, then the section."""


@dataclass(frozen=True, slots=True)
class CpcPlan:
    """What pairs are made."""

    level: Level = Level.SECTION
    scheme: Scheme = Scheme.CPC
    pairs: int = 2000
    """Positive ones of each label, and as many negative ones."""
    sharing: Sharing = Sharing.ANY
    sections: tuple[str, ...] = SECTIONS
    """In the order in which they are learned, below the section level."""
    replay: float = 0.0
    """Share of a phase's examples that come from earlier phases and the section level."""
    passes: int = 1
    """Times that a phase goes through its own pairs before the next begins."""
    least: int = 2
    """Documents of a label that gives pairs."""
    near: bool = False
    """Whether negative pairs stay under the label above as far as that has other documents."""


def phases(corpus: TrainingCorpus, plan: CpcPlan, seed: int) -> tuple[Pairs, ...]:
    """The pairs of each phase, by places in ``corpus.ids``, shuffled inside the phase."""
    sections = _labels(corpus, plan.scheme, Level.SECTION)
    if plan.level is Level.SECTION:
        own = [_of_labels(sections, plan.sections, plan, seed)]
        return _with_replay(own, own[0].at(np.empty(0, dtype=np.int64)), plan, seed)
    labels = _labels(corpus, plan.scheme, plan.level)
    order = tuple(Level)
    parents = _labels(corpus, plan.scheme, order[order.index(plan.level) - 1]) if plan.near else None
    own = [
        _of_labels(labels, [label for label in labels.members if label[0] == section], plan, seed, parents)
        for section in plan.sections
    ]
    before = (
        _of_labels(sections, plan.sections, plan, seed)
        if plan.replay
        else own[0].at(np.empty(0, dtype=np.int64))
    )
    return _with_replay([pairs for pairs in own if len(pairs)], before, plan, seed)


class CpcTask:
    """Two columns, label 1 where the pair belongs together; examples in the order of the phases."""

    name = "cpc"
    columns = 2

    def __init__(
        self, corpus: TrainingCorpus, plan: CpcPlan, *, parts: Sequence[str], prompt: str, seed: int
    ) -> None:
        """``prompt`` is put before every text; parts are joined by a newline."""
        self._corpus = corpus
        self._parts = tuple(parts)
        self._prompt = prompt
        self._seed = seed
        self._phases = phases(corpus, plan, seed)
        self._all = join_pairs(self._phases)

    @property
    def examples(self) -> int:
        """Pairs of all phases."""
        return len(self._all)

    @property
    def phase_sizes(self) -> tuple[int, ...]:
        """Pairs of each phase, in order."""
        return tuple(len(pairs) for pairs in self._phases)

    def batch(self, step: int, size: int) -> Batch:
        """The pairs of a step in the order of the phases; the last batch of an epoch is what is left."""
        batches = -(-self.examples // size)
        begin = step % batches * size
        pairs = self._all.at(self._order(step // batches)[begin : begin + size])
        ids = self._corpus.ids
        wanted = [*ids[pairs.left].tolist(), *ids[pairs.right].tolist()]
        documents = self._corpus.read(wanted, description=False)
        texts = [self._text(document) for document in documents]
        count = len(pairs)
        return Batch((tuple(texts[:count]), tuple(texts[count:])), tuple(map(float, pairs.positive)))

    def _order(self, epoch: int) -> NDArray[np.int64]:
        """Another order inside each phase for every epoch after the first."""
        # The pairs are shuffled inside each phase already.
        if not epoch:
            return np.arange(self.examples)
        begin, found = 0, []
        for number, size in enumerate(self.phase_sizes):
            found.append(begin + generator(self._seed, epoch, number).permutation(size))
            begin += size
        return np.concatenate(found)

    def _text(self, document: TrainingDocument) -> str:
        """The parts without tags, whitespace as single spaces (paper, section 3)."""
        whole = {
            "title": document.title,
            "abstract": document.abstract,
            "claims": "\n".join(document.claims),
        }
        # Cut before the pattern runs: claims can be hundreds of thousands of characters.
        read = "\n".join(whole[part] for part in self._parts if whole[part])[:_READ]
        return self._prompt + " ".join(_TAG.sub(" ", read).split())


def cpc(source: TaskSource) -> CpcTask:
    """The task ``cpc``; `InputError` where the library has no two labels to tell apart."""
    params = source.params
    level = LEVELS[params.text("level", "section", among=tuple(LEVELS))]
    plan = CpcPlan(
        level=level,
        scheme=Scheme(params.text("scheme", "cpc", among=("cpc", "ipc"))),
        pairs=params.integer("pairs", PAIRS.get(level, 400), least=1),
        sharing=Sharing(params.text("sharing", "any", among=tuple(Sharing))),
        sections=params.texts("sections", SECTIONS, among=SECTIONS),
        replay=params.number("replay", 0.0, least=0, most=0.9),
        passes=params.integer("passes", 1, least=1),
        least=params.integer("least", 2, least=2),
        near=params.text("negatives", "section", among=tuple(Negatives)) == Negatives.PARENT,
    )
    task = CpcTask(
        source.corpus,
        plan,
        parts=params.texts("parts", PARTS, among=PARTS),
        prompt=params.text("prompt", ""),
        seed=source.seed,
    )
    if not task.examples:
        raise InputError(
            f"{source.corpus.folder} has no pairs of {plan.scheme} labels to learn from: at least two "
            "documents of different families must share one, and others not have it."
        )
    return task


def _labels(corpus: TrainingCorpus, scheme: Scheme, level: Level) -> Labels:
    ids = corpus.ids
    groups = corpus.classes().groups(scheme, level)
    known: dict[str, int] = {}
    families = [known.setdefault(corpus.family(item), len(known)) for item in ids.tolist()]
    return Labels(
        {label: np.searchsorted(ids, members) for label, members in groups.items()},
        np.array(families, dtype=np.int64),
    )


def _of_labels(
    labels: Labels, wanted: Sequence[str], plan: CpcPlan, seed: int, parents: Labels | None = None
) -> Pairs:
    """Pairs of some labels in one shuffled mixture; negative ones stay among these labels' documents.

    ``parents`` are the labels one level up, if negative pairs are to stay under them.
    """
    held = [label for label in wanted if label in labels.members]
    if not held:
        return join_pairs([])
    others = np.unique(np.concatenate([labels.members[label] for label in held]))
    parts = [
        label_pairs(
            labels,
            label,
            count=plan.pairs,
            seed=seed,
            sharing=plan.sharing,
            others=others,
            near=None if parents is None else parents.members.get(_above(label, plan.level)),
        )
        for label in held
        if len(labels.members[label]) >= plan.least
    ]
    pairs = join_pairs(parts)
    return pairs.at(np.random.default_rng((seed, len(pairs))).permutation(len(pairs)))


def _above(label: str, level: Level) -> str:
    """The label one level up."""
    levels = split_class_levels(label)
    order = tuple(Level)
    return "" if levels is None else str(getattr(levels, order[order.index(level) - 1].value))


def _with_replay(own: Sequence[Pairs], before: Pairs, plan: CpcPlan, seed: int) -> tuple[Pairs, ...]:
    """Each phase gone through ``passes`` times, every time with its share of what came before."""
    # Nothing in the paper's sequence keeps what was learned first; ``replay`` mixes it in.
    found, past = [], before
    for number, pairs in enumerate(own):
        rng = np.random.default_rng((seed, number, len(pairs)))
        # ``replay`` is the share of the whole phase, not of its new pairs.
        again = round(len(pairs) * plan.replay / (1 - plan.replay)) if len(past) else 0
        rounds = []
        for _ in range(plan.passes):
            mixed = join_pairs([pairs, past.at(rng.integers(len(past), size=again))]) if again else pairs
            rounds.append(mixed.at(rng.permutation(len(mixed))))
        found.append(join_pairs(rounds))
        past = join_pairs([past, pairs])
    return tuple(found)
