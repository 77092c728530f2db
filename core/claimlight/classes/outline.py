"""From the records of several files to one tree in the order of the scheme."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from claimlight.classes.reading.records import Record, depth_of

_MAIN_GROUP = 3


@dataclass(slots=True)
class Node:
    """A record in its place. Ids count from 1 in preorder: those below a node follow it without a gap."""

    id: int
    parent: int
    """Id of the entry above; 0 of a section."""
    last: int
    """Id of the last entry below; its own without any."""
    record: Record


def build_outline(records: Iterable[Record]) -> list[Node]:
    """The nodes by id.

    Sections, classes and subclasses are in the order of their symbols. Groups keep the order of their file,
    which alone says what is below what: the next group above with fewer dots. A symbol that several files
    have is one entry with what each of them says. A missing level above is added without a title.
    """
    upper: dict[str, Record] = {}
    groups: dict[str, dict[str, Record]] = {}
    for record in records:
        known = upper if " " not in record.symbol else groups.setdefault(record.symbol[:4], {})
        if record.symbol in known:
            _merge(known[record.symbol], record)
        else:
            known[record.symbol] = record
    for symbol in [*upper, *groups]:
        for above in (symbol[:1], symbol[:3], symbol[:4]):
            upper.setdefault(above, Record(above, depth_of(above)))
    return _number(_in_order(upper, groups))


def _merge(first: Record, second: Record) -> None:
    first.title = first.title or second.title
    first.heading = first.heading or second.heading
    first.notes = first.notes or second.notes
    first.references = first.references or second.references
    first.revised = first.revised or second.revised


def _in_order(upper: dict[str, Record], groups: dict[str, dict[str, Record]]) -> Iterator[Record]:
    for symbol in sorted(upper):
        yield upper[symbol]
        yield from _restore_order(list(groups.get(symbol, {}).values()))


def _restore_order(groups: list[Record]) -> list[Record]:
    """Main groups by their numbers if the file has sorted them as words: 10, 101, 20."""
    blocks: list[list[Record]] = []
    for record in groups:
        if record.depth == _MAIN_GROUP or not blocks:
            blocks.append([])
        blocks[-1].append(record)
    symbols = [block[0].symbol for block in blocks]
    if symbols == sorted(symbols):
        blocks.sort(key=lambda block: int(block[0].symbol[5:].split("/")[0]))
    return [record for block in blocks for record in block]


def _number(records: Iterable[Record]) -> list[Node]:
    nodes: list[Node] = []
    above: list[Node] = []
    for number, record in enumerate(records, 1):
        while above and above[-1].record.depth >= record.depth:
            above.pop().last = number - 1
        node = Node(number, above[-1].id if above else 0, number, record)
        nodes.append(node)
        above.append(node)
    for node in above:
        node.last = len(nodes)
    return nodes
