"""How well the program runs on this computer: findings of checks, and what a diagnostic report is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Level(StrEnum):
    """How bad a finding is."""

    WELL = "well"
    WARNING = "warning"
    """It works, but not as well as it could, or not for long."""
    FAULT = "fault"


class Subject(StrEnum):
    """What is checked of a computer; of the installation, its parts are the subjects."""

    PROCESSOR = "processor instructions"
    MEMORY = "memory of this computer"
    LIBRARY = "folder of the library"
    CASES = "folder of the cases"
    LIBRARY_SPACE = "free space for the library"
    CASES_SPACE = "free space for the cases"
    LIBRARY_DISK = "disk of the library"
    ANSWER = "answer of the model"
    WINDOW_PARTS = "system libraries of the window"
    CLOCK = "clock of this computer"
    FONTS = "fonts for the library"
    SCREEN = "size of the screen"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    subject: str
    state: str
    ok: bool = True
    """False for a fault."""
    why: str = ""
    """Why it matters; empty if all is well."""
    advice: str = ""
    """What to do; empty if all is well."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """What was measured; bytes, cores or a share, as the name says."""
    error: str = ""
    """Class of the error that the check ended with."""

    @property
    def level(self) -> Level:
        """A fault, or a warning if there is something to do."""
        if not self.ok:
            return Level.FAULT
        return Level.WARNING if self.advice else Level.WELL


@dataclass(frozen=True, slots=True)
class ScreenFacts:
    """A screen of the desktop."""

    width: int
    """Logical pixels, as windows are measured in."""
    height: int
    scale: float
    """Pixels of the screen for each logical pixel."""


@dataclass(frozen=True, slots=True)
class WindowFacts:
    """What only a window knows of a computer."""

    screens: tuple[ScreenFacts, ...]
    unreadable: tuple[str, ...] = ()
    """Languages (ISO 639-1) whose script no installed font has."""
    qt: str = ""
    platform: str = ""
    """Qt's name of the window system."""
    text_scale: float = 1.0


class Outcome(StrEnum):
    """How a job ended."""

    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class JobRun:
    """A job that has ended."""

    at: str
    """When it ended: UTC, ISO 8601, to the second."""
    kind: str
    """Name of its command."""
    seconds: float
    outcome: Outcome
    error: str = ""
    """Class of the error that ended it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in the program."""

    file: str
    """Relative to the folder of the packages."""
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Defect:
    """An unexpected error: where it happened, without its message or any value."""

    at: str
    """UTC, ISO 8601, to the second."""
    version: str
    """Version of the program; empty if not known."""
    error: str
    """Class of the error."""
    frames: tuple[Frame, ...]
    """The outermost first; those of other packages are left out."""


@dataclass(frozen=True, slots=True)
class ReportFile:
    """One file of a diagnostic report."""

    name: str
    about: str
    """What it holds, in a sentence."""
    text: str
