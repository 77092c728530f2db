"""What the machine gives to this process."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

_NICER = 10
_THREADS = Path("/proc/self/task")
_BELOW_NORMAL = 0x4000
"""BELOW_NORMAL_PRIORITY_CLASS of Windows."""
_GROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


@cache
def usable_cores() -> int:
    """Cores that this process may keep busy: by its affinity, and by the quota of its container.

    A container limited to 2 CPUs on a machine of 64 still sees all 64; 64 threads would only take turns and
    be stopped for most of each period.
    """
    # Linux only; macOS and Windows don't have it.
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    quota = _quota(_GROUPS, _OWN)
    return max(1, min(cores, round(quota))) if quota else cores


@cache
def instructions() -> Mapping[str, bool]:
    """Whether this processor, and the system, have certain instructions, by numpy's names of these."""
    # numpy has asked the processor for its own loops, on every system.
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    found: Mapping[str, bool] = getattr(_multiarray_umath, "__cpu_features__", {})
    return found


def installed_cores() -> int:
    """Cores of the machine, whoever may use them; 0 if not known."""
    return os.cpu_count() or 0


def lower_priority() -> bool:
    """Let other programs go first from now on; False if the system refuses."""
    if os.name == "nt":
        return _lower_on_windows(getattr(ctypes, "WinDLL")("kernel32"))  # noqa: B009 - unknown to POSIX
    try:
        nice = os.nice(_NICER)
    except OSError:
        return False
    # Linux lowers the calling thread alone; those of numerical libraries were started at their import.
    with suppress(OSError):
        for thread in _THREADS.iterdir():
            with suppress(OSError, ValueError):
                os.setpriority(os.PRIO_PROCESS, int(thread.name), nice)
    return True


def _lower_on_windows(kernel: Any) -> bool:
    # Handles are pointers: without a type, 64 bits would be cut to 32.
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    kernel.SetPriorityClass.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    return bool(kernel.SetPriorityClass(kernel.GetCurrentProcess(), _BELOW_NORMAL))


def _quota(groups: Path, own: Path) -> float | None:
    """CPUs that the control groups of this process (Linux) grant; None where nothing limits them."""
    try:
        entries = [line.split(":", 2) for line in own.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return None
    found = []
    for _, controllers, name in (entry for entry in entries if len(entry) == 3):
        if not controllers:  # version 2: one tree, "quota period" or "max period"
            top, read = groups, _second_version
        elif "cpu" in controllers.split(","):
            top, read = groups / "cpu", _first_version
        else:
            continue
        # Inside a container the path of the host is named but the container's own group is the root.
        folder = top / name.lstrip("/")
        # A group's quota holds for all groups below it, so the least one counts.
        groups_above = (group for group in folder.parents if top in group.parents)
        found += [read(group) for group in (top, folder, *groups_above)]
    return min((cpus for cpus in found if cpus), default=None)


def _second_version(group: Path) -> float | None:
    try:
        # "max" means no limit; int() refuses it.
        quota, period = (group / "cpu.max").read_text(encoding="utf-8").split()
        return int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _first_version(group: Path) -> float | None:
    try:
        quota = int((group / "cpu.cfs_quota_us").read_text(encoding="utf-8"))
        period = int((group / "cpu.cfs_period_us").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    # A quota of -1 means no limit.
    return quota / period if quota > 0 and period > 0 else None
