"""The state of the window at its last end: one JSON file, replaced atomically at every change.

It is with the user's data because it holds the text of the query, which may be confidential.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from claimlight import codec, files, paths
from claimlight.files import parse_json
from claimlight.services.cases.case_encryption import SESSION_NAME, without_case

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA_VERSION = 1


class IndexState(StrEnum):
    """What becomes of the indexing of a library."""

    RUNNING = "running"
    """Begun and not finished: it is resumed when the library is opened."""
    PAUSED = "paused"
    """By the user, until the user resumes it; what is imported is indexed by its claims meanwhile."""
    LIMITED = "limited"
    """Finished, and limited by the user: what is imported is indexed within the same limits."""


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """The indexing of a library that is not finished, or that the user has limited."""

    folder: str
    state: IndexState
    options: tuple[str, ...] = ()
    """Of `claimlight index`."""


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that is restored at the next start."""

    geometry: str = ""
    """Base64 of what Qt saves; empty means the default place."""
    docks: str = ""
    """The panels of the layout *Search*; earlier versions had no other."""
    layout: str = "search"
    """The layout that was shown last for work on a case."""
    layouts: tuple[str, ...] = ()
    """The panels of the other layouts: ``read=`` and what Qt saves."""
    panel_titles: bool = False
    library: str = ""
    libraries: tuple[str, ...] = ()
    """Folders of the libraries opened last, the newest first."""
    index_plans: tuple[IndexPlan, ...] = ()
    """For each library whose indexing is not finished, or limited."""
    case: int = 0
    """Row id of the open case; 0 where none is open."""
    of_encrypted: bool = False
    """The case book is encrypted: the rest of the case is there, and not in this file."""
    claims_text: str = ""
    claims_source: str = ""
    """Publication the claims came from, or a name; shown above them."""
    own_family: tuple[str, ...] = ()
    """Country, number and kind of the document whose family is excluded; empty if there is none."""
    claim: int = 1
    feature_lines: tuple[str, ...] = ()
    """The words of the edited features; empty if the claim was split automatically."""
    feature_ranges: tuple[str, ...] = ()
    """Their ranges in the text of the claim: ``12-40``; empty in sessions of earlier versions."""
    limit: str = ""
    """Only documents published before this date, ISO; empty if the limit is off. Earlier versions kept a
    date here, as ``before``, that nobody had chosen: it is not read."""
    classes: tuple[str, ...] = ()
    """Only documents of these classes are searched: ``cpc B62K 25/04``; empty searches all."""
    filed: str = ""
    """Dates of the application, ISO; empty if they are not known."""
    priority: str = ""
    priority_valid: bool = False
    """Found valid by the user. Earlier versions stored true, as ``priority_verified``, without the user's
    decision: it is not read."""
    claim_priorities: tuple[str, ...] = ()
    """``3=2018-05-03`` for a claim with a priority of its own, ``3=`` for one without any."""
    rules: str = "epc"
    """The law that decides date statuses."""
    applicant: str = ""
    """Applicant of the application."""
    dates_confirmed: bool = False
    legs: tuple[str, ...] = ("bm25", "dense", "centers")
    order: str = "score"
    line: str = ""
    """Text in the query line."""
    lines: tuple[str, ...] = ()
    """Query lines that were run, oldest first."""
    operator: str = "AND"
    shown_set: int = 0
    """Number of the set that is shown; 0 for a claim search."""
    hidden_columns: tuple[str, ...] = ()
    publication: str = ""
    """The open document."""
    scroll: int = 0
    """Position in the text of the open document at the top of the reader."""
    showing: str = "text"
    """What the reader shows of a document: ``text``, ``drawings`` or ``both``."""
    showing_beside: str = "text"
    """The same of the document beside."""
    beside: str = ""
    """The document beside the open one; empty for none."""
    linked: bool = True
    """Whether 1 to 9 go to a feature in both."""
    hidden_features: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    """Publications opened in this case, from a session of an earlier version; the case holds them now."""
    theme: str = "system"
    text_scale: float = 1.0
    welcomed: bool = False
    checked: tuple[str, ...] = ()
    """Computers that were checked, and by which version of the program: ``DIGEST=VERSION``."""


def session_path() -> Path:
    """Path of the session file."""
    return paths.data_dir() / SESSION_NAME


def load(path: Path) -> Session:
    """Read the session; a missing or damaged file gives a new one, a damaged one is kept as ``.bad``."""
    try:
        raw = parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Session()
    except (OSError, ValueError):
        return _aside(path)
    if not isinstance(raw, dict) or raw.pop("schema", None) != SCHEMA_VERSION:
        return _aside(path)
    return _session(raw)


def save(session: Session, path: Path) -> None:
    """Write and sync beside the file, then replace it: a crash leaves the old or the new one.

    With an encrypted case book, the file has nothing of the case but its number.
    """
    files.private_folder(path.parent)
    files.tighten(path.parent)
    body = {"schema": SCHEMA_VERSION, **asdict(session)}
    if session.of_encrypted:
        body = without_case(body)
    text = json.dumps(body, ensure_ascii=False, indent=1)
    # Half a character, as a paste may bring it, is no UTF-8; its escape is the one of JSON.
    files.write_atomically(path, text.encode("utf-8", "backslashreplace"))


def _session(raw: dict[str, Any]) -> Session:
    """Accept each value of the right type, use the default for the rest."""
    fitting: dict[str, Any] = {}
    for item in fields(Session):
        with suppress(codec.MisfitError, KeyError):
            fitting[item.name] = getattr(codec.read(Session, {item.name: raw[item.name]}), item.name)
    return Session(**fitting)


def _aside(path: Path) -> Session:
    try:
        path.replace(path.with_suffix(".json.bad"))
    except OSError:
        return Session()
    return Session()
