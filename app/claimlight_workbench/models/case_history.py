"""The history of a case in words: the kind of each step, and what was done."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight.types import Action, Hindrance, format_publication
from claimlight_workbench.language import tr, trn
from claimlight_workbench.models.categories import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from claimlight.types import LogEntry

KINDS = {
    Action.SEARCHED: tr("Search"),
    Action.SEEN: tr("Document opened"),
    Action.MARKED: tr("Category, note"),
    Action.TAGGED: tr("Tags"),
    Action.DECIDED: tr("Confirmed, rejected"),
    Action.NOTED: tr("Note on a passage"),
    Action.SAMPLED: tr("Sample"),
    Action.CREATED: tr("Case"),
    Action.EDITED: tr("Case"),
    Action.UNDONE: tr("Undone"),
    Action.REDONE: tr("Redone"),
}
_VERDICTS = {
    **{row.category.value: row.history for row in CATEGORIES if row.history},
    "note": tr("a note, no category"),
    "no mark": tr("category and note removed"),
}
_FIELDS = {
    "features": tr("features"),
    "ranges": tr("features"),
    "claim": tr("claim searched"),
    "application": tr("claims"),
    "publication": tr("application number"),
    "reference date": tr("relevant date"),
    "dates": tr("dates of the application"),
    "limit": tr("date limit"),
    "library": tr("library searched"),
    "classes": tr("accepted classes"),
    "within": tr("class filter"),
}
"""What the window calls the fields of a case."""
_OF_DOCUMENT = re.compile(r"([A-Z]{2}[A-Z]{0,2}\d\S*): (.+)", re.DOTALL)
_OF_PASSAGE = re.compile(r"([A-Z]{2}[A-Z]{0,2}\d\S*) (\S[^:]*): (.+)", re.DOTALL)
_OF_SET = re.compile(r"L(\d+): ")
_EDITED = re.compile(r"(.+) edited")
_BEGUN = re.compile(r"case (.+) begun", re.DOTALL)


_HINDRANCES = {
    Hindrance.NOTHING: tr("There is nothing to undo: searches are always kept"),
    Hindrance.SINCE: tr("Something else was done there since it was undone"),
    Hindrance.TURN: tr("Choose the step that was undone or redone"),
}


@dataclass(frozen=True, slots=True)
class Search:
    """What a numbered set asked, and how many documents it found."""

    asked: str
    documents: int


@dataclass(frozen=True, slots=True)
class Told:
    """A line of the history."""

    at: datetime
    action: Action
    kind: str
    words: str
    number: int = 0
    publication: str = ""
    """The document it is about."""
    undone: bool = False
    hindrance: str = ""
    """Why it can't be undone, or redone, by itself; empty if it can."""


def describe_history(entries: Iterable[LogEntry], searches: Mapping[int, Search]) -> tuple[Told, ...]:
    """The lines of the history, newest first; ``searches`` by the number of their set."""
    lines = [
        Told(
            *(each.at, each.action, KINDS[each.action], _words(each, searches)),
            *(each.number, each.publication, each.undone, _hindrance(each)),
        )
        for each in entries
    ]
    return tuple(reversed(lines))


def _hindrance(entry: LogEntry) -> str:
    if entry.hindrance is Hindrance.NONE:
        return ""
    if entry.hindrance is Hindrance.LATER:
        return tr("Changed again later; undo that first: {later}", later=change_words(entry.later))
    return _HINDRANCES[entry.hindrance]


def change_words(text: str) -> str:
    """A change of the case in the words of the window."""
    if found := _OF_DOCUMENT.fullmatch(text):
        return f"{format_publication(found[1])}: {_verdict(found[2])}"
    if found := _OF_PASSAGE.fullmatch(text):
        return f"{format_publication(found[1])} {found[2]}: {found[3]}"
    if found := _EDITED.fullmatch(text):
        names = [_FIELDS.get(name, name) for name in found[1].split(", ")]
        return tr("{names} changed", names=", ".join(dict.fromkeys(names)))
    return text


def _words(entry: LogEntry, searches: Mapping[int, Search]) -> str:
    text = entry.text
    if entry.action is Action.SEARCHED and (label := _OF_SET.match(text)):
        found = searches.get(int(label[1]))
        return (
            tr(
                "{label}{asked}  ·  {documents} found",
                label=label[0],
                asked=found.asked,
                documents=trn("{n:,} document", "{n:,} documents", found.documents),
            )
            if found
            else text
        )
    if entry.action is Action.SEEN and (opened := _OF_DOCUMENT.fullmatch(text)):
        return format_publication(opened[1]) + ("" if opened[2] == "seen" else tr(": counts as unseen again"))
    if entry.action is Action.CREATED and (begun := _BEGUN.fullmatch(text)):
        return tr("created as {begun}", begun=begun[1])
    return change_words(text)


def _verdict(text: str) -> str:
    """``0 for claim 1`` as ``not relevant (0) for claim 1``."""
    verdict, about, rest = text.partition(" for ")
    if verdict in _VERDICTS:
        return f"{_VERDICTS[verdict]}{about}{rest}"
    known = {row.category.value for row in CATEGORIES}
    return tr("category {words}", words=text) if set(verdict.split(",")) <= known else text
