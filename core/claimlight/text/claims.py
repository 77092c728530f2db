"""Reads numbered lists of claims, their references, and the claims that a claim depends on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from claimlight.text.claim_pages import strip_pages, unwrap_lines
from claimlight.text.claim_references import find_named_numbers, find_references
from claimlight.types import Claim, ClaimElement

_DIGITS = str.maketrans("０１２３４５６７８９．：）］、", "0123456789.:)],")
"""Full-width digits and the signs after them; one character each, so offsets stay valid."""
_HAN = "权利要求|權利要求|請求項|请求项|청구항"
_WORD = rf"(?:(?i:claim|(?:patent)?anspruch|revendication)|{_HAN})"
_BRACKET = rf"[\[(【〔]\s*(?:(?i:claim)|{_HAN})\s*(?P<b>\d{{1,4}})\s*[\])】〕]\s*(?:[.:]\s*)?"
_LEAD = (
    rf"(?:{_BRACKET}|(?:\[?\s*{_WORD}\s*)?(?P<n>\d{{1,4}})\s*(?:[.):\]]|,(?=[^\W\d_a-zA-Z])|\s-)\s*)(?=\S)(?!\d)"
    r"(?!,)"
)
_AT_LINE = re.compile(rf"^[ \t\u3000]*{_LEAD}", re.MULTILINE)
_GONE = (
    r"cancel+ed(?: without prejudice[^()\[\]]{0,40})?|deleted|withdrawn|not entered|gestrichen|entfallen"
    r"|supprimée?s?|annulée?s?"
)
_STATE = (
    r"original|new|currently|previously|twice|once|amended|not entered|withdrawn|allowed|reinstated"
    r"|re-?presented|re-?written"
)
_IN_LINE = re.compile(
    r"(?:(?<=[.;:。；])|(?<=ed\))|(?<=en\))|(?<=e\))|(?<=s\)))"
    rf"[ \t\u3000]*{_LEAD}(?=[^\W\d_a-zà-ÿ]|\(?(?i:{_GONE})\b|\((?i:{_STATE})\b)"
)
_NAMED = rf"(?:\b(?i:claims?|anspr(?:uch|ü|ue)\w*|revendications?)\s+\d|{_HAN})"
_REFERRING = re.compile(rf"(?<=\s){_LEAD}(?=[^\W\d_a-zà-ÿ][^.;:]{{0,160}}?{_NAMED})")
"""A claim in running text: a sentence that begins with a capital and names a claim."""
_ANYWHERE = re.compile(rf"(?P<n>){_BRACKET}")
_MID_PHRASE = re.compile(
    r"\b(?:claims?|anspr(?:uch|ueche|üche)[ns]?|revendications?|to|or|and|bis|oder|und|à|ou|et|of|step|steps"
    r"|at least|about|than)\s*$|\b(?:figs?|nos?)\.\s*$",
    re.IGNORECASE,
)
_CANCELLED = re.compile(
    r"[(\[]\s*(?:cancel+ed|deleted)\s*[)\]].*|[\W\d]*(?:claims?\b[\W\d]*)?(?:(?:to|through|thru|and|bis|und|à|et)\b[\W\d]*)*"
    rf"(?:{_GONE})[\W\d]*",
    re.IGNORECASE | re.DOTALL,
)


_CANCELLED_RANGE = re.compile(
    r"(?:^|(?<=[.;:)\]]))[ \t]*\[?(?:claims?\s*)?\d{1,4}\.?"
    r"(?:\s*(?:,\s*)?(?:,|[-\u2010-\u2015]|and|to|through|thru|und|bis|et|à)\s*\d{1,4}\.?)+\s*[:.)]?\s*"
    rf"(?:[\[(]\s*(?:{_GONE})\s*[\])]|(?:{_GONE})(?=[ \t]*\.?[ \t]*$))\.?[ \t]*\]?",
    re.IGNORECASE | re.MULTILINE,
)
"""``2-38. (canceled)``: claims that are listed together, between others or before them."""
_STATUS = re.compile(rf"[(\[]\s*(?:{_STATE})\b[^()\[\]]{{0,60}}[)\]]\s*(?=\S)", re.IGNORECASE)
"""The status of a claim in an amendment before a United States office action: ``(currently amended)``."""
_DELETED = re.compile(r"[ \t]?\[\[[^\[\]]*\]\]|[ \t]?~~[^~]+~~")
"""Words that such an amendment deletes: in double brackets, or struck through in a text."""


def is_cancelled(text: str) -> bool:
    """Whether a claim was cancelled, deleted or withdrawn: ``1-16. (canceled)``; with or without its text."""
    return _CANCELLED.fullmatch(text) is not None


def drop_cancelled(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims without cancelled ones, which keep only their number and a word in brackets.

    If all are cancelled, all are returned, so that the user sees them.
    """
    all_of_them = tuple(claims)
    kept = tuple(claim for claim in all_of_them if not is_cancelled(claim.text))
    return kept or all_of_them


def parse_claims(text: str, language: str = "") -> tuple[Claim, ...]:
    """Read numbered claims, at line starts or in running text; unnumbered text is one claim.

    Lines inside a claim are its nested elements. Text before the first number ("What is claimed
    is:") is dropped. Numbers need not start at 1 nor be without gaps, but must ascend.
    """
    starts = _find_starts(text)
    if not starts:
        pieces = _read_unnumbered(text)
        return tuple(_make_claim(piece, number=n, language=language) for n, piece in enumerate(pieces, 1))
    ends = [begin for _, begin, _ in starts[1:]] + [len(text)]
    return tuple(
        _make_claim(text[body:end], number=number, language=language)
        for (number, _, body), end in zip(starts, ends, strict=True)
    )


def read_pasted_claims(text: str, language: str = "") -> tuple[Claim, ...]:
    """Read pasted claims, without page furniture, headings and the line breaks of a narrow column.

    Nor with what an amendment adds: ranges of cancelled claims, unless there is nothing else, the status of a
    claim, and words that were deleted.
    """
    text = _DELETED.sub("", text)
    listed = _CANCELLED_RANGE.sub("\n", text)
    unwrapped = unwrap_lines(strip_pages(listed if listed.strip() else text), _lead_at)
    return tuple(_drop_status(claim) for claim in parse_claims(unwrapped, language))


def _drop_status(claim: Claim) -> Claim:
    found = _STATUS.match(claim.text)
    if found is None:
        return claim
    cut = found.end()
    elements = tuple(
        replace(each, start=max(0, each.start - cut), end=each.end - cut)
        for each in claim.elements
        if each.end > cut
    )
    return replace(claim, text=claim.text[cut:], elements=elements if len(elements) > 1 else ())


def list_claims(texts: Sequence[str], language: str = "") -> tuple[Claim, ...]:
    """Claims from a list of texts; one without a number gets its position."""
    claims: list[Claim] = []
    for text in texts:
        lead = _AT_LINE.match(text.translate(_DIGITS))
        last = claims[-1].number if claims else 0
        own = _read_number(lead) if lead is not None else 0
        number = own if own > last else last + 1
        claims.append(_make_claim(text[lead.end() if lead else 0 :], number=number, language=language))
    return tuple(claims)


def find_missing_references(claims: Iterable[Claim]) -> dict[int, tuple[int, ...]]:
    """By claim, the numbers it refers to that are no earlier claim."""
    listed = list(claims)
    there = {claim.number for claim in listed}
    found = {
        claim.number: tuple(n for n in find_named_numbers(claim.text) if n >= claim.number or n not in there)
        for claim in listed
    }
    return {number: missing for number, missing in found.items() if missing}


def format_missing(missing: Mapping[int, tuple[int, ...]]) -> str:
    """The sentence for `find_missing_references`; empty if there are none."""
    told = []
    for number, wrong in missing.items():
        others = ", ".join(str(n) for n in wrong if n != number)
        parts = ["itself"] * (number in wrong) + [f"claim {others}"] * bool(others)
        told.append(f"Claim {number} refers to {' and '.join(parts)}")
    if not told:
        return ""
    return f"{'; '.join(told)}: no earlier claim of that number is there. Check the claims as they were read."


def _read_number(lead: re.Match[str]) -> int:
    return int(lead["b"] or lead["n"])


def _lead_at(line: str) -> bool:
    """Whether a line begins with the number of a claim."""
    return _AT_LINE.match(line.translate(_DIGITS)) is not None


def _style(lead: str) -> str:
    """The punctuation of a number: the same for all claims of a list, often another for steps in a claim."""
    return re.sub(r"[\s\d]", "", lead).casefold().replace(",", ".")


def _find_starts(text: str) -> list[tuple[int, int, int]]:
    """(number, where its digits begin, where its text begins) of each claim."""
    shown = text.translate(_DIGITS)
    marks = sorted(
        {(m.start(), m.end(), _read_number(m), True) for m in _AT_LINE.finditer(shown)}
        | {(m.start(), m.end(), _read_number(m), False) for m in _IN_LINE.finditer(shown)}
        | {(m.start(), m.end(), _read_number(m), False) for m in _REFERRING.finditer(shown)}
        | {(m.start(), m.end(), _read_number(m), True) for m in _ANYWHERE.finditer(shown)}
    )
    starts: list[tuple[int, int, int]] = []
    for begin, body, number, at_line in marks:
        # In a list with "1." a "2)" is a step inside a claim.
        if starts and _style(shown[begin:body]) != _style(shown[starts[0][1] : starts[0][2]]):
            continue
        previous = starts[-1][0] if starts else None
        before = text[:begin].rstrip()
        if previous is None:
            # In running text the first claim follows "What is claimed is:".
            if at_line or (number == 1 and before[-1:] == ":"):
                starts.append((number, begin, body))
        # "according to claim 2. The …": the number ends a reference. No phrase is longer than 24 characters.
        elif begin < starts[-1][2] or _MID_PHRASE.search(before[-24:]):
            continue
        # In running text a gap is more likely a figure than a missing claim.
        elif number == previous + 1 or (at_line and number > previous):
            closed = before[-1:] in {".", ";", "。", "；", ")"}
            if closed or not text[body].islower():  # otherwise a numbered step inside the claim
                starts.append((number, begin, body))
    return starts


def _read_unnumbered(text: str) -> list[str]:
    """Claims of a list without numbers: its paragraphs, if a later one refers to an earlier one."""
    pieces = [piece for piece in re.split(r"\n\s*\n", text.strip()) if piece.strip()]
    # Without such a reference the paragraphs may be parts of one claim.
    if len(pieces) > 1 and any(find_references(piece, n) for n, piece in enumerate(pieces[1:], 2)):
        return pieces
    return [text.strip()] if pieces else []


def _make_claim(text: str, *, number: int, language: str) -> Claim:
    lines = [" ".join(line.split()) for line in text.splitlines()]
    lines = [line for line in lines if line]
    elements: list[ClaimElement] = []
    at = 0
    for place, line in enumerate(lines):
        # Lines don't say how they nest: the first is the preamble, the others are its elements.
        elements.append(ClaimElement(start=at, end=at + len(line), depth=min(place, 1)))
        at += len(line) + 1
    body = "\n".join(lines)
    return Claim(
        number=number,
        text=body,
        language=language,
        parents=find_references(body, number),
        elements=tuple(elements) if len(elements) > 1 else (),
    )


def collect_ancestors(claims: Iterable[Claim], number: int, *, every: bool = False) -> tuple[Claim, ...]:
    """Claim ``number`` after the claims it depends on, by ascending number; empty if it is missing.

    A claim that refers to several others in the alternative is read in its broadest form: with the
    lowest of them. ``every`` follows all alternatives (the protocol of the CLEF-IP topics). Where a
    number occurs in several languages, ancestors are taken in the language of the claim.
    """
    listed = list(claims)
    wanted = next((claim for claim in listed if claim.number == number), None)
    if wanted is None:
        return ()
    # Reversed, so that of equal numbers the first in the document stays.
    by_number = {c.number: c for c in reversed(listed)}
    by_number.update({c.number: c for c in reversed(listed) if c.language == wanted.language})
    chosen: dict[int, Claim] = {}
    waiting = [wanted]
    while waiting:
        claim = waiting.pop()
        # Several alternatives may lead to one ancestor.
        if claim.number in chosen:
            continue
        chosen[claim.number] = claim
        # Only lower numbers, so no misprint can make a circle.
        parents = [p for p in sorted(claim.parents) if p < claim.number and p in by_number]
        waiting.extend(by_number[p] for p in (parents if every else parents[:1]))
    return tuple(chosen[n] for n in sorted(chosen))
