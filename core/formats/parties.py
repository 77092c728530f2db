"""Names on the front page, which most dialects write as an address book."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from core.formats.text import clean, text_of
from core.types import Party, Role

_NO_COUNTRY = frozenset({"", "unknown", "omitted", "xx"})


def addressbook_party(element: etree._Element, role: Role) -> Party | None:
    """A party from an element that holds an address book, or the names themselves."""
    book = element.find("addressbook")
    if book is None:
        book = element
    country = book.findtext("address/country") or element.findtext("residence/country") or ""
    country = country.strip()
    name = _name(book)
    if not name:
        return None
    return Party(role, name, "" if country.lower() in _NO_COUNTRY else country.upper())


def _name(book: etree._Element) -> str:
    values: dict[str, str] = {}
    for child in book:
        if child.tag in {"orgname", "name", "last-name", "first-name", "middle-name", "suffix", "text"}:
            values.setdefault(child.tag, text_of(child))
    if values.get("orgname"):
        return values["orgname"]
    last = values.get("last-name", "")
    first = " ".join(filter(None, (values.get("first-name", ""), values.get("middle-name", ""))))
    full = ", ".join(filter(None, (last, first, values.get("suffix", ""))))
    return full or clean(values.get("name", "") or values.get("text", ""))


def dedupe(parties: Iterable[Party | None]) -> tuple[Party, ...]:
    """In order, each once."""
    return tuple(dict.fromkeys(party for party in parties if party is not None))
