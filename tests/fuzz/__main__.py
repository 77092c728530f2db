"""`python -m tests.fuzz`: fuzz for as long as wanted, each target in a process of its own.

    python -m tests.fuzz --minutes 30
    python -m tests.fuzz --minutes 5 --only "query line" --seed 7

Findings are written to a folder (``var/fuzz``): the input and what was wrong. A crash of the process is one
too. Exit code 1 if there are any.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.running import fuzz
from tests.fuzz.targets import ROOT, TARGETS

_CURRENT = "current"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="processor time in all")
    parser.add_argument("--only", action="append", default=[], help="targets whose name begins so")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--out", type=Path, default=ROOT / "var" / "fuzz")
    parser.add_argument("--list", action="store_true", help="name the targets")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    chosen = [item for item in TARGETS if not asked.only or item.name.startswith(tuple(asked.only))]
    if asked.list:
        print(*(f"{item.name}{' (native)' if item.native else ''}" for item in chosen), sep="\n")
        return 0
    if asked.child:
        return _child(asked.child[0], float(asked.child[1]), asked.seed, asked.out)
    asked.out.mkdir(parents=True, exist_ok=True)
    seconds = asked.minutes * 60 / sum(item.weight for item in chosen)
    bad = 0
    for item in chosen:
        bad += _run(item.name, seconds * item.weight, asked.seed, asked.out)
    return 1 if bad else 0


def _run(name: str, seconds: float, seed: str, out: Path) -> int:
    """Fuzz one target in children until its time is used up; the number of findings."""
    found, left, turn = 0, seconds, 0
    total: dict[str, int] = {}
    while left > 0 and turn < 20:
        begun = time.monotonic()
        command = [sys.executable, "-m", "tests.fuzz", "--child", name, str(left), "--seed", f"{seed}.{turn}"]
        done = subprocess.run(
            [*command, "--out", str(out)], cwd=ROOT, capture_output=True, text=True, check=False
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        result = (
            json.loads(lines[-1]) if lines else {"executions": 0, "outcomes": {}, "findings": 0, "seconds": 0}
        )
        for key, count in ({"executions": result["executions"]} | result["outcomes"]).items():
            total[key] = total.get(key, 0) + count
        found += result["findings"]
        if lines:
            break
        # Killed by a signal, or ended by a library: the input is the last one that was written.
        found += 1
        current = out / f"{_file(name)}.{_CURRENT}"
        kept = out / f"{_file(name)}-crash-{seed}.{turn}"
        if current.exists():
            current.replace(kept)
        kept.with_suffix(".txt").write_text(f"exit {done.returncode}\n{done.stderr[-3000:]}")
        left -= max(10.0, time.monotonic() - begun)
        turn += 1
    told = ", ".join(f"{count:,} {what}" for what, count in total.items())
    print(f"{name}: {told}, {found} findings, {turn} crashes", flush=True)
    return found


def _child(name: str, seconds: float, seed: str, out: Path) -> int:
    target = next(item for item in TARGETS if item.name == name)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CLAIMLIGHT_DATA_DIR"] = str(Path(folder) / "data")
        os.environ["CLAIMLIGHT_CONFIG_DIR"] = str(Path(folder) / "config")
        # Bytes, not only resident ones: an allocation beyond is refused and found as a MemoryError.
        current = out / f"{_file(name)}.{_CURRENT}"
        result = fuzz(
            target, Path(folder), seed=seed, seconds=seconds, current=current if target.native else None
        )
        current.unlink(missing_ok=True)
    for number, finding in enumerate(result.findings):
        path = out / f"{_file(name)}-{seed}-{number}"
        path.write_bytes(finding.data)
        path.with_suffix(f"{path.suffix}.txt").write_text(
            f"{finding.kind}\n{finding.text}\n", errors="replace"
        )
    print(json.dumps({"executions": result.executions, "outcomes": result.outcomes,
                      "findings": len(result.findings), "seconds": result.seconds}))  # fmt: skip
    return 0


def _file(name: str) -> str:
    return name.replace(" ", "-")


if __name__ == "__main__":
    sys.exit(main())
