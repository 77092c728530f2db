"""Ways of ranking that the search is compared with: each has a model package and an index of its own.

Nothing of the search depends on them: `OTHER_LEGS` is filled by `claimlight.lab`, where it is installed.
Their indexes are in ``comparison/`` of the library, under a name that says which package made them. Documents
that were removed since stay in them; the search leaves them out.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from claimlight.errors import InputError
from claimlight.registry import Registry
from claimlight.retrieval import Retriever
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.text.normalise import FINGERPRINT as NORMALISER
from claimlight.types import COMPARED_LEGS, IndexReport, Leg

if TYPE_CHECKING:
    from claimlight.services.library.library import Library

_FOLDER = "comparison"


@dataclass(frozen=True, slots=True, eq=False)
class OpenLeg:
    """A leg that is ready to rank."""

    retriever: Retriever | None
    """None where the library has no index of it."""
    notes: tuple[str, ...]
    """What the user must be told of it."""


class OtherLeg(Protocol):
    """One leg over one library; what it opened it keeps."""

    def opened(self, *, last_document: int) -> OpenLeg:
        """Ready to rank; an index that ends before ``last_document`` is looked for anew.

        Raises `InputError` without a package and `ResourceError` for an index that is damaged.
        """
        ...

    def build(self, library: Library, context: TaskContext) -> IndexReport:
        """Index every document that its index does not hold yet; may be stopped and goes on there."""
        ...

    def state(self) -> str:
        """What its index holds, for whoever keeps figures; `ResourceError` where there is none."""
        ...

    def verified(self) -> Iterator[str]:
        """Read every byte of its indexes; a sentence for each, `ResourceError` for a fault."""
        ...


OTHER_LEGS: Registry[Leg, Callable[[Path, Settings], OtherLeg]] = Registry({}, "claimlight.lab.rivals:LEGS")


def other_leg(leg: Leg, library: Path, settings: Settings) -> OtherLeg:
    """The leg over a library; `InputError` where the laboratory is not installed."""
    if leg not in OTHER_LEGS:
        raise InputError(
            f"{leg} is no part of this installation: install the Python package claimlight[lab] to compare "
            "the search with it."
        )
    return OTHER_LEGS[leg](library, settings)


class OtherLegs:
    """Opens what the requests to one library need, and keeps it; threads may share it."""

    def __init__(self, library: Path, settings: Settings) -> None:
        self._library = library
        self._settings = settings
        self._lock = threading.Lock()
        self._known: dict[Leg, OtherLeg] = {}

    def opened(self, legs: Sequence[Leg], *, last_document: int) -> dict[Leg, OpenLeg]:
        """Those among ``legs`` that are not the search's own; see `OtherLeg.opened`."""
        with self._lock:
            found = {}
            for leg in COMPARED_LEGS:
                if leg in legs:
                    if leg not in self._known:
                        self._known[leg] = other_leg(leg, self._library, self._settings)
                    found[leg] = self._known[leg].opened(last_document=last_document)
            return found


def comparison_folder(library: Path, leg: Leg, encoder: str) -> Path:
    """Where the index that a package (by its fingerprint) makes of a library lies."""
    digest = hashlib.sha256(f"{encoder} {NORMALISER}".encode()).hexdigest()[:12]
    return library / _FOLDER / f"{leg.value}-{digest}"


def comparison_folders(library: Path, leg: Leg) -> list[Path]:
    """The indexes of a leg, whatever package made them."""
    return sorted((library / _FOLDER).glob(f"{leg.value}-*"))


def verified(library: Path) -> Iterator[str]:
    """Read every byte of the indexes to compare with; see `OtherLeg.verified`."""
    for leg in COMPARED_LEGS:
        if not comparison_folders(library, leg):
            continue
        if leg in OTHER_LEGS:
            yield from other_leg(leg, library, Settings()).verified()
        else:
            yield f"The indexes of {leg} were not checked: the laboratory is not installed."
