"""The rulings of a trained judge, the teacher, on pairs on which nobody has ruled.

A larger judge is too slow for a chart but not for training. Whether a smaller one learns from its rulings has
to be measured: the six layers that ship did not (docs/lab/measured/judge-training.md).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from claimlight.encoders.manifest import TOKENIZER_FILE
from claimlight.errors import InputError
from claimlight.evaluation.judgements import read_numbered_lines
from claimlight.files import Access, open_text_atomically, parse_json
from claimlight.judging.reading import JudgeReader
from claimlight.tasks import TaskContext
from claimlight.training.checkpoints import checkpoint as checkpoints
from claimlight.training.judges.checkpoint import is_judge, load_judge
from claimlight.training.judges.scoring import score_pairs
from claimlight.types import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator


def teach(groups: Path, teachers: Sequence[Path], out: Path, context: TaskContext, *, device: str) -> int:
    """Write the groups with the mean logit of the teachers for every pair (``scores``); the number of pairs.

    ``teachers`` are folders of checkpoints of judges; ``device`` is ``cpu`` or ``cuda``. Raises `InputError`
    for other folders and for groups of another form.
    """
    opened = [_open(folder, device) for folder in teachers]
    pairs, began = 0, monotonic()
    with open_text_atomically(out, Access.USUAL) as stream:
        for line, group in _read(groups):
            context.check()
            asked = [
                (group["claim"], feature, passage["text"])
                for passage in group["passages"]
                for feature in group["features"]
            ]
            scores = np.mean([score_pairs(module, reader, asked) for module, reader in opened], axis=0)
            rows = scores.astype(np.float64).round(3).reshape(len(group["passages"]), -1).tolist()
            for passage, row in zip(group["passages"], rows, strict=True):
                passage["scores"] = row
            stream.write(json.dumps(group, ensure_ascii=False) + "\n")
            pairs += len(asked)
            rate = line / max(monotonic() - began, 1e-9)
            context.report(Progress("Ruling", line, 0, "groups", rate, None))
    return pairs


def _open(folder: Path, device: str) -> tuple[Any, JudgeReader]:
    from tokenizers import Tokenizer

    if not is_judge(folder):
        raise InputError(f"{folder} is no checkpoint of a judge")
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    reader = JudgeReader(tokenizer, checkpoints.read_max_length(folder, folder))
    return load_judge(folder).to(device), reader


def _read(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in read_numbered_lines(path):
        try:
            group = parse_json(line)
        except ValueError as error:
            raise InputError(f"{path}, line {number} is no JSON: {error}") from error
        if not isinstance(group, dict) or not {"claim", "features", "passages"} <= group.keys():
            raise InputError(f"{path}, line {number} is no group of features and passages")
        yield number, group
