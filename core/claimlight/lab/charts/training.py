"""Training a judge on charts, minimal pairs, sentences and rated terms.

It begins with an encoder, whose transformer gets new heads, or with a judge that is trained further. The run
has a folder: ``states`` has the newest state, ``model`` the trained judge, both as checkpoints of a judge.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from claimlight.encoders import ModelPackage, licences
from claimlight.encoders.manifest import TOKENIZER_FILE
from claimlight.encoders.package_files import Role, locate_package, read_role
from claimlight.errors import InputError
from claimlight.judging.package import JudgePackage
from claimlight.judging.reading import JudgeReader
from claimlight.services.models import train_extra
from claimlight.tasks import TaskContext
from claimlight.training.centers.traversal_gpu import find_gpu
from claimlight.training.checkpoints import checkpoint as checkpoints
from claimlight.training.export.package_to_checkpoint import restore_checkpoint
from claimlight.training.export.package_to_judge import restore_judge
from claimlight.training.judges.checkpoint import is_judge, load_judge, save_judge
from claimlight.training.judges.loop import JudgeMaterial, JudgeRecipe, Keeping, train_judge
from claimlight.training.judges.material import (
    read_charts,
    read_groups,
    read_phrases,
    read_sentences,
    read_taught,
)
from claimlight.training.judges.model import FIRST_STAGE, keep_layers, make_judge

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WINDOW = 320
"""Tokens of a window of a judge that begins with an encoder: preamble, feature and a paragraph."""
STATES, MODEL = "states", "model"
_EAGER = {"attn_implementation": "eager"}
"""Plain attention: the backward pass of the fused kernel is slow on processors."""
_LICENCE = "LICENSE"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class MaterialFiles:
    """Files, or folders of ``.jsonl`` and ``.tsv`` files, of each kind of material."""

    charts: tuple[Path, ...] = ()
    groups: tuple[Path, ...] = ()
    entailed: tuple[Path, ...] = ()
    alike: tuple[Path, ...] = ()
    taught: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What judge is trained on what."""

    start: str
    """Name or folder of a package, or folder of a checkpoint: an encoder or a judge; empty: shipped."""
    out: Path
    """Folder of the run, new or empty."""
    files: MaterialFiles
    recipe: JudgeRecipe
    max_length: int = 0
    """Tokens of a window; 0: those of the judge, or `WINDOW` if an encoder takes as many."""
    every: int = 500
    """Steps between two states."""
    layers: int = 0
    """Layers of the transformer that are kept; 0: all."""
    lowest: bool = False
    """Keep the lowest ones, instead of ones evenly spread."""
    device: str = "auto"
    """``cpu``, ``cuda`` or ``auto``."""


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """What a training begins with."""

    module: Any
    tokenizer: Tokenizer
    max_length: int
    licence: Path | None


def train(plan: TrainingPlan, context: TaskContext) -> Path:
    """Train a judge; the folder of its checkpoint.

    If the task is cancelled, the state stays in ``plan.out / "states"``. Raises `InputError` for material
    that can't be read, a start that is neither encoder nor judge, and a folder that is not empty;
    `ResourceError` if the training extra is missing.
    """
    train_extra.require("Training a judge")
    if plan.out.exists() and (not plan.out.is_dir() or any(plan.out.iterdir())):
        raise InputError(f"{plan.out} is not empty; name a new folder")
    material = read_material(plan.files)
    with tempfile.TemporaryDirectory(prefix="claimlight-") as work:
        device = choose_device(plan.device)
        start = open_start(
            plan.start, Path(work), max_length=plan.max_length, seed=plan.recipe.seed, device=device
        )
        if plan.layers:
            keep_layers(start.module, plan.layers, lowest=plan.lowest)
        states = plan.out / STATES

        def write(module: Any, folder: Path) -> None:
            save_judge(folder, module, start.tokenizer, max_length=start.max_length, licence=start.licence)

        def keep(module: Any, name: str) -> None:
            if (states / name).exists():
                return
            write(module, states / name)
            # After the new one is in place: a kill leaves one too many, never one too few.
            for other in states.iterdir():
                if other.name != name:
                    shutil.rmtree(other)

        reader = JudgeReader(start.tokenizer, start.max_length)
        train_judge(start.module, reader, material, plan.recipe, context, keeping=Keeping(keep, plan.every))
        write(start.module, plan.out / MODEL)
    shutil.rmtree(states, ignore_errors=True)
    return plan.out / MODEL


def average(starts: Sequence[str], out: Path) -> Path:
    """Write the judge whose weights are the mean of those of several; the folder of its checkpoint.

    States of one run, or of runs that continue each other, err differently, and the mean errs less than the
    last of them (Wortsman et al. 2022, *Model soups*, uniform soup). Whether judges have a common ancestor
    can't be seen in their files and is not checked. A judge that is named twice counts twice. The heads of
    the first stage are those of the first judge: one that is read back from a package has none.

    Raises `InputError` for fewer than two, for an encoder, and for judges that differ in shape, window,
    tokenizer or licence; `ResourceError` if the training extra is missing.
    """
    train_extra.require("Averaging judges")
    if len(starts) < 2:
        raise InputError("Name two judges or more: the mean of one is that judge.")
    if out.exists():
        raise InputError(f"{out} exists already; name a new folder")
    with tempfile.TemporaryDirectory(prefix="claimlight-") as work:
        first = _open_judge(starts[0], Path(work) / "0")
        total = {key: value.double() * 0 for key, value in first.module.state_dict().items()}
        for number, (name, times) in enumerate(Counter(starts).items()):
            judge = _open_judge(name, Path(work) / str(number)) if number else first
            _require_alike(first, judge, name)
            for key, value in judge.module.state_dict().items():
                total[key] += value.double() * (times / len(starts))
        kept = {key: value for key, value in first.module.state_dict().items() if key.startswith(FIRST_STAGE)}
        first.module.load_state_dict(total | kept)
        save_judge(out, first.module, first.tokenizer, max_length=first.max_length, licence=first.licence)
    return out


def _open_judge(name: str, work: Path) -> Start:
    work.mkdir()
    folder, _ = _find_checkpoint(name, work / "start")
    if not is_judge(folder):
        raise InputError(f"{name or folder} is an encoder; only judges can be averaged")
    return open_start(str(folder), work, max_length=0, seed=0)


def _require_alike(first: Start, other: Start, name: str) -> None:
    """`InputError` that names the first thing in which two judges differ."""

    def traits(start: Start) -> dict[str, object]:
        weights = {key: tuple(value.shape) for key, value in start.module.state_dict().items()}
        config = start.module["transformer"].config
        return {
            "weights": (weights, config.model_type, getattr(config, "num_attention_heads", 0)),
            "a window": start.max_length,
            "a tokenizer": start.tokenizer.to_str(),
            "a licence": start.licence.read_text(encoding="utf-8") if start.licence else "",
        }

    for (what, one), two in zip(traits(first).items(), traits(other).values(), strict=True):
        if one != two:
            raise InputError(f"{name} has {what} other than the first judge, so they have no mean")


def read_material(files: MaterialFiles) -> JudgeMaterial:
    """Read all material; `InputError` with the file for one that has another form."""
    return JudgeMaterial(
        groups=_read(files.groups, "*.jsonl", read_groups),
        charts=_read(files.charts, "*.jsonl", read_charts),
        entailed=_read(files.entailed, "*.tsv", read_sentences),
        alike=_read(files.alike, "*.tsv", read_phrases),
        taught=_read(files.taught, "*.jsonl", read_taught),
    )


def _read(given: Sequence[Path], pattern: str, read: Callable[[Path], list[_T]]) -> list[_T]:
    found: list[_T] = []
    for path in _expand(given, pattern):
        try:
            found += read(path)
        except OSError as error:
            raise InputError(f"{path} can't be read: {error.strerror}.") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"{path} has another form than described in docs/lab/charts.md: {error!r}."
            ) from error
    return found


def _expand(given: Sequence[Path], pattern: str) -> Iterable[Path]:
    for path in given:
        if not path.is_dir():
            yield path
            continue
        files = sorted(path.glob(pattern))
        if not files:
            raise InputError(f"{path} has no {pattern[1:]} file.")
        yield from files


def choose_device(name: str) -> str:
    """``cpu`` or ``cuda``; `ResourceError` if a graphics card is asked for and there is none."""
    return "cpu" if name == "cpu" or find_gpu(name) is None else "cuda"


def open_start(name: str, work: Path, *, max_length: int, seed: int, device: str = "cpu") -> Start:
    """Open an encoder or a judge for training; ``work`` is an empty folder for the weights of a package."""
    folder, licence = _find_checkpoint(name, work / "start")
    attention = _EAGER if device == "cpu" else {}
    if is_judge(folder):
        module = load_judge(folder, **attention)
        limit = checkpoints.read_max_length(folder, folder)
        longest = max_length or limit
        tokenizer_folder = folder
    else:
        read = checkpoints.read(folder)
        transformer = checkpoints.load_transformer(read, **attention)
        _stop_dropout(transformer)
        module = make_judge(transformer, transformer.config.hidden_size, seed)
        # Of its positions: encoders are often told to read less.
        limit = transformer.config.max_position_embeddings
        longest = max_length or min(WINDOW, limit)
        checkpoints.copy_tokenizer(read, work / TOKENIZER_FILE)
        tokenizer_folder = work
    if longest > limit:
        raise InputError(f"{name or folder} takes {limit} tokens, not {longest}")
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_folder / TOKENIZER_FILE))
    return Start(module.to(device), tokenizer, longest, licence)


def _find_checkpoint(name: str, target: Path) -> tuple[Path, Path | None]:
    """The folder of a checkpoint, or that of a package restored into ``target``; and the licence."""
    given = Path(name).expanduser()
    if name and (given / "config.json").is_file():
        return given, _find_licence(given)
    package = locate_package(name, []) if name else ModelPackage.shipped().folder
    if read_role(package) is Role.JUDGE:
        judge = JudgePackage.load(package)
        licences.require_accepted(judge.manifest)
        return restore_judge(judge, target).folder, _find_licence(package)
    encoder = ModelPackage.load(package)
    licences.require_accepted(encoder.manifest)
    return restore_checkpoint(encoder, target).folder, _find_licence(package)


def _find_licence(folder: Path) -> Path | None:
    return folder / _LICENCE if (folder / _LICENCE).is_file() else None


def _stop_dropout(transformer: Any) -> None:
    """Tokens are hidden instead, which costs no time."""
    import torch

    for part in transformer.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    for name in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
        if hasattr(transformer.config, name):
            setattr(transformer.config, name, 0.0)
