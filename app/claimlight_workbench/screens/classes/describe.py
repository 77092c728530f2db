"""Classes in words, for the tree, the text beside it and screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import Scheme
from claimlight_workbench.language import tr, trn

if TYPE_CHECKING:
    from claimlight.types import ClassEntry, ClassHit, ClassView, Edition

SHIPPED = tr(
    "Titles of sections, classes and subclasses ship with Claimlight. For groups, notes "
    "and references, import the official files: the title list or scheme XML of the CPC, "
    "or the titles of the IPC."
)


def edition_name(edition: Edition) -> str:
    """``CPC 2022.08``, ``IPC, shipped titles``."""
    scheme = edition.scheme.upper()
    return f"{scheme} {edition.version}" if edition.version else tr("{scheme}, shipped titles", scheme=scheme)


def count_words(count: int | None) -> str:
    """For screen readers; nothing while documents are counted."""
    return "" if count is None else trn("{n:,} document", "{n:,} documents", count)


def entry_tip(entry: ClassEntry) -> str:
    """Symbol, title and what is special about it."""
    return "\n".join([f"{entry.symbol}  {entry.title}", *_marks(entry)])


def hit_title(hit: ClassHit) -> str:
    """Its title, then those above it up to the subclass."""
    near = (entry for entry in hit.path if " " in entry.symbol or len(entry.symbol) == 4)
    return " › ".join(entry.short or entry.title for entry in reversed((*near, hit.entry)))


def _marks(entry: ClassEntry) -> list[str]:
    marks = (
        (tr("Not allocatable: no document is classified here"), not entry.allocatable),
        (tr("For additional information only"), entry.additional_only),
        (tr("Frozen: not used for new documents"), entry.frozen),
    )
    return [text for text, there in marks if there]


def class_paragraphs(view: ClassView, documents: int | None) -> list[tuple[str, str]]:
    """Headings and texts about a class; an empty heading continues the text before."""
    entry = view.entry
    found: list[tuple[str, str]] = []
    if view.retired:
        last = tr(
            "{newest} no longer has it; {edition} is the last imported version that has it.",
            newest=view.newest,
            edition=view.edition,
        )
        found.append((tr("Retired"), last))
    if documents is not None:
        found.append(
            (
                "",
                tr(
                    "{documents} of this library, with all classes below",
                    documents=trn("{n:,} document", "{n:,} documents", documents),
                ),
            )
        )
    found += [("", each) for each in _marks(entry)]
    if entry.short and entry.short != entry.title:
        found.append((tr("In short"), entry.short))
    found += [(tr("Above"), f"{each.symbol}  {each.short or each.title}") for each in view.path]
    if entry.heading:
        found.append((tr("Guidance heading"), entry.heading))
    if entry.revised:
        found.append((tr("Revised"), entry.revised.isoformat()))
    if entry.concordant and view.edition.scheme is Scheme.CPC:
        found.append((tr("IPC symbol"), entry.concordant))
    for transfer in view.transfers:
        found.append((tr("Documents moved to"), f"{', '.join(transfer.targets)} ({transfer.edition})"))
    found += [(tr("Elsewhere"), each.text) for each in view.references]
    found += [(tr("Warning") if each.warning else tr("Note"), each.text) for each in view.notes]
    return found
