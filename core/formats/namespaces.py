"""Names without their namespaces: offices change prefixes and defaults freely, the local names stay.

A fragment cut out of its file uses prefixes that only the file's root declares. They are declared in the
fragment's own root element, on the same line, so that the lines of its faults stay those of the file.
"""

from __future__ import annotations

import re
from itertools import pairwise

from lxml import etree

from core.formats.xml import parse

_BEFORE_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[\]]*(?:\[.*?\]\s*)?>)*", re.DOTALL
)
_ROOT = re.compile(rb"<[A-Za-z_][\w.:-]*")
_ELEMENT = re.compile(rb"</?([A-Za-z_][\w.-]*)\Z")
_ATTRIBUTE = re.compile(rb"\s([A-Za-z_][\w.-]*)\Z")
_ASSIGNED = re.compile(rb"""[A-Za-z_][\w.-]*\s*=\s*["']""")
_LONGEST = 48
"""Bytes around a colon that are looked at."""
_DECLARED = re.compile(rb"\sxmlns:([\w.-]+)\s*=")
_KNOWN = {
    b"exch": b"http://www.epo.org/exchange",
    b"ops": b"http://ops.epo.org",
    b"ftxt": b"http://www.epo.org/fulltext",
    b"xlink": b"http://www.w3.org/1999/xlink",
    b"xsi": b"http://www.w3.org/2001/XMLSchema-instance",
}
_RESERVED = frozenset({b"xml", b"xmlns"})


def parse_local(document: bytes) -> etree._Element:
    """The root of a document whose elements and attributes have their local names only."""
    root = parse(declared(document))
    for element in root.iter(etree.Element):
        tag = element.tag
        if isinstance(tag, str) and tag.startswith("{"):
            element.tag = tag.rpartition("}")[2]
        for name in element.keys():  # noqa: SIM118 # an element is no mapping: it holds its children
            if isinstance(name, str) and name.startswith("{"):
                value, local = element.attrib.pop(name), name.rpartition("}")[2]
                if local not in element.attrib:
                    element.set(local, value)
    return root


def declared(document: bytes) -> bytes:
    """``document`` with the prefixes it leaves undeclared declared in its root element."""
    before = _BEFORE_ROOT.match(document)
    root = _ROOT.match(document, before.end()) if before is not None else None
    if root is None:
        return document
    used = _prefixes(document[root.start() :])
    known = _RESERVED.union(_DECLARED.findall(document, root.end(), document.find(b">", root.end()) + 1))
    missing = [prefix for prefix in used if prefix not in known]
    if not missing:
        return document
    spaces = b"".join(
        b' xmlns:%s="%s"' % (prefix, _KNOWN.get(prefix, b"urn:undeclared:" + prefix)) for prefix in missing
    )
    return document[: root.end()] + spaces + document[root.end() :]


def _prefixes(text: bytes) -> list[bytes]:
    """Prefixes of elements and attributes: to split at colons is much faster than a pattern over all."""
    parts = text.split(b":")
    around = {(before[-_LONGEST:], behind[:_LONGEST]) for before, behind in pairwise(parts)}
    found: set[bytes] = set()
    for before, behind in around:
        match = _ELEMENT.search(before) or (_ASSIGNED.match(behind) and _ATTRIBUTE.search(before))
        if match:
            found.add(match.group(1))
    return sorted(found)
