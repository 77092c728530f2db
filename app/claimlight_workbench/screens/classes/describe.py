"""Classes in words, for the tree, the text beside it and screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import Scheme, plural

if TYPE_CHECKING:
    from claimlight.types import ClassEntry, ClassHit, ClassView, Edition

SHIPPED = (
    "Titles of sections, classes and subclasses ship with Claimlight. For groups, notes and references, "
    "import the official files: the title list or scheme XML of the CPC, or the titles of the IPC."
)


def edition_name(edition: Edition) -> str:
    """``CPC 2022.08``, ``IPC, shipped titles``."""
    scheme = edition.scheme.upper()
    return f"{scheme} {edition.version}" if edition.version else f"{scheme}, shipped titles"


def count_words(count: int | None) -> str:
    """For screen readers; nothing while documents are counted."""
    return "" if count is None else plural(count, "document")


def entry_tip(entry: ClassEntry) -> str:
    """Symbol, title and what is special about it."""
    return "\n".join([f"{entry.symbol}  {entry.title}", *_marks(entry)])


def hit_title(hit: ClassHit) -> str:
    """Its title, then those above it up to the subclass."""
    near = (entry for entry in hit.path if " " in entry.symbol or len(entry.symbol) == 4)
    return " › ".join(entry.short or entry.title for entry in reversed((*near, hit.entry)))


def _marks(entry: ClassEntry) -> list[str]:
    marks = (
        ("Not allocatable: no document is classified here", not entry.allocatable),
        ("For additional information only", entry.additional_only),
        ("Frozen: not used for new documents", entry.frozen),
    )
    return [text for text, there in marks if there]


def class_paragraphs(view: ClassView, documents: int | None) -> list[tuple[str, str]]:
    """Headings and texts about a class; an empty heading continues the text before."""
    entry = view.entry
    found: list[tuple[str, str]] = []
    if view.retired:
        last = f"{view.newest} no longer has it; {view.edition} is the last imported version that has it."
        found.append(("Retired", last))
    if documents is not None:
        found.append(("", f"{plural(documents, 'document')} of this library, with all classes below"))
    found += [("", each) for each in _marks(entry)]
    if entry.short and entry.short != entry.title:
        found.append(("In short", entry.short))
    found += [("Above", f"{each.symbol}  {each.short or each.title}") for each in view.path]
    if entry.heading:
        found.append(("Guidance heading", entry.heading))
    if entry.revised:
        found.append(("Revised", entry.revised.isoformat()))
    if entry.concordant and view.edition.scheme is Scheme.CPC:
        found.append(("IPC symbol", entry.concordant))
    for transfer in view.transfers:
        found.append(("Documents moved to", f"{', '.join(transfer.targets)} ({transfer.edition})"))
    found += [("Elsewhere", each.text) for each in view.references]
    found += [("Warning" if each.warning else "Note", each.text) for each in view.notes]
    return found
