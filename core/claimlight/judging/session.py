"""Judges on ONNX Runtime: pairs of like length together, rulings in the order of the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from claimlight.encoders.package_files import Role
from claimlight.encoders.runtime import GPU_BATCH_TOKENS, split_batches
from claimlight.encoders.session import OutOfMemory, Session
from claimlight.errors import ResourceError
from claimlight.judging import probes
from claimlight.judging.base import Pair, Ruling
from claimlight.judging.calibration import UNCALIBRATED, Calibration
from claimlight.judging.manifest import JUDGE_FILE, JudgeKind, JudgeManifest
from claimlight.judging.package import JudgePackage
from claimlight.judging.pair_reading import PairReading, open_reader
from claimlight.judging.reading import Window, pad
from claimlight.judging.terms import words
from claimlight.machine import usable_cores
from claimlight.settings import JudgeSettings
from claimlight.tasks import TaskContext

_STEP = 16
"""Widths of batches are multiples of this."""
PART_DISCOUNT = 1.0
"""What a part of a passage by itself is worth less, in logits: a few words that say nothing of the feature
get higher scores than a paragraph that says nothing of it."""
_BETWEEN_CHECKS = 64
"""Pairs read between two checks for cancelling."""
Floats = NDArray[np.float32]


def open_judge_package(folder: Path, settings: JudgeSettings) -> PackagedJudge:
    """Open the judge in a folder and compare its rulings with those recorded at its export.

    Raises `InputError` or `ResourceError` for a damaged package, and `ResourceError` if this machine computes
    other rulings.
    """
    judge = PackagedJudge(JudgePackage.load(folder), settings)
    probes.require_agreement(judge)
    return judge


class PackagedJudge:
    """The judge of a model package; safe to share between threads."""

    def __init__(self, package: JudgePackage, settings: JudgeSettings) -> None:
        self.package = package
        self._manifest = package.manifest
        self._reader = open_reader(package)
        # One thread a batch, and as many batches at a time: the batches of a chart are small, and threads
        # that share one wait for each other in every product.
        self._workers = settings.threads or usable_cores()
        self._session = Session(package.read(JUDGE_FILE), device=settings.device, threads=1, role=Role.JUDGE)
        self._batch_tokens = settings.batch_tokens

    @property
    def name(self) -> str:
        """See `Judge.name`."""
        return f"{self._manifest.id} {self._manifest.version}"

    @property
    def fingerprint(self) -> str:
        """See `Judge.fingerprint`; the same on every device."""
        return self._manifest.fingerprint

    @property
    def languages(self) -> frozenset[str]:
        """See `Judge.languages`."""
        return frozenset(self._manifest.languages)

    @property
    def reads_parts(self) -> bool:
        """See `Judge.reads_parts`."""
        return self._manifest.kind.reads_parts

    @property
    def calibration(self) -> Calibration:
        """How its scores are read; `UNCALIBRATED` if the package does not say."""
        return self._manifest.calibration or UNCALIBRATED

    @property
    def device(self) -> str:
        """The device in use: ``cpu`` or ``cuda``."""
        return self._session.device

    @property
    def note(self) -> str:
        """Why the device is not the requested one; empty if it is."""
        return self._session.note

    def rule(self, pairs: Sequence[Pair], context: TaskContext) -> list[Ruling]:
        """See `Judge.rule`; a long passage is judged in windows, and the best one counts.

        Parts of a passage are judged as passages, and their scores lowered by `PART_DISCOUNT`.

        Raises `ResourceError` if memory runs out or a score is not finite.
        """
        readings = self._read(pairs, context)
        windows = [window for reading, _ in readings for window in reading.windows]
        answers = iter(self._judge(windows, context))
        rulings = []
        for pair, (reading, whole) in zip(pairs, readings, strict=True):
            mine = [next(answers) for _ in reading.windows]
            lowered = [
                (score - PART_DISCOUNT * (number >= whole), terms)
                for number, (score, terms) in enumerate(mine)
            ]
            score, terms = max(lowered, key=lambda answer: answer[0])
            if not np.isfinite(score):
                raise ResourceError(f"{self.name} returned no usable score for the feature {pair.feature!r}")
            rulings.append(Ruling(score, aggregate_terms(pair.feature, reading.offsets, terms)))
        return rulings

    def _read(self, pairs: Sequence[Pair], context: TaskContext) -> list[tuple[PairReading, int]]:
        """Each pair, its parts last, and how many of its windows are of the passage as a whole."""
        readings = []
        for number, pair in enumerate(pairs):
            if number % _BETWEEN_CHECKS == 0:
                context.check()
            whole = self._reader.read(pair)
            own = pair.parts if self.reads_parts else ()
            parts = [self._reader.read(replace(pair, passage=part, parts=())) for part in own]
            windows = tuple(window for reading in (whole, *parts) for window in reading.windows)
            readings.append((PairReading(windows, whole.offsets), len(whole.windows)))
        return readings

    def _judge(self, windows: Sequence[Window], context: TaskContext) -> list[tuple[float, Floats]]:
        """Score and logits of the feature's tokens for each window."""
        # The width depends on the window alone, and so does its score: sums over padding of another length
        # may round differently.
        widths = [min(-(-len(item.ids) // _STEP) * _STEP, self._manifest.max_length) for item in windows]
        order = sorted(range(len(windows)), key=widths.__getitem__)
        on_card = self.device != "cpu"
        budget = max(self._batch_tokens, GPU_BATCH_TOKENS) if on_card else self._batch_tokens
        batches: list[list[int]] = []
        for width, same in groupby(order, key=widths.__getitem__):
            numbers = list(same)
            batches += (
                [numbers[place] for place in batch] for batch in split_batches([width] * len(numbers), budget)
            )

        def run(batch: list[int]) -> list[tuple[float, Floats]]:
            context.check()
            return self._run([windows[number] for number in batch], widths[batch[0]])

        found: list[tuple[float, Floats]] = [(0.0, np.empty(0, dtype=np.float32))] * len(windows)
        workers = 1 if on_card else min(self._workers, len(batches))
        with ThreadPoolExecutor(max(workers, 1), thread_name_prefix="judge") as pool:
            # The longest first: whoever is left alone at the end has a short batch.
            for batch, answers in zip(batches[::-1], pool.map(run, batches[::-1]), strict=True):
                for number, answer in zip(batch, answers, strict=True):
                    found[number] = answer
        return found

    def _run(self, windows: Sequence[Window], width: int) -> list[tuple[float, Floats]]:
        """One forward pass; if memory runs out, the batch is halved and tried again."""
        inputs = {name: value for name, value in pad(windows, width).items() if name in self._session.inputs}
        outputs = ("ruling", "terms") if self._manifest.kind is JudgeKind.DISCLOSURE else ("logits",)
        try:
            found = self._session.compute(inputs, outputs)
        except OutOfMemory as error:
            half = len(windows) // 2
            if not half:
                raise ResourceError(
                    f"there is not enough memory to judge {width} tokens; close other programs"
                ) from error
            return self._run(windows[:half], width) + self._run(windows[half:], width)
        if self._manifest.kind is JudgeKind.DISCLOSURE:
            ruling, terms = found
            return [
                (float(ruling[row]), terms[row, item.feature[0] : item.feature[1]].copy())
                for row, item in enumerate(windows)
            ]
        none = np.empty(0, dtype=np.float32)
        return [(score_logits(row, self._manifest), none) for row in found[0]]


def score_logits(logits: Floats, manifest: JudgeManifest) -> float:
    """The score of one pair from the logits [k] of its graph.

    Entailment: its logit minus the logsumexp of the other labels'. Instruction: yes minus no.
    """
    values = logits.astype(np.float64)
    if manifest.kind is JudgeKind.RERANKER:
        return float(values[0])
    if manifest.kind is JudgeKind.INSTRUCTION:
        return float(values[0] - values[1])
    others = np.delete(values, manifest.entailment)
    return float(values[manifest.entailment] - np.logaddexp.reduce(others))


def aggregate_terms(feature: str, offsets: Sequence[tuple[int, int]], logits: Floats) -> tuple[float, ...]:
    """For each word of the feature the least probability of its tokens, whose ``logits`` are given.

    1.0 for words without a token: reference signs, and what is beyond the window. Empty without offsets.
    """
    if not offsets:
        return ()
    probabilities = 1.0 / (1.0 + np.exp(-np.clip(logits.astype(np.float64), -60.0, 60.0)))
    return tuple(
        min(
            (
                float(probability)
                for (start, end), probability in zip(offsets, probabilities, strict=True)
                if start < word_end and end > word_start
            ),
            default=1.0,
        )
        for word_start, word_end in words(feature)
    )
