"""Training a judge: first on entailment and terms that are alike, then on minimal pairs and charts.

A step of the second stage has the cells of one chart or of two groups, or of several such blocks. Three
losses are summed: the ruling on each cell; the order of every disclosed and undisclosed cell that share a
feature or a passage; and which words of the feature are met, where minimal pairs show it. Where a teacher has
ruled on further pairs, some of these come with every step, and a fourth loss is how far the judge is from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claimlight import codec
from claimlight.errors import InputError, TaskCancelled
from claimlight.judging.reading import Ids, JudgeInput, JudgeReader, pad
from claimlight.tasks import TaskContext
from claimlight.training.judges.material import Block, Cell, SentencePair, TaughtPair, TrainingChart
from claimlight.training.judges.model import apply, find_device, freeze, runs_half, term_targets
from claimlight.training.judges.variants import vary_chart
from claimlight.training.recipe import Count, OptimizerRecipe, Positive, Share
from claimlight.training.recipes.recipe_file import apply_change
from claimlight.training.run.optimizing import Optimizer, compute_rate
from claimlight.types import Progress

MICRO_BATCH = 16
"""Pairs in a forward pass on a CPU; larger ones are slower, as they leave the cache."""
_GPU_BATCH = 256
"""The same on a GPU."""
_TOLD = 20
"""Steps between two reports on a GPU: to read a loss is to wait for it."""
_MASKED = 0.04
"""Share of the tokens that are hidden in every other batch."""


@dataclass(frozen=True, slots=True)
class JudgeMaterial:
    """What a judge is trained on."""

    groups: Sequence[Block] = ()
    charts: Sequence[TrainingChart] = ()
    entailed: Sequence[SentencePair] = ()
    alike: Sequence[SentencePair] = ()
    taught: Sequence[TaughtPair] = ()


@dataclass(frozen=True, slots=True)
class JudgeRecipe:
    """How a judge is trained."""

    first_steps: Count = 2_100
    """Steps on sentences and terms, before any chart; 0 for a judge that is trained further."""
    steps: Count = 3_000
    blocks: Count = 1
    """Charts, or pairs of groups, in a step."""
    charts: Share = 0.45
    """Share of the steps that have a chart."""
    strangers: Share = 0.8
    """Share of the features of a group that also meet a passage of another group, as one that is absent; 0 if
    such a passage may disclose them."""
    varied: Share = 0.75
    """Share of the charts whose cells are varied (`claimlight.training.judges.variants`)."""
    hard: Count = 2
    """Other paragraphs that each feature of a chart meets, of the six that share most with it."""
    easy: Share = 1.0
    """Share of the charts whose features also meet any paragraph of the document."""
    rank: Positive = 0.5
    terms: Positive = 0.3
    """Weights of the two losses beside that of the ruling."""
    taught: Positive = 1.0
    """Weight of the loss towards the teacher, if there are pairs on which one has ruled."""
    taught_pairs: Count = 64
    """Such pairs in a step."""
    refresh: Count = 6
    """The number of steps after which one of the first stage comes; 0: never."""
    average: Share = 0.995
    """Decay of the running average of the weights, which is what is saved."""
    head_rate: Positive = 5.0
    """Learning rate of the heads, as a multiple of that of the transformer."""
    frozen: Count = 0
    """Lowest layers of the transformer that stay as they are: these cost no backward pass."""
    optimizer: OptimizerRecipe = field(
        default_factory=lambda: OptimizerRecipe(
            lr=1e-4, warmup=0.02, hold=0.64, schedule="linear", floor=0.03
        )
    )
    seed: Count = 3


def change_recipe(recipe: JudgeRecipe, changes: Sequence[str]) -> JudgeRecipe:
    """A recipe with changes ``run.KEY=VALUE`` or ``optimizer.KEY=VALUE``; `InputError` for unknown keys."""
    run = codec.plain(recipe)
    raw: dict[str, Any] = {"optimizer": run.pop("optimizer"), "run": run}
    for change in changes:
        apply_change(raw, change)
    if unknown := sorted(raw.keys() - {"optimizer", "run"}):
        raise InputError(f"--set: {', '.join(unknown)} is not known here; known tables: optimizer, run.")
    try:
        return codec.read(JudgeRecipe, {**raw["run"], "optimizer": raw["optimizer"]}, known_only=True)
    except codec.MisfitError as error:
        raise InputError(f"--set: {error}.") from error


@dataclass(frozen=True, slots=True)
class Keeping:
    """Saving the module while it is trained."""

    write: Callable[[Any, str], None]
    """Takes the module and the name of the step, such as ``first-00500``."""
    every: int
    """Steps."""


def train_judge(
    module: Any,
    reader: JudgeReader,
    material: JudgeMaterial,
    recipe: JudgeRecipe,
    context: TaskContext,
    *,
    keeping: Keeping | None = None,
) -> None:
    """Train ``module`` (`make_judge`) in place; the embeddings of words stay as they are.

    What is kept on the way, and when the task is cancelled, has the averaged weights. Raises `InputError` for
    material without groups and charts, and where more layers shall stay as they are than there are.
    """
    if recipe.steps and not material.groups and not material.charts:
        raise InputError("There are neither groups nor charts to train a judge on.")
    freeze(module, recipe.frozen)
    _Training(module, reader, material, recipe, context, keeping).run()


class _Training:
    def __init__(
        self,
        module: Any,
        reader: JudgeReader,
        material: JudgeMaterial,
        recipe: JudgeRecipe,
        context: TaskContext,
        keeping: Keeping | None,
    ) -> None:
        self._module, self._reader, self._material = module, reader, material
        self._recipe, self._context, self._keeping = recipe, context, keeping
        self._random = Random(recipe.seed)
        self._device = find_device(module)
        self._micro = MICRO_BATCH if self._device.type == "cpu" else _GPU_BATCH
        self._strangers = [
            cell.passage for block in material.groups for cell in block.cells if not cell.column
        ]

    def run(self) -> None:
        recipe, material = self._recipe, self._material
        self._module.train()
        if recipe.first_steps and (material.entailed or material.alike):
            self._stage("first", recipe.first_steps, self._first_loss)
        if recipe.steps:
            average = _Average(self._module, recipe.average)
            blocks = self._blocks()
            self._stage("cells", recipe.steps, lambda step: self._step_loss(self._prepare(blocks)), average)
            average.apply(self._module)
        self._module.eval()

    def _stage(self, name: str, steps: int, compute: Any, average: _Average | None = None) -> None:
        recipe, context = self._recipe, self._context
        own, heads = self._parameters()
        decay = recipe.optimizer
        optimizers = [
            (Optimizer(own, decay, scaled=False), 1.0),
            (
                Optimizer(heads, replace(decay, lr=decay.lr * recipe.head_rate), scaled=False),
                recipe.head_rate,
            ),
        ]
        began, done = monotonic(), 0
        try:
            for step in range(steps):
                context.check()
                loss = compute(step)
                loss.backward()
                self._apply(optimizers, compute_rate(decay, step, steps))
                if average is not None:
                    average.follow(self._module)
                    refresh = recipe.refresh and step % recipe.refresh == recipe.refresh - 1
                    if refresh and (self._material.entailed or self._material.alike):
                        (0.5 * self._first_loss(step // recipe.refresh)).backward()
                        self._apply(optimizers, compute_rate(decay, step, steps))
                done = step + 1
                if self._keeping is not None and done % self._keeping.every == 0 and done < steps:
                    self._keep(f"{name}-{done:05d}", average)
                if self._device.type != "cpu" and done % _TOLD and done < steps:
                    continue
                rate = done / max(monotonic() - began, 1e-9)
                left = (steps - done) / rate
                told = f"loss {loss.item():.4f}"
                context.report(Progress(_STAGES[name], done, steps, "steps", rate, left, told))
        except TaskCancelled:
            if self._keeping is not None and done:
                self._keep(f"{name}-{done:05d}", average)
            raise

    def _keep(self, name: str, average: _Average | None) -> None:
        assert self._keeping is not None
        if average is None:
            self._keeping.write(self._module, name)
            return
        with average.shown(self._module):
            self._keeping.write(self._module, name)

    def _parameters(self) -> tuple[dict[str, Any], dict[str, Any]]:
        found = {name: item for name, item in self._module.named_parameters() if item.requires_grad}
        own = {name: item for name, item in found.items() if name.startswith("transformer.")}
        return own, {name: item for name, item in found.items() if name not in own}

    def _apply(self, optimizers: Sequence[tuple[Optimizer, float]], rate: float) -> None:
        for optimizer, share in optimizers:
            optimizer.step(rate * share)

    def _first_loss(self, step: int) -> Any:
        """The loss of a batch of sentences in odd steps, of terms in even ones."""
        import torch

        kinds = [("alike", self._material.alike), ("entailed", self._material.entailed)]
        head, pairs = kinds[step % 2] if kinds[step % 2][1] else kinds[1 - step % 2]
        drawn = [self._random.choice(pairs) for _ in range(3 * MICRO_BATCH)]
        inputs = pad([self._reader.read("", pair.first, pair.second).window for pair in drawn])
        found = self._apply_judge(inputs, (head,))[head]
        target = self._put(np.array([pair.target for pair in drawn], dtype=np.float32))
        return torch.nn.functional.binary_cross_entropy_with_logits(found, target)

    def _blocks(self) -> Iterator[list[Cell]]:
        """The cells of one step after the other, each block once before any comes again."""
        random, charts, groups = self._random, self._material.charts, self._material.groups
        open_charts: list[TrainingChart] = []
        open_groups: list[Block] = []
        while True:
            if charts and (not groups or random.random() < self._recipe.charts):
                if not open_charts:
                    open_charts = random.sample(charts, len(charts))
                chart = open_charts.pop()
                drawn = chart.draw(
                    random, hard=self._recipe.hard, easy=int(random.random() < self._recipe.easy)
                )
                varied = random.random() < self._recipe.varied
                yield vary_chart(chart, drawn, random) if varied else list(drawn.cells)
                continue
            cells: list[Cell] = []
            for number in range(2):
                if not open_groups:
                    open_groups = random.sample(groups, len(groups))
                # Rows and columns of two groups must not look alike.
                cells += [_apart(cell, number) for cell in self._with_strangers(open_groups.pop())]
            yield cells

    def _with_strangers(self, block: Block) -> list[Cell]:
        """The cells of a group, and a passage of another one for most of its features."""
        cells = list(block.cells)
        for column, cell in {cell.column: cell for cell in block.cells}.items():
            if self._random.random() < self._recipe.strangers:
                passage = self._random.choice(self._strangers)
                cells.append(
                    Cell(
                        cell.subject,
                        cell.feature,
                        passage,
                        disclosed=False,
                        wording="absent",
                        row=_STRANGER,
                        column=column,
                    )
                )
        return cells

    def _prepare(self, blocks: Iterator[list[Cell]]) -> _Step:
        """What the next step reads; needs no device."""
        recipe = self._recipe
        drawn = [next(blocks) for _ in range(max(1, recipe.blocks))]
        cells = [_apart(cell, 2 * number) for number, block in enumerate(drawn) for cell in block]
        cells.sort(key=lambda cell: len(cell.passage))
        parts, terms = [], []
        for start in range(0, len(cells), self._micro):
            part = cells[start : start + self._micro]
            inputs = [self._reader.read(cell.subject, cell.feature, cell.passage) for cell in part]
            parts.append(self._pad(inputs))
            terms.append(_known_terms(inputs, part))
        disclosed = np.array([cell.disclosed for cell in cells], dtype=np.float32)
        pairs = (
            self._random.choices(self._material.taught, k=recipe.taught_pairs)
            if self._material.taught
            else []
        )
        pairs.sort(key=lambda pair: len(pair.passage))
        taught = [
            self._pad([self._reader.read(pair.subject, pair.feature, pair.passage) for pair in part])
            for part in (pairs[start : start + self._micro] for start in range(0, len(pairs), self._micro))
        ]
        scores = np.array([pair.score for pair in pairs], dtype=np.float32)
        return _Step(parts, terms, disclosed, *compared(cells), taught, scores)

    def _pad(self, inputs: Sequence[JudgeInput]) -> dict[str, Ids]:
        hidden = self._random.random() < 0.5
        return pad([(self._hide(item) if hidden else item).window for item in inputs])

    def _step_loss(self, step: _Step) -> Any:
        import torch

        binary = torch.nn.functional.binary_cross_entropy_with_logits
        logits, terms, told = [], [], 0
        for part, known in zip(step.parts, step.terms, strict=True):
            found = self._apply_judge(part)
            logits.append(found["ruling"])
            if known is not None:
                met, share = self._put(known.met), self._put(known.share)
                each = binary(found["terms"][known.rows, known.places], met, reduction="none")
                terms.append((each * share).sum())
                told += known.cells
        ruling = torch.cat(logits)
        loss = binary(ruling, self._put(step.disclosed))
        if len(step.higher):
            apart = ruling[self._put(step.lower)] - ruling[self._put(step.higher)]
            loss = loss + self._recipe.rank * torch.nn.functional.softplus(apart).mean()
        if terms:
            loss = loss + self._recipe.terms * torch.stack(terms).sum() / told
        if step.taught:
            # Cross-entropy of the teacher's probabilities and those of the judge.
            said = torch.cat([self._apply_judge(part)["ruling"] for part in step.taught])
            loss = loss + self._recipe.taught * binary(said, self._put(step.scores).sigmoid())
        return loss

    def _apply_judge(self, part: dict[str, Ids], heads: Sequence[str] = ("ruling",)) -> dict[str, Any]:
        import torch

        given = {name: self._put(value) for name, value in part.items()}
        with torch.autocast(self._device.type, torch.bfloat16, enabled=runs_half(self._device)):
            return apply(self._module, given, heads=heads)

    def _put(self, values: NDArray[Any]) -> Any:
        import torch

        return torch.from_numpy(values).to(self._device)

    def _hide(self, item: JudgeInput) -> JudgeInput:
        """The same with some tokens masked: what dropout does, at no cost."""
        count = max(1, round(_MASKED * len(item.ids)))
        ids = item.ids.copy()
        ids[self._random.sample(range(1, len(ids) - 1), min(count, len(ids) - 2))] = self._reader.mask
        return replace(item, ids=ids)


_STAGES = {"first": "Sentences and terms", "cells": "Cells"}
_STRANGER = -1
"""Row of the passages of other groups, which are not compared with each other."""


@dataclass(frozen=True, slots=True, eq=False)
class _KnownTerms:
    """Tokens of features whose ruling is known, in one forward pass."""

    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    met: NDArray[np.float32]
    share: NDArray[np.float32]
    """Every cell counts alike, however many words of it are known."""
    cells: int


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """What one step reads: padded inputs, cells in the order of ``parts``, and pairs of a teacher."""

    parts: list[dict[str, Ids]]
    terms: list[_KnownTerms | None]
    disclosed: NDArray[np.float32]
    higher: NDArray[np.int64]
    lower: NDArray[np.int64]
    taught: list[dict[str, Ids]]
    scores: NDArray[np.float32]


def _known_terms(inputs: Sequence[JudgeInput], cells: Sequence[Cell]) -> _KnownTerms | None:
    known = [term_targets(item, cell) for item, cell in zip(inputs, cells, strict=True)]
    sizes = np.array([len(places) for places, _ in known])
    if not sizes.any():
        return None
    rows = np.repeat(np.arange(len(cells)), sizes)
    return _KnownTerms(
        rows,
        np.concatenate([places for places, _ in known]),
        np.concatenate([met for _, met in known]),
        (1.0 / sizes[rows]).astype(np.float32),
        int((sizes > 0).sum()),
    )


def compared(cells: Sequence[Cell]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of disclosed cells, and of the undisclosed ones of the same row or column."""
    rows = np.array([cell.row for cell in cells])
    columns = np.array([cell.column for cell in cells])
    yes = np.array([cell.disclosed for cell in cells], dtype=np.bool_)
    alike = (rows[:, None] == rows[None]) | (columns[:, None] == columns[None])
    higher, lower = np.nonzero(alike & yes[:, None] & ~yes[None])
    return higher, lower


def _apart(cell: Cell, number: int) -> Cell:
    row = cell.row if cell.row == _STRANGER else cell.row + number * _FAR
    return replace(cell, row=row, column=cell.column + number * _FAR)


_FAR = 1_000


class _Average:
    """The running average of the weights; quick at first, so that it forgets where they began."""

    def __init__(self, module: Any, decay: float) -> None:
        self._decay, self._steps = decay, 0
        self._weights = {
            name: value.detach().clone() for name, value in module.named_parameters() if value.requires_grad
        }

    def follow(self, module: Any) -> None:
        self._steps += 1
        decay = min(self._decay, (1 + self._steps) / (10 + self._steps))
        import torch

        new = [value.detach() for name, value in module.named_parameters() if name in self._weights]
        torch._foreach_lerp_(list(self._weights.values()), new, 1.0 - decay)

    @contextmanager
    def shown(self, module: Any) -> Iterator[None]:
        """The module with the averaged weights, within the block."""
        import torch

        own = {name: value.detach().clone() for name, value in module.named_parameters()}
        self.apply(module)
        try:
            yield
        finally:
            with torch.no_grad():
                for name, value in module.named_parameters():
                    value.copy_(own[name])

    def apply(self, module: Any) -> None:
        """Set the weights of the module to their average."""
        import torch

        with torch.no_grad():
            for name, value in module.named_parameters():
                if name in self._weights:
                    value.copy_(self._weights[name])
