"""Training a judge: first on entailment and terms that are alike, then on minimal pairs and charts.

A step of the second stage has the cells of one chart or of two groups. Three losses are summed: the ruling on
each cell; the order of every disclosed and undisclosed cell that share a feature or a passage; and which
words of the feature are met, where minimal pairs show it.
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
from claimlight.judging.reading import JudgeInput, JudgeReader
from claimlight.tasks import TaskContext
from claimlight.training.judges.material import Block, Cell, SentencePair, TrainingChart
from claimlight.training.judges.model import forward, term_targets
from claimlight.training.judges.variants import vary_chart
from claimlight.training.recipe import Count, OptimizerRecipe, Positive, Share
from claimlight.training.recipes.recipe_file import apply_change
from claimlight.training.run.optimizing import Optimizer, compute_rate
from claimlight.types import Progress

MICRO_BATCH = 16
"""Pairs in a forward pass; larger ones are slower on CPUs, as they leave the cache."""
_MASKED = 0.04
"""Share of the tokens that are hidden in every other batch."""


@dataclass(frozen=True, slots=True)
class JudgeMaterial:
    """What a judge is trained on."""

    groups: Sequence[Block] = ()
    charts: Sequence[TrainingChart] = ()
    entailed: Sequence[SentencePair] = ()
    alike: Sequence[SentencePair] = ()


@dataclass(frozen=True, slots=True)
class JudgeRecipe:
    """How a judge is trained."""

    first_steps: Count = 2_100
    """Steps on sentences and terms, before any chart; 0 for a judge that is trained further."""
    steps: Count = 3_000
    charts: Share = 0.45
    """Share of the steps that have a chart."""
    strangers: Share = 0.8
    """Share of the features of a group that also meet a passage of another group, as one that is absent; 0 if
    such a passage may disclose them."""
    varied: Share = 0.75
    """Share of the charts whose cells are varied (`claimlight.training.judges.variants`)."""
    rank: Positive = 0.5
    terms: Positive = 0.3
    """Weights of the two losses beside that of the ruling."""
    refresh: Count = 6
    """The number of steps after which one of the first stage comes; 0: never."""
    average: Share = 0.995
    """Decay of the running average of the weights, which is what is saved."""
    head_rate: Positive = 5.0
    """Learning rate of the heads, as a multiple of that of the transformer."""
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
    material without groups and charts.
    """
    if recipe.steps and not material.groups and not material.charts:
        raise InputError("There are neither groups nor charts to train a judge on.")
    module["transformer"].get_input_embeddings().weight.requires_grad_(False)  # noqa: FBT003 - as torch has it
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
            self._stage("cells", recipe.steps, lambda step: self._cell_loss(next(blocks)), average)
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
        inputs = [self._reader.read("", pair.first, pair.second) for pair in drawn]
        with _half():
            found = forward(self._module, inputs, heads=(head,))[head]
        target = torch.tensor([pair.target for pair in drawn])
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
                drawn = chart.draw(random)
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

    def _cell_loss(self, cells: Sequence[Cell]) -> Any:
        import torch

        binary = torch.nn.functional.binary_cross_entropy_with_logits
        ordered = sorted(cells, key=lambda cell: len(cell.passage))
        logits, terms = [], []
        for start in range(0, len(ordered), MICRO_BATCH):
            part = ordered[start : start + MICRO_BATCH]
            inputs = [self._reader.read(cell.subject, cell.feature, cell.passage) for cell in part]
            if self._random.random() < 0.5:
                inputs = [self._hide(item) for item in inputs]
            with _half():
                found = forward(self._module, inputs)
            logits.append(found["ruling"])
            for row, (item, cell) in enumerate(zip(inputs, part, strict=True)):
                places, met = term_targets(item, cell)
                if len(places):
                    terms.append(binary(found["terms"][row][torch.from_numpy(places)], torch.from_numpy(met)))
        ruling = torch.cat(logits)
        loss = binary(ruling, torch.tensor([float(cell.disclosed) for cell in ordered]))
        higher, lower = compared(ordered)
        if len(higher):
            loss = (
                loss + self._recipe.rank * torch.nn.functional.softplus(ruling[lower] - ruling[higher]).mean()
            )
        if terms:
            loss = loss + self._recipe.terms * torch.stack(terms).mean()
        return loss

    def _hide(self, item: JudgeInput) -> JudgeInput:
        """The same with some tokens masked: what dropout does, at no cost."""
        count = max(1, round(_MASKED * len(item.ids)))
        ids = item.ids.copy()
        ids[self._random.sample(range(1, len(ids) - 1), min(count, len(ids) - 2))] = self._reader.mask
        return replace(item, ids=ids)


_STAGES = {"first": "Sentences and terms", "cells": "Cells"}
_STRANGER = -1
"""Row of the passages of other groups, which are not compared with each other."""


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


def _half() -> Any:
    import torch

    return torch.autocast("cpu", torch.bfloat16)


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
        for name, value in module.named_parameters():
            if name in self._weights:
                self._weights[name].lerp_(value.detach(), 1.0 - decay)

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
