"""Titles of sections, classes and subclasses in our own wording, which ship with Claimlight."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from claimlight import paths
from claimlight.classes.edition_file import EditionFile
from claimlight.classes.reading.records import Record, depth_of
from claimlight.errors import ResourceError
from claimlight.types import Edition, Scheme

FILE = "classes/titles.tsv"
_BOTH = "both"


@cache
def read_titles(scheme: Scheme) -> Mapping[str, str]:
    """Our title of every section, class and subclass of a scheme, by symbol."""
    path = paths.resources() / FILE
    found: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ResourceError(f"{path} can't be read: {error.strerror}. Install Claimlight again.") from error
    for line in lines:
        symbol, owner, title = line.split("\t")
        if owner in (_BOTH, scheme.value):
            found[symbol] = title
    return MappingProxyType(found)


@cache
def shipped_edition(scheme: Scheme) -> EditionFile:
    """The shipped titles as an edition without a version and without groups."""
    records = [
        Record(symbol, depth_of(symbol), title, allocatable=len(symbol) == 4)
        for symbol, title in read_titles(scheme).items()
    ]
    return EditionFile.in_memory(Edition(scheme, ""), records)
