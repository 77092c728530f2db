"""Claims as text: reading a numbered list, the claims one refers to, and a claim's ancestors.

References are read in English, German and French at once: the words of the three languages do not
collide, and a document's claims are often filed under a wrong language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.types import Claim, ClaimElement, Span

_MANY = r"claims|(?:patent)?anspr(?:ü|ue)chen?|revendications"
_ONE = r"claim|(?:patent)?anspruch(?:e?s)?|revendication"
_WORD = rf"(?P<many>{_MANY})|(?P<one>{_ONE})"
_NUMBER = r"\(?(?P<n>\d{1,5})\)?(?!\d|[.,]\d|\s?(?:%|°|[nmckµμ]?m\b|[mk]?g\b))"
_AGAIN = rf"(?:(?:any|either)\s+(?:one\s+)?of\s+)?(?:the\s+)?(?:(?:{_MANY}|{_ONE})\s+)?"

_MENTION = re.compile(rf"\b(?:{_WORD})(?![^\W\d_])\s*(?:nos?\.|nr\.|n°|number|#)?\s*", re.IGNORECASE)
_FIRST = re.compile(_NUMBER)
_RANGE = re.compile(
    rf"\s*(?:-|‐|‑|–|—|−|(?:up\s+)?to|through|thru|bis(?:\s+zu)?|à|jusqu'à)\s*{_AGAIN}{_NUMBER}",
    re.IGNORECASE,
)
_JOIN = re.compile(
    rf"\s*(?P<comma>[,;]?)\s*(?P<conj>and\s*/\s*or|und\s*/\s*oder|et\s*/\s*ou|and|or|und|oder|et|ou|&|/)?"
    rf"\s*{_AGAIN}{_NUMBER}",
    re.IGNORECASE,
)
_EN_BEFORE = r"(?:preceding|previous|foregoing|prior|earlier|above(?:-mentioned)?|afore(?:said|mentioned))"
_DE_BEFORE = (
    r"(?:vor(?:her|an)?(?:gehend|gegangen|ig|stehend|genannt|erwähnt)|vorherig|obig|obengenannt|früher)"
    r"(?:en|e|er|em)"
)
_FR_BEFORE = r"(?:pr[ée]c[ée]dente?s?|ant[ée]rieure?s?|ci-dessus|qui\s+pr[ée]c[èe]de(?:nt)?)"
_WORD_AT = re.compile(
    r"[cC](?:laim|LAIM)|[pP](?:atent|ATENT)(?:anspr|ANSPR)|[aA](?:nspr|NSPR)|[rR](?:evendication|EVENDICATION)"
)
"""Where a mention can begin: without flags, as this alone is looked for in every text."""
_BEFORE = re.compile(
    r"(?P<any>\b(?:any|each|every|all|one|einem|einer|jedem|jeder|allen)\s+(?:one\s+)?"
    r"(?:of\s+)?(?:the\s+|der\s+)?)?"
    rf"\b(?:{_EN_BEFORE}|{_DE_BEFORE})\s+$",
    re.IGNORECASE,
)
_BEHIND = re.compile(rf"\s+(?:{_FR_BEFORE}|above)(?!\w)", re.IGNORECASE)
_REACH = 80
"""Characters in front of the word that can belong to a mention."""
_LEAD = r"(?:\[?\s*claim\s+)?(?P<n>\d{1,4})\s*(?:[.):\]]|\s-)\s*(?=\S)(?!\d)"
_AT_LINE = re.compile(rf"^[ \t]*{_LEAD}", re.MULTILINE | re.IGNORECASE)
_IN_LINE = re.compile(rf"(?<=[.;])[ \t]+{_LEAD}(?=[^\W\d_a-zà-ÿ])")

_CANCELLED = re.compile(
    r"[\W\d]*(?:claims?\b[\W\d]*)?(?:(?:to|through|thru|and|bis|und|à|et)\b[\W\d]*)*"
    r"(?:cancel+ed|deleted|withdrawn|gestrichen|entfallen|supprimée?s?|annulée?s?)[\W\d]*",
    re.IGNORECASE,
)


def is_cancelled(text: str) -> bool:
    """Whether a claim only says that it was cancelled, deleted or withdrawn: ``1-16. (canceled)``."""
    return _CANCELLED.fullmatch(text) is not None


def standing(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims that say something: one that was cancelled keeps its number, and a word in brackets.

    Where none is left they are given as they are, so that what there is can be seen.
    """
    all_of_them = tuple(claims)
    kept = tuple(claim for claim in all_of_them if not is_cancelled(claim.text))
    return kept or all_of_them


def references(text: str, number: int) -> tuple[int, ...]:
    """The claims that claim ``number`` refers to directly: ascending, each smaller than ``number``."""
    found: set[int] = set()
    for mention in _mentions(text):
        if mention.numbers:
            for first, last in mention.numbers:
                found.update(range(max(1, first), min(last, number - 1) + 1))
        else:
            found.update(range(1 if mention.several else max(1, number - 1), number))
    return tuple(sorted(found))


def mentions(text: str) -> tuple[Span, ...]:
    """Where the text refers to other claims, in order: the word "claim" with what tells which."""
    return tuple(mention.span for mention in _mentions(text))


@dataclass(frozen=True, slots=True)
class _Mention:
    span: Span
    numbers: tuple[tuple[int, int], ...]
    """Inclusive ranges; empty for "the preceding claims"."""
    several: bool


def _mentions(text: str) -> Iterator[_Mention]:
    for word in _WORD_AT.finditer(text):
        start = word.start()
        mention = _MENTION.match(text, start)
        if mention is None:
            continue
        several = mention["many"] is not None
        items = list(_numbers(text, mention.end(), several=several))
        if items:  # also "the preceding claims 1 to 4": the numbers say it better
            yield _Mention(Span(start, items[-1][2]), tuple((a, b) for a, b, _ in items), several)
            continue
        end = mention.end("many") if several else mention.end("one")
        before = _BEFORE.search(text[max(0, start - _REACH) : start])
        behind = _BEHIND.match(text, end)
        if before is not None:
            place = Span(max(0, start - _REACH) + before.start(), end)
            yield _Mention(place, (), several or before["any"] is not None)
        elif behind is not None:
            yield _Mention(Span(start, behind.end()), (), several)


def _numbers(text: str, at: int, *, several: bool) -> Iterator[tuple[int, int, int]]:
    """Inclusive ranges of the number list at ``at``, each with the place where it ends.

    After a singular word a bare comma belongs to the sentence ("of claim 1, 2 wheels being …")
    unless the list is closed by a conjunction ("claim 1, 2 or 3").
    """
    head = _FIRST.match(text, at)
    if head is None:
        return
    item = _item(text, head)
    yield item
    waiting: list[tuple[int, int, int]] = []
    while (joined := _JOIN.match(text, item[2])) is not None and (joined["comma"] or joined["conj"]):
        item = _item(text, joined)
        waiting.append(item)
        if several or joined["conj"]:
            yield from waiting
            waiting.clear()


def _item(text: str, match: re.Match[str]) -> tuple[int, int, int]:
    first = int(match["n"])
    upto = _RANGE.match(text, match.end())
    if upto is None:
        return first, first, match.end()
    last = int(upto["n"])
    return min(first, last), max(first, last), upto.end()


def parse_claims(text: str, language: str = "") -> tuple[Claim, ...]:
    """Read pasted claims, numbered at line starts or in running text; unnumbered text is one claim.

    Lines inside a claim are its nested elements. Text before the first number ("What is claimed
    is:") is dropped. Numbers need not start at 1 nor be without gaps, but must ascend.
    """
    starts = _starts(text)
    if not starts:
        pieces = _unnumbered(text)
        return tuple(_claim(piece, number=n, language=language) for n, piece in enumerate(pieces, 1))
    ends = [begin for _, begin, _ in starts[1:]] + [len(text)]
    return tuple(
        _claim(text[body:end], number=number, language=language)
        for (number, _, body), end in zip(starts, ends, strict=True)
    )


def _starts(text: str) -> list[tuple[int, int, int]]:
    """(number, where its digits begin, where its text begins) of each claim."""
    marks = sorted(
        {(m.start(), m.end(), int(m["n"]), True) for m in _AT_LINE.finditer(text)}
        | {(m.start(), m.end(), int(m["n"]), False) for m in _IN_LINE.finditer(text)}
    )
    starts: list[tuple[int, int, int]] = []
    for begin, body, number, at_line in marks:
        previous = starts[-1][0] if starts else None
        if previous is None:
            if at_line:
                starts.append((number, begin, body))
        elif number == previous + 1 or (at_line and number > previous):
            closed = text[:begin].rstrip()[-1:] in {".", ";"}
            if closed or not text[body].islower():  # else a numbered step inside the claim
                starts.append((number, begin, body))
    return starts


def _unnumbered(text: str) -> list[str]:
    """Paragraphs are claims of their own only where a later one refers to an earlier one."""
    pieces = [piece for piece in re.split(r"\n\s*\n", text.strip()) if piece.strip()]
    if len(pieces) > 1 and any(references(piece, n) for n, piece in enumerate(pieces[1:], 2)):
        return pieces
    return [text.strip()] if pieces else []


def _claim(text: str, *, number: int, language: str) -> Claim:
    lines = [" ".join(line.split()) for line in text.splitlines()]
    lines = [line for line in lines if line]
    elements: list[ClaimElement] = []
    at = 0
    for place, line in enumerate(lines):
        elements.append(ClaimElement(start=at, end=at + len(line), depth=min(place, 1)))
        at += len(line) + 1
    body = "\n".join(lines)
    return Claim(
        number=number,
        text=body,
        language=language,
        parents=references(body, number),
        elements=tuple(elements) if len(elements) > 1 else (),
    )


def with_ancestors(claims: Iterable[Claim], number: int, *, every: bool = False) -> tuple[Claim, ...]:
    """Claim ``number`` after the claims it depends on, by ascending number; empty where it is missing.

    A claim that refers to several others in the alternative is read in its broadest form: with the
    lowest of them. ``every`` follows all alternatives (the protocol of the CLEF-IP topics). Where a
    number occurs in several languages, ancestors are taken in the language of the claim.
    """
    listed = list(claims)
    wanted = next((claim for claim in listed if claim.number == number), None)
    if wanted is None:
        return ()
    by_number = {c.number: c for c in reversed(listed)}
    by_number.update({c.number: c for c in reversed(listed) if c.language == wanted.language})
    chosen: dict[int, Claim] = {}
    waiting = [wanted]
    while waiting:
        claim = waiting.pop()
        if claim.number in chosen:
            continue
        chosen[claim.number] = claim
        parents = [p for p in sorted(claim.parents) if p < claim.number and p in by_number]
        waiting.extend(by_number[p] for p in (parents if every else parents[:1]))
    return tuple(chosen[n] for n in sorted(chosen))
