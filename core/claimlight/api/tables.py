"""Lists as tables: records for any program, a pandas frame where pandas is installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from claimlight.errors import ResourceError

if TYPE_CHECKING:
    from pandas import DataFrame

Row = dict[str, Any]
"""One row: its cells by column."""
DAYS = frozenset({"published", "filed", "priority"})
"""Columns of days, in every table."""
SCORES = frozenset({"score", "passage_score"})
"""Columns of real numbers that may be None in every row."""


class Table(ABC):
    """Rows with the same columns."""

    __slots__ = ()

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order; the same with no row at all."""

    @abstractmethod
    def to_records(self) -> list[Row]:
        """The rows, each with all of `columns`: text, numbers, days (`datetime.date`), tuples, None."""

    def to_pandas(self) -> DataFrame:
        """The rows as a frame with a plain index: days ``datetime64``, missing scores NaN, lists tuples.

        `ResourceError` where pandas is not installed.
        """
        return frame(self.to_records(), self.columns)


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> DataFrame:
    """Rows as a pandas frame."""
    require("pandas", "A table of pandas", "claimlight[pandas]; to_records() needs nothing more")
    import pandas

    made = pandas.DataFrame(list(rows), columns=list(columns))
    for name in columns:
        if name in DAYS:
            made[name] = pandas.to_datetime(made[name])
        elif name in SCORES:
            made[name] = made[name].astype("float64")
    return made


def require(package: str, what: str, remedy: str) -> None:
    """`ResourceError` that says what to install where a package is missing."""
    if find_spec(package) is None:
        raise ResourceError(f"{what} needs {package}, which is not installed: install {remedy}.")
