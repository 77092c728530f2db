"""Training the judge in use further on the cells that examiners decided; needs the training extra.

A confirmed passage discloses its feature, a rejected one does not. All cells of one document are either
trained on or left out to measure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from claimlight import codec
from claimlight.digests import sha256
from claimlight.errors import InputError
from claimlight.judging.calibration import Calibration
from claimlight.judging.manifest import JudgeManifest
from claimlight.judging.package import JudgePackage
from claimlight.services.models import train_extra
from claimlight.store.publication_keys import parse_publication, publication_key
from claimlight.tasks import TaskContext
from claimlight.text.encoder_text import to_encoder_text
from claimlight.types import CellCount, DecidedCell, Note, plural

if TYPE_CHECKING:
    from claimlight.training.judges.loop import JudgeRecipe
    from claimlight.training.judges.material import Block

EVERY = 5
"""One of this many documents is left out."""
LEAST_TRAINED = 10
"""Fewest confirmed, and fewest rejected, cells to train on."""
LEAST_LEFT_OUT = 5
"""The same of the cells left out: with fewer, a difference between two judges is chance."""
_PASSES = 3
_STEPS = (10, 400)
_RATE, _HEAD_RATE, _AVERAGE = 1e-5, 3.0, 0.9
_ADAPTED = "-adapted-"
_BEFORE = "before the judge was adapted"
_DIGITS = 8


@dataclass(frozen=True, slots=True)
class JudgeAdaptPlan:
    """What judge is trained on what."""

    cells: tuple[Path, ...]
    """Files of ``claimlight cases export-cells``."""
    out: Path
    """Folder of the package, which must not exist yet."""
    judge: str = ""
    """Name or folder of the package to start from; empty: the second judge in use, or the only one."""
    checkpoint: Path | None = None
    """Its weights; None: those in its graph."""
    changes: tuple[str, ...] = ()
    """``run.KEY=VALUE`` and ``optimizer.KEY=VALUE`` changes of the recipe."""
    keep_worse: bool = False
    """Write the package also if its figures are worse."""


@dataclass(frozen=True, slots=True)
class DividedCells:
    """Cells to train on and cells to measure with, of different documents."""

    trained: tuple[DecidedCell, ...]
    left_out: tuple[DecidedCell, ...]


def read_cells(files: Sequence[Path], context: TaskContext) -> tuple[DecidedCell, ...]:
    """The cells of files, each once; those that were decided both ways are left out, with a note.

    `InputError` with file and line for anything else than exported cells.
    """
    found: dict[tuple[str, str, str], DecidedCell] = {}
    disputed = set()
    for path in files:
        for cell in _read_file(path):
            key = (cell.subject, cell.feature, cell.passage)
            if found.setdefault(key, cell).disclosed is not cell.disclosed:
                disputed.add(key)
    if disputed:
        told = plural(len(disputed), "cell")
        context.report(Note(f"{told} decided both ways by different cases: not used."))
    return tuple(cell for key, cell in found.items() if key not in disputed)


def _read_file(path: Path) -> Iterator[DecidedCell]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read: {getattr(error, 'strerror', None) or error}.") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield codec.decode(DecidedCell, line)
            except ValueError as error:
                raise InputError(
                    f"{path}, line {number} is not a cell of `claimlight cases export-cells`: {error}"
                ) from error


def document_key(cell: DecidedCell) -> str:
    """The document of a cell, all kind codes of one number alike."""
    parsed = parse_publication(cell.publication)
    return cell.publication if parsed is None else publication_key(parsed.country, parsed.number)


def divide_cells(cells: Sequence[DecidedCell]) -> DividedCells:
    """Leave out one document of five, chosen by a digest of its number.

    A document that is left out is so in every adaptation: an adapted judge that is adapted again has not seen
    it either. `InputError` if too few cells are left in one of the parts.
    """
    apart = {key: int(sha256(key)[:_DIGITS], 16) % EVERY == 0 for key in map(document_key, cells)}
    divided = DividedCells(
        tuple(cell for cell in cells if not apart[document_key(cell)]),
        tuple(cell for cell in cells if apart[document_key(cell)]),
    )
    trained, left_out = count_cells(divided.trained), count_cells(divided.left_out)
    if min(trained.confirmed, trained.rejected) < LEAST_TRAINED or (
        min(left_out.confirmed, left_out.rejected) < LEAST_LEFT_OUT
    ):
        raise InputError(
            f"There are too few cells. To train on, there are {_tell(trained)}; at least {LEAST_TRAINED} of "
            f"each are needed. Left out to measure, one document of {EVERY}, there are {_tell(left_out)}; at "
            f"least {LEAST_LEFT_OUT} of each are needed. Confirm and reject passages of more documents."
        )
    return divided


def count_cells(cells: Sequence[DecidedCell]) -> CellCount:
    """How many cells of how many documents."""
    confirmed = sum(cell.disclosed for cell in cells)
    return CellCount(confirmed, len(cells) - confirmed, len(set(map(document_key, cells))))


def _tell(count: CellCount) -> str:
    return (
        f"{count.confirmed:,} confirmed and {count.rejected:,} rejected in "
        f"{plural(count.documents, 'document')}"
    )


def make_blocks(cells: Sequence[DecidedCell]) -> list[Block]:
    """The cells of each document: those of one feature, or of one passage, are compared with each other.

    All words of a confirmed feature are met. Which words of a rejected one are missing, nobody said.
    """
    from claimlight.training.judges.material import Block, Cell, find_terms

    documents: dict[str, list[DecidedCell]] = {}
    for cell in cells:
        documents.setdefault(document_key(cell), []).append(cell)
    blocks = []
    for name, own in documents.items():
        rows = {text: row for row, text in enumerate(dict.fromkeys(cell.passage for cell in own))}
        columns = {text: column for column, text in enumerate(dict.fromkeys(cell.feature for cell in own))}
        made = []
        for cell in own:
            wording = "other" if cell.disclosed else "near"
            # As judges read texts when they rule.
            subject, feature, passage = (
                to_encoder_text(text).text for text in (cell.subject, cell.feature, cell.passage)
            )
            made.append(
                Cell(
                    subject,
                    feature,
                    passage,
                    cell.disclosed,
                    wording,
                    find_terms(feature, passage, wording, ()),
                    rows[cell.passage],
                    columns[cell.feature],
                )
            )
        blocks.append(Block(name, tuple(made)))
    return blocks


def make_recipe(documents: int, changes: Sequence[str]) -> JudgeRecipe:
    """A short training with a small rate: each document about three times, two of them in a step."""
    from claimlight.training.judges.loop import JudgeRecipe, change_recipe
    from claimlight.training.recipe import OptimizerRecipe

    recipe = JudgeRecipe(
        first_steps=0,
        steps=min(max(_STEPS[0], math.ceil(_PASSES * documents / 2)), _STEPS[1]),
        charts=0.0,
        # A passage of another document may well disclose the feature: both were found for the same claim.
        strangers=0.0,
        refresh=0,
        average=_AVERAGE,
        head_rate=_HEAD_RATE,
        optimizer=OptimizerRecipe(lr=_RATE, warmup=0.1, schedule="linear"),
    )
    return change_recipe(recipe, changes)


def adapt_judge(
    base: JudgePackage,
    cells: Sequence[DecidedCell],
    folder: Path,
    context: TaskContext,
    *,
    recipe: JudgeRecipe,
    checkpoint: Path | None = None,
) -> JudgeManifest:
    """Train ``base`` further and write its package into ``folder / "package"``, not yet measured.

    ``folder`` exists and is empty. Raises `InputError` for a judge whose weights can't be extracted.
    """
    train_extra.require("Adapting the judge")
    from claimlight.encoders.token_reader import open_tokenizer
    from claimlight.judging.reading import JudgeReader
    from claimlight.training.export.judge_to_package import JudgePlan, export_judge
    from claimlight.training.export.package_to_judge import restore_judge
    from claimlight.training.judges.checkpoint import load_judge, save_judge
    from claimlight.training.judges.loop import JudgeMaterial, train_judge

    if checkpoint is None:
        checkpoint = restore_judge(base, folder / "start").folder
    # Plain attention: the backward pass of the fused kernel is slow on processors.
    module = load_judge(checkpoint, attn_implementation="eager")
    tokenizer, manifest = open_tokenizer(base), base.manifest
    reader = JudgeReader(tokenizer, manifest.max_length)
    train_judge(module, reader, JudgeMaterial(groups=make_blocks(cells)), recipe, context)
    licence = checkpoint / "LICENSE"
    save_judge(
        folder / "model",
        module,
        tokenizer,
        max_length=manifest.max_length,
        licence=licence if licence.is_file() else None,
    )
    context.report(Note("Exporting the adapted judge."))
    return export_judge(
        JudgePlan(
            checkpoint=folder / "model",
            folder=folder / "package",
            id=manifest.id,
            version=name_version(manifest.version, cells, recipe),
            licence=manifest.licence,
            source=manifest.source,
            precision=manifest.precision,
            max_length=manifest.max_length,
            commercial=manifest.commercial,
            languages=manifest.languages,
            changes=f"{manifest.id} {manifest.version} was trained further on {plural(len(cells), 'cell')} "
            "that examiners decided",
            kind=manifest.kind,
            calibration=_mark(manifest.calibration),
        )
    )


def name_version(version: str, cells: Sequence[DecidedCell], recipe: JudgeRecipe) -> str:
    """A version for a judge adapted from ``version``: other cells or another recipe give another one."""
    digest = sha256(version, repr(recipe), *(codec.encode(cell) for cell in cells))
    return f"{version.partition(_ADAPTED)[0]}{_ADAPTED}{digest[:_DIGITS]}"


def _mark(calibration: Calibration | None) -> Calibration | None:
    """A calibration that says that it is that of the judge before it was adapted."""
    if calibration is None or calibration.fitted_on.endswith(_BEFORE):
        return calibration
    told = ", ".join(filter(None, (calibration.fitted_on, _BEFORE)))
    return replace(calibration, fitted_on=told)
