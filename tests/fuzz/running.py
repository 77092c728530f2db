"""A bounded run of one target."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.mutating import Mutator
from tests.fuzz.targets import Target
from tests.fuzz.watching import Finding, Runner

_TWICE = 8
"""Every so many inputs are read twice, to compare."""
_MOST_FINDINGS = 30


@dataclass(frozen=True, slots=True)
class Result:
    """What a run did and found."""

    executions: int
    outcomes: dict[str, int]
    """How many inputs were read, and how many refused."""
    findings: list[Finding]
    """One for each cause."""
    seconds: float


def fuzz(
    target: Target,
    folder: Path,
    *,
    seed: str,
    executions: int = 0,
    seconds: float = 0.0,
    current: Path | None = None,
) -> Result:
    """Read damaged inputs until ``executions``, or processor ``seconds``, are used up.

    ``current`` is a file that holds the input while it is read, for readers that may end the process.
    """
    with warnings.catch_warnings():
        # As in the program; the tests of this project make errors of them.
        warnings.simplefilter("ignore")
        seeds, read = target.make(folder)
        runner = Runner(read, folder, seeds)
        mutator = Mutator(f"{target.name} {seed}", seeds, target.words)
        begun, done = time.process_time(), 0
        found: dict[str, Finding] = {}
        while done < executions if executions else time.process_time() - begun < seconds:
            data = mutator.next()
            if current is not None:
                current.write_bytes(data)
            finding = runner.check(data, twice=done % _TWICE == 0)
            done += 1
            if finding is not None:
                found.setdefault(finding.kind, finding)
                if len(found) >= _MOST_FINDINGS:
                    break
    return Result(done, runner.outcomes, list(found.values()), time.process_time() - begun)
