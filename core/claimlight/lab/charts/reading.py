"""Charts and groups of minimal pairs: their form, and the files of a benchmark.

A benchmark is a folder with one folder of JSON lines for each part (``fit``, ``choose``, ``final``) and
``groups`` for the minimal pairs; a folder of files without such folders is one part. The form is described in
docs/lab/charts.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

from claimlight import codec
from claimlight.codec import MisfitError
from claimlight.errors import InputError
from claimlight.evaluation.judgements import read_numbered_lines
from claimlight.files import parse_json

GROUPS = "groups"
_T = TypeVar("_T")


class Wording(StrEnum):
    """How a cell is disclosed, or why it is not."""

    SAME = "same"
    OTHER = "other"
    IMPLICIT = "implicit"
    NEAR_MISS = "near_miss"
    ABSENT = "absent"
    UNKNOWN = ""
    """Published sets do not say."""


DISCLOSED = (Wording.SAME, Wording.OTHER, Wording.IMPLICIT)
UNDISCLOSED = (Wording.NEAR_MISS, Wording.ABSENT)


@dataclass(frozen=True, slots=True)
class ChartFeature:
    """A feature; its text is a part of the claim."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class ChartParagraph:
    """A paragraph of the document by its number, or a claim of it: ``claim 1``."""

    n: str
    text: str


@dataclass(frozen=True, slots=True)
class ChartDocument:
    """The prior-art document."""

    title: str
    abstract: str
    paragraphs: tuple[ChartParagraph, ...]
    claims: tuple[ChartParagraph, ...] = ()

    @property
    def passages(self) -> tuple[ChartParagraph, ...]:
        """What a cell may name: its paragraphs, then its claims."""
        return (*self.paragraphs, *self.claims)


@dataclass(frozen=True, slots=True)
class ChartCell:
    """The ruling on one feature."""

    feature: str
    disclosed: bool
    wording: Wording
    paragraphs: tuple[str, ...] = ()
    """Every paragraph and claim that discloses the feature by itself."""
    near: tuple[str, ...] = ()
    """Paragraphs and claims that come near without disclosing it."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One claim against one document, with a ruling for every feature."""

    id: str
    field: str
    """CPC subclass."""
    claim: str
    features: tuple[ChartFeature, ...]
    document: ChartDocument
    cells: tuple[ChartCell, ...]
    group: str = ""
    """Charts of one group are resampled together and compete with each other; empty: the chart itself."""
    author: str = ""
    """Who wrote it, by the name of its file: a calibration is measured on charts of other authors."""

    @property
    def subject(self) -> str:
        """Preamble of the claim: what the features are features of."""
        return preamble(self.claim, [feature.text for feature in self.features])

    def feature(self, label: str) -> ChartFeature:
        """The feature of this label."""
        return next(feature for feature in self.features if feature.label == label)


@dataclass(frozen=True, slots=True)
class LabelledPassage:
    """A passage with one label for each feature of its group."""

    text: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairGroup:
    """Sibling features that differ in one thing, against some passages."""

    id: str
    cpc: str
    claim: str
    """Preamble; empty where the features are preambles, or heads of features, themselves."""
    features: tuple[str, ...]
    passages: tuple[LabelledPassage, ...]


@dataclass(frozen=True, slots=True)
class Placed(Generic[_T]):
    """A chart or group, and where it was read."""

    item: _T
    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The charts of each part, the groups, and the faults of lines that could not be read."""

    charts: Mapping[str, tuple[Placed[Chart], ...]]
    groups: tuple[Placed[PairGroup], ...]
    faults: tuple[str, ...] = ()


def preamble(claim: str, features: Sequence[str]) -> str:
    """The text of a claim before its first feature; its first sixty characters if there is none before."""
    first = min(max(claim.find(text), 0) for text in features)
    return claim[:first].strip() or claim[:60]


def read_benchmark(folder: Path, *, strict: bool = True) -> Benchmark:
    """All files of a benchmark; `InputError` for a folder without charts and groups.

    A line that does not have the form is an `InputError` too, or, if not ``strict``, one of the faults.
    """
    faults: list[str] = []
    tell: Callable[[InputError], None] | None = None if strict else lambda error: faults.append(str(error))
    parts = find_parts(folder)
    groups = tuple(item for path in _files(folder / GROUPS) for item in _read(PairGroup, path, tell))
    charts = {
        name: tuple(item for path in files for item in _read(Chart, path, tell))
        for name, files in parts.items()
    }
    if not groups and not any(charts.values()) and not faults:
        raise InputError(f"{folder} has no charts: *.jsonl was expected in it, or in folders of its parts.")
    return Benchmark(charts, groups, tuple(faults))


def find_parts(folder: Path) -> dict[str, list[Path]]:
    """The files of every part by its name; of a folder without folders, all files under its own name."""
    try:
        inner = sorted(path for path in folder.iterdir() if path.is_dir() and path.name != GROUPS)
    except OSError as error:
        raise InputError(f"{folder} can't be read: {error.strerror}.") from error
    parts = {path.name: files for path in inner if (files := _files(path))}
    if own := _files(folder):
        parts[folder.resolve().name] = own
    return parts


def read_part(folder: Path, part: str) -> tuple[Chart, ...]:
    """The charts of one part; files of other parts are not opened.

    A folder of files is one part whatever its name. `InputError` if the part does not exist.
    """
    parts = find_parts(folder)
    own = folder.resolve().name
    if part not in parts and list(parts) == [own] and _files(folder):
        part = own
    if part not in parts:
        raise InputError(f"{folder} has no part {part!r}; it has {', '.join(parts) or 'none'}.")
    charts = tuple(
        replace(placed.item, author=path.stem) for path in parts[part] for placed in _read(Chart, path)
    )
    if not charts:
        raise InputError(f"The part {part!r} of {folder} has no charts.")
    return charts


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jsonl"))


def _read(
    kind: type[_T], path: Path, tell: Callable[[InputError], None] | None = None
) -> Iterator[Placed[_T]]:
    for number, line in read_numbered_lines(path):
        if not line.strip():
            continue
        try:
            item = codec.read(kind, parse_json(line))
        except (MisfitError, ValueError) as error:
            fault = InputError(f"{path}, line {number}: {error}")
            if tell is None:
                raise fault from error
            tell(fault)
            continue
        yield Placed(item, path, number)
