"""Classes as plain tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from claimlight.cli.front import Front
from claimlight.types import (
    ClassChange,
    ClassComparison,
    ClassEntry,
    ClassExpansion,
    ClassHits,
    ClassStatistics,
    ClassView,
    EditionInfo,
    Scheme,
    plural,
)


def _table(*names: str, wrapped: str = "title") -> Table:
    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(name, no_wrap=name != wrapped)
    return table


def editions(infos: Iterable[EditionInfo]) -> Table:
    """One row an edition."""
    table = _table(
        "scheme", "version", "entries", "subclasses with groups", "MB", "imported", "from", wrapped="from"
    )
    for info in infos:
        table.add_row(
            info.edition.scheme.upper(),
            info.edition.version,
            f"{info.entries:,}",
            f"{info.detailed:,} of {info.subclasses:,}",
            f"{info.size / 1e6:.0f}",
            f"{info.imported:%Y-%m-%d %H:%M}",
            escape(info.source),
        )
    return table


def _indented(entry: ClassEntry) -> Text:
    """The title behind its dots, as the offices print it."""
    return Text(f"{'· ' * entry.dots}{entry.title}")


def _marks(entry: ClassEntry) -> str:
    marks = (
        ("not allocatable", not entry.allocatable),
        ("additional information only", entry.additional_only),
        ("frozen: not used for new documents", entry.frozen),
    )
    return "; ".join(text for text, there in marks if there)


def print_view(front: Front, view: ClassView, below: list[ClassEntry] | None) -> None:
    """The entry with its path, its remarks, and its children or the whole tree below it."""
    front.out.print(Text(f"{view.entry.symbol}  {view.edition}", style="bold"))
    table = _table("symbol", "level", "title")
    for entry in (*view.path, view.entry, *(view.children if below is None else below)):
        table.add_row(entry.symbol, entry.level.value, _indented(entry))
    front.out.print(table)
    for line in _remarks(view):
        front.out.print(line, soft_wrap=True)


def _remarks(view: ClassView) -> Iterator[Text]:
    entry = view.entry
    if view.retired:
        yield Text(
            f"Retired: {view.newest} no longer has it; {view.edition} is the last imported one that has it.",
            style="bold yellow",
        )
    if marks := _marks(entry):
        yield Text(f"{marks[0].upper()}{marks[1:]}.")
    if entry.short and entry.short != entry.title:
        yield Text(f"In short: {entry.short}")
    if entry.heading:
        yield Text(f"Guidance heading: {entry.heading}")
    if entry.revised:
        yield Text(f"Revised: {entry.revised}")
    if entry.concordant and view.edition.scheme is Scheme.CPC:
        yield Text(f"IPC symbol of its documents: {entry.concordant}")
    for transfer in view.transfers:
        # The words of its own edition are among the warnings below.
        words = "" if transfer.edition == view.edition else f": {transfer.text}"
        targets = ", ".join(transfer.targets)
        yield Text(f"Its documents went or are going to {targets} ({transfer.edition}){words}")
    for reference in view.references:
        yield Text(f"Elsewhere: {reference.text}")
    for note in view.notes:
        yield Text(f"{'Warning' if note.warning else 'Note'}: {note.text}")


def hits(found: ClassHits) -> Table:
    """One row an entry, with the titles from its subclass downwards."""
    table = _table("symbol", "level", "score", "title")
    for hit in found.hits:
        titles = [
            entry.short or entry.title for entry in hit.path if " " in entry.symbol or len(entry.symbol) == 4
        ]
        table.add_row(
            hit.entry.symbol,
            hit.entry.level.value,
            f"{hit.score:.1f}",
            Text(" › ".join([*titles, hit.entry.title])),
        )
    return table


def expansion(found: ClassExpansion) -> Table:
    """One row a symbol, with its documents if they were counted."""
    counted = found.documents is not None
    table = _table("symbol", *(("documents",) if counted else ()), "title")
    for item in found.entries:
        count = (f"{item.documents:,}",) if counted else ()
        table.add_row(item.entry.symbol, *count, _indented(item.entry))
    return table


def comparison(found: ClassComparison) -> Table:
    """One row a change."""
    table = _table("change", "symbol", "title")
    for name, changes in (("removed", found.removed), ("added", found.added), ("title", found.retitled)):
        for change in changes:
            table.add_row(name, change.symbol, Text(_change(change)))
    return table


def _change(change: ClassChange) -> str:
    if change.before and change.after:
        return f"{change.before} → {change.after}"
    targets = ", ".join(dict.fromkeys(each for transfer in change.transfers for each in transfer.targets))
    return f"{change.before or change.after}{f' [now in {targets}]' if targets else ''}"


def comparison_summary(found: ClassComparison) -> str:
    """The counts, and what could not be compared."""
    left = len(found.uncompared)
    more = (
        f" Of {plural(left, 'subclass', 'subclasses')} only one edition has the groups: not compared."
        if left
        else ""
    )
    return (
        f"From {found.before} to {found.after}: {len(found.added):,} added, {len(found.removed):,} removed, "
        f"{len(found.retitled):,} with another title, {found.same:,} the same.{more}"
    )


def statistics(found: ClassStatistics) -> Table:
    """One row a class, most documents first."""
    table = _table("class", "documents", "share", "title")
    for name in ("documents", "share"):
        table.columns[("class", "documents", "share").index(name)].justify = "right"
    for each in found.counts:
        table.add_row(each.symbol, f"{each.documents:,}", f"{100 * each.share:.1f} %", escape(each.title))
    return table


def statistics_summary(found: ClassStatistics) -> str:
    """What was counted."""
    scheme, others = found.edition.scheme.upper(), ""
    if found.others:
        others = f" {plural(found.others, 'more class', 'more classes')} not listed (--top 0 lists all)."
    return (
        f"{plural(found.documents, 'document')}, {found.classified:,} of them with a class of the {scheme}."
        f"{others}"
    )
