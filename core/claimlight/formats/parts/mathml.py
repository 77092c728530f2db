"""MathML as one line of text that can be read and searched: ``(a + b)/(2) = x_i^2``."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

_SPACED = frozenset("+-−–±∓=≠≈≅≡<>≤≥≪≫×·∙⋅÷→←↔⇒⇔∈∉⊂⊆∪∩∧∨|∑∏∫:∝∼~*")
_SIMPLE = re.compile(r"[^\W_]+\Z|\d+(?:\.\d+)?\Z|[^\w\s]\Z")
_INVISIBLE = {"\u2061": " ", "\u2062": " ", "\u2063": ",", "\u2064": " "}
_NAMESPACE = re.compile(r"\{[^}]*\}")


def maths_text(element: etree._Element) -> str:
    """The formula under a ``maths`` or ``math`` element, empty where it is only an image."""
    return " ".join(_text(element).split())


def _text(element: etree._Element) -> str:
    tag = element.tag
    if tag.startswith("{"):
        tag = _NAMESPACE.sub("", tag)
    rule = _RULES.get(tag)
    return rule(element) if rule is not None else _sequence(element)


def _sequence(element: etree._Element) -> str:
    parts = [element.text or ""]
    for child in element:
        parts.append(_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _operator(element: etree._Element) -> str:
    text = (element.text or "").strip()
    text = _INVISIBLE.get(text, text)
    return f" {text} " if text in _SPACED else text


def _token(element: etree._Element) -> str:
    return " ".join(_sequence(element).split())


def _words(element: etree._Element) -> str:
    return f" {_token(element)} "


def _space(_element: etree._Element) -> str:
    return " "


def _arguments(element: etree._Element, count: int) -> list[str]:
    texts = [" ".join(_text(child).split()) for child in element]
    return (texts + [""] * count)[: max(count, len(texts))]


def _wrap(text: str) -> str:
    return text if _SIMPLE.match(text) else f"({text})"


def _fraction(element: etree._Element) -> str:
    above, below, *rest = _arguments(element, 2)
    return f"{_wrap(above)}/{_wrap(below)}" + "".join(rest)


def _scripts(*marks: str) -> Callable[[etree._Element], str]:
    def rule(element: etree._Element) -> str:
        base, *scripts = _arguments(element, len(marks) + 1)
        written = [base]
        for mark, script in zip(marks, scripts, strict=False):
            if mark == "^" and len(script) == 1 and not script.isalnum() and script not in "+-*":
                written.append(script)  # an accent, a bar, a prime
            elif script:
                written.append(f"{mark}{_wrap(script)}")
        return "".join(written) + "".join(scripts[len(marks) :])

    return rule


def _root(element: etree._Element) -> str:
    return f"√({' '.join(_sequence(element).split())})"


def _nth_root(element: etree._Element) -> str:
    base, degree, *rest = _arguments(element, 2)
    return f"√[{degree}]({base})" + "".join(rest)


def _fenced(element: etree._Element) -> str:
    separators = element.get("separators", ",").strip()
    texts = [_text(child) for child in element]
    joined = (f"{separators[0]} " if separators else "").join(texts)
    return f"{element.get('open', '(')}{joined}{element.get('close', ')')}"


def _table(element: etree._Element) -> str:
    rows = ["  ".join(_text(cell) for cell in row) for row in element]
    return " " + "; ".join(row for row in rows if row.strip()) + " "


_RULES: dict[str, Callable[[etree._Element], str]] = {
    "mo": _operator,
    "mi": _token,
    "mn": _token,
    "mtext": _words,
    "ms": _words,
    "mspace": _space,
    "mfrac": _fraction,
    "msub": _scripts("_"),
    "msup": _scripts("^"),
    "msubsup": _scripts("_", "^"),
    "munder": _scripts("_"),
    "mover": _scripts("^"),
    "munderover": _scripts("_", "^"),
    "msqrt": _root,
    "mroot": _nth_root,
    "mfenced": _fenced,
    "mtable": _table,
}
