"""Case work of every kind in a process that is killed at random moments; nothing that was reported is lost.

As a program: ``python killing.py BOOK CASE SEED FIRST`` works on a case and prints the number of each step
once its call has returned. ``python killing.py --rounds 60`` kills such a process 60 times, says how many
steps were reported and kept, and fails if one is lost.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from claimlight.services.cases.cases import CaseBook
from claimlight.types import (
    CITED,
    AcceptedClass,
    CaseId,
    Category,
    Confirmation,
    Decision,
    Mark,
    MarkedPassage,
    PassageNote,
    PublicationNumber,
    ReferenceDates,
    Scheme,
)

AT = datetime(2026, 3, 1, tzinfo=UTC)


def work(book: CaseBook, case: CaseId, seed: int, step: int) -> None:
    """The step with this number; the same for the same seed. Every step is one transaction."""
    rng = random.Random(seed * 1_000_003 + step)
    number = PublicationNumber("EP", str(1_000_000 + rng.randrange(6)), "A1")
    text = f"passage {rng.randrange(3)}"
    mark = Mark(number, rng.choice((Category.X, Category.Y, Category.A)), "", rng.randrange(3))
    confirmed = (number, Decision.CONFIRMED, "a lever", "f", text, f"d {text}", "[0001]", AT)
    # The step number makes each value a new one, so that each step is a change with a line in the history.
    acts = (
        lambda: book.mark(case, replace(mark, kinds=(Category.P,), note=f"{step}")),
        lambda: book.mark(case, Mark(number, note=f"note {step}")),
        lambda: book.tag(case, number, [f"tag {step}"]),
        lambda: book.decide(case, Confirmation(*confirmed, claim=1, comment=f"{step}")),
        lambda: book.note_passage(case, PassageNote(*(number, "[0001]", text, "d", f"note {step}", AT))),
        lambda: book.rename(case, f"case {step}"),
        lambda: book.add_version(case, f"1. A damper with {step} valves.", name=f"version {step}"),
        lambda: _cite_figure(book, case, mark, step),
        lambda: book.accept_class(case, AcceptedClass(Scheme.CPC, f"B62K {step}/00")),
        lambda: book.save_case(
            replace(book.case(case), dates=ReferenceDates(filed=AT.date(), applicant=f"{step}"))
        ),
        lambda: book.undo(case) or book.rename(case, f"case {step}"),
        lambda: book.redo(case) or book.rename(case, f"case {step}"),
    )
    rng.choice(acts)()


def _cite_figure(book: CaseBook, case: CaseId, mark: Mark, step: int) -> None:
    """One figure more for a mark that is there; else the mark, so that the step changes something."""
    known = {(item.publication, item.claim) for item in book.marks(case) if item.category in CITED}
    if (mark.publication, mark.claim) in known:
        book.cite(case, mark, MarkedPassage.of_figure(f"{step}"))
    else:
        book.mark(case, replace(mark, note=f"{step}"))


def state(book: CaseBook, case: CaseId) -> tuple[object, ...]:
    """Everything that is kept of a case, without times of the clock."""
    kept = book.case(case)
    return (
        replace(kept, created=AT, changed=AT),
        book.marks(case),
        book.tags(case),
        book.confirmations(case),
        book.passage_notes(case),
        [(item.action, item.text) for item in book.history(case)],
        book.steps(case),
    )


def kill_and_compare(folder: Path, seed: int, rounds: int) -> tuple[int, int]:
    """Kill the process ``rounds`` times; returns steps reported, and steps of them that were kept.

    A second book does the same steps without being killed. After each kill the first must have the state
    after the last step that was reported, or after the one that was under way.
    """
    rng = random.Random(seed)
    paths = folder / "killed" / "cases.db", folder / "whole" / "cases.db"
    case = CaseId(1)
    for path in paths:
        with CaseBook.open(path) as book:
            case = book.create_case("one").id
    done = reported = 0
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for turn in range(rounds):
        command = [sys.executable, __file__, str(paths[0]), str(case), str(seed), str(done + 1)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None
            told = [process.stdout.readline() for _ in range(rng.randint(1, 12))]
            time.sleep(rng.random() * 0.01)
            process.kill()
            told += process.stdout.readlines()
        last = max((int(line) for line in told if line.endswith("\n")), default=done)
        assert last > done, f"round {turn}: the process said nothing"
        reported += last - done
        with CaseBook.open(paths[1]) as whole, CaseBook.open(paths[0]) as killed:
            found = state(killed, case)
            for step in range(done + 1, last + 1):
                work(whole, case, seed, step)
            done = last
            if found != state(whole, case):
                # The step under way may be on disk before it could be reported.
                done += 1
                work(whole, case, seed, done)
                assert found == state(whole, case), f"round {turn}: what step {done} left is not whole"
            assert killed.check().sound
    return reported, done


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.rounds:
        with tempfile.TemporaryDirectory() as folder:
            reported, kept = kill_and_compare(Path(folder), given.seed, given.rounds)
        told = f"all of {reported} steps reported were kept, of {kept} on disk"
        sys.stdout.write(f"{given.rounds} kills: {told}\n")
        return
    path, case, seed, first = given.arguments
    with CaseBook.open(Path(path)) as book:
        step = int(first)
        while True:
            work(book, CaseId(int(case)), int(seed), step)
            sys.stdout.write(f"{step}\n")
            sys.stdout.flush()
            step += 1


if __name__ == "__main__":
    main()
