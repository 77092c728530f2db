"""Features of a claim: the parts an examiner looks for one by one, as ranges of the query text.

F1 is the preamble. The body is cut at nested elements, semicolons, enumerators, "wherein" clauses
and, if nothing else divides it, at the commas of a list. Connecting words ("and", "wherein", "The device of
claim 1") belong to no feature.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from claimlight.text.claim_references import find_mentions
from claimlight.text.folding import is_alone
from claimlight.text.sentences import cut_sentences
from claimlight.types import Claim, ClaimElement, Feature, Query, Span

MAX_FEATURES = 12
"""Most features; above it the smallest neighbours are merged, as a longer strip of cells is unreadable."""
_CHARACTERISED = (
    r"characteri[sz]ed\s+(?:in\s+that|by)|dadurch\s+gekennzeichnet\s*,?\s*dass|dadurch\s+gekennzeichnet\s*,?\s*daß"
    r"|gekennzeichnet\s+durch|caractéris[ée]e?s?\s+(?:en\s+ce\s+(?:que|qu'|qu’)|par)"
)
_WHEREIN = (
    r"wherein|whereby|in\s+which|the\s+improvement\s+compris\w+"
    r"|wobei|bei\s+de[mr](?:en)?|worin|dans\s+(?:lequel|laquelle|lesquel(?:le)?s)|où"
)
_COMPRISING = (
    r"compris(?:ing|es?)|consist(?:ing|s)\s+(?:essentially\s+)?of|includ(?:ing|es)"
    r"|umfassend|umfasst|aufweisend|bestehend\s+aus|comprenant|comprend|comportant|consistant\s+en"
)
_OPENING = (
    rf"{_COMPRISING}|having|containing|enthaltend|beinhaltend|mit|ayant|contenant|steps?|elements?|folgendes?"
)
_TRANSITION = re.compile(
    rf"\b(?:(?:{_OPENING})\b[^.;:\n]{{0,60}}:(?=\s|$)|(?:{_CHARACTERISED}|{_COMPRISING}|{_WHEREIN})(?!\w))",
    re.IGNORECASE,
)
_CLAUSE = re.compile(rf",\s*(?:and\s+|und\s+|et\s+)?(?:{_CHARACTERISED}|{_WHEREIN})(?!\w)", re.IGNORECASE)
_HARD = re.compile(r"\n|;|(?<=\S):(?=\s)")
_EASTERN = re.compile(
    r"[；：]|(?:と|とを|や|備え|有し|含み|具備し|設け|され|であり|おり|であって|において|に於いて|とともに|し)、"
    r"|(?:其特征(?:在于|是)|(?:还)?(?:包括|包含)|其中|组成)[，,：:]|，(?=所述|其中|并且|以及|且|还)"
    r"|(?:있어서|하고|하며|되고|되며|이고|이며|있고|있으며|가지며|가지고)\s*,|(?:와|과|및)\s*,"
)
"""The end of a part in a Japanese, Chinese or Korean claim."""
_EASTERN_HEAD = re.compile(
    r"\s*중\s*어느\s*(?:한|하나의)\s*항에?\s*(?:따른|있어서,?)?|\s*에\s*(?:있어서,?|따른)"
    r"|(?:の|中)?(?:いずれか|任意|任)?(?:[一１1]\s*[項项])?(?:に記載の|所述的?)?"
)
_FAR = 4
"""Characters before a reference to another claim above which they are content of the claim."""
_MARK = r"\(?(?-i:[a-z]|[ivx]{1,4}|\d{1,2})\)|(?-i:[a-z]|\d{1,3})\.(?=\s)"
_ENUMERATOR = re.compile(
    r"(?:[,;:]|\b(?:and|or|und|et|comprising|of|by))\s+(?=\((?:[a-z]|[ivx]{1,4}|\d{1,2})\)\s|(?:[a-z]|[ivx]{1,4})\)\s)"
)
_ECHO = re.compile(r",\s+(?:the|said)\s+[\w-]+(?:\s+[\w-]+){0,2}$")
_RELATION = re.compile(
    r"\b(?:between|of|with|on|to|for|in|from|by|at|over|under|having|zwischen|entre|von|für|de|pour)\b",
    re.IGNORECASE,
)
_ARTICLE = (
    r"(?:an?|at\s+least|one\s+or\s+more|one|two|three|four|means|ein(?:e[nmrs]?)?|mindestens|zwei|une?|des|au\s+moins"
    r"|deux)"
)
_LIST_COMMA = re.compile(
    rf",\s+(?:(?P<last>and|or|und|oder|et|ou)\s+)?(?={_ARTICLE}\s|(?P<step>\w+ing)\s)"
    rf"|\s+(?P<close>and|und|et)\s+(?={_ARTICLE}\s)",
    re.IGNORECASE,
)
_TIES = (
    rf"and|or|und|oder|et|ou|further|optionally|ferner|weiter|additionally|{_CHARACTERISED}|{_WHEREIN}|{_COMPRISING}"
    r"|the\s+(?:step|following\s+step|method\s+step)s?\s+of|the\s+steps"
)
_EASTERN_TIES = "其特征在于|其特征是|(?:还)?包括|(?:还)?包含|以及|并且|及び|ならびに"
_LEAD = re.compile(
    rf"(?:[\s,;:.\-–—、，；：。]+|{_MARK}|(?:{_EASTERN_TIES}|및)\s?|(?:{_TIES})(?!\w))+",
    re.IGNORECASE,
)
_TAIL = re.compile(rf"(?:[\s,;:.\-–—、，；：。]|{_EASTERN_TIES}|(?<=\s)및|\b(?:{_TIES}))+$", re.IGNORECASE)
_LONGEST_TAIL = 200
_WORDS = re.compile(r"\w+")
_PASSED_OVER = 3


def split_claims(claims: Sequence[Claim]) -> Query:
    """A query of a claim and its ancestors, as `collect_ancestors` returns them: ancestors first."""
    text = "\n".join(claim.text for claim in claims)
    spans: list[Span] = []
    start = 0
    for place, claim in enumerate(claims):
        own = _find_claim_spans(claim.text, claim.elements, dependent=place > 0)
        spans.extend(Span(start + s.start, start + s.end) for s in own)
        start += len(claim.text) + 1
    return Query(text=text, features=_label(text, _limit_number(spans)))


def split_parts(text: str) -> tuple[str, ...]:
    """The parts of one claim, however many; of a dependent one without the words that name its parent."""
    return tuple(text[span.start : span.end] for span in _find_claim_spans(text, dependent=True))


def split_sentences(text: str) -> tuple[Feature, ...]:
    """Features of other text: its sentences."""
    return _label(text, _limit_number([s for s in cut_sentences(text) if _stands_alone(text, s)]))


def find_lines(text: str, lines: Iterable[str]) -> tuple[list[Span], list[str]]:
    """The ranges of lines in a text, matched word by word in order; and the lines without a match.

    Up to `_PASSED_OVER` words of the text may come between two of a line ("and", "comprising").
    """
    words = [(found.group().casefold(), found.start(), found.end()) for found in _WORDS.finditer(text)]
    spans: list[Span] = []
    lost: list[str] = []
    at = 0
    for line in lines:
        asked = [word.casefold() for word in _WORDS.findall(line)]
        tries = (
            _match_words(words, start, asked, passed_over)
            # Word for word first: with gaps an earlier, looser match could win.
            for passed_over in (0, _PASSED_OVER)
            for start in range(at, len(words))
        )
        found = next(filter(None, tries), None)
        if found is not None:
            spans.append(Span(words[found[0]][1], words[found[1]][2]))
            at = found[1] + 1
        elif line.strip():
            lost.append(line.strip())
    return spans, lost


def _match_words(
    words: Sequence[tuple[str, int, int]], start: int, asked: list[str], passed_over: int
) -> tuple[int, int] | None:
    """First and last index of the matching words, from ``start`` on."""
    if not asked or words[start][0] != asked[0]:
        return None
    at = start
    for word in asked[1:]:
        near = range(at + 1, min(at + 2 + passed_over, len(words)))
        following = next((place for place in near if words[place][0] == word), None)
        if following is None:
            return None
        at = following
    return start, at


def _label(text: str, spans: Iterable[Span]) -> tuple[Feature, ...]:
    return tuple(
        Feature(label=f"F{n}", span=span, text=text[span.start : span.end]) for n, span in enumerate(spans, 1)
    )


def _find_claim_spans(
    text: str, elements: Sequence[ClaimElement] = (), *, dependent: bool = False
) -> list[Span]:
    body, stop = _find_own_part(text) if dependent else (0, len(text))
    opening = _TRANSITION.search(text, body)
    first_break = _HARD.search(text, body)
    cuts = {body, stop}
    if opening is not None and (first_break is None or opening.start() <= first_break.start() + 1):
        cuts.add(opening.end())
        body = opening.end()
    # Of a dependent claim nothing before its own content is cut.
    cuts |= {e.start for e in elements if 0 < e.start < len(text) and e.start >= min(cuts)}
    hard = {m.end() for m in _HARD.finditer(text, min(cuts))}
    hard |= {m.start() for m in _ENUMERATOR.finditer(text, min(cuts))}
    hard |= {s.start for s in cut_sentences(text) if s.start > body}
    hard |= {m.end() for m in _EASTERN.finditer(text, min(cuts))}
    clauses = {m.start() for m in _CLAUSE.finditer(text, body)}
    # Commas divide only what no line, semicolon or enumerator does.
    if opening is not None and not any(body < cut < len(text.rstrip()) for cut in hard):
        clauses |= _find_list_cuts(text, body, min([*clauses, len(text)]))
    ordered = sorted(cut for cut in cuts | hard | clauses if cut <= stop)
    pieces = [_trim(text, a, b) for a, b in pairwise(ordered)]
    return _merge_short(text, [p for p in pieces if p is not None])


def _find_own_part(text: str) -> tuple[int, int]:
    """The range of the content of a dependent claim.

    It starts after "The device of claim 1 or 2", and in Japanese also before 請求項１に記載の装置.
    """
    found = find_mentions(text)
    first_break = _HARD.search(text)
    if not found or (first_break is not None and found[0].end > first_break.start()):
        return 0, len(text)
    # Western claims name the other claim in front of their own content, Eastern ones also behind it.
    if not is_alone(text[found[0].start]):
        return found[0].end, len(text)
    if found[0].start > _FAR:
        return 0, found[0].start
    head = _EASTERN_HEAD.match(text, found[0].end)
    return (head.end() if head else found[0].end), len(text)


def _find_list_cuts(text: str, start: int, end: int) -> set[int]:
    """Cuts of "a frame, a wheel on the frame, and a damper" or "heating …, cooling …, and packing …"."""
    marks = list(_LIST_COMMA.finditer(text, start, end))
    commas = [m for m in marks if not m["close"] and _measure_depth(text, start, m.start()) == 0]
    steps = [m for m in commas if m["step"]]
    things = [m for m in commas if not m["step"]]
    chosen = steps if any(m["last"] for m in steps) else things
    if any(m["last"] for m in chosen):
        return {m.start() for m in chosen}
    closing = [m for m in marks if m["close"] and m.start() > (things[-1].start() if things else start)]
    if not closing or (not things and not _is_bare(text[start : closing[0].start()])):
        return set()
    return {m.start() for m in [*things, closing[-1] if things else closing[0]]}


def _is_bare(part: str) -> bool:
    """Whether a list item is complete: "a frame" of "a frame and a wheel", not "a bolt between a frame"."""
    return len(_WORDS.findall(part)) <= 5 and _RELATION.search(part) is None


def _measure_depth(text: str, start: int, end: int) -> int:
    return text.count("(", start, end) - text.count(")", start, end)


def _trim(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    lead = _LEAD.match(piece)
    start += lead.end() if lead else 0
    # From near the end: a pattern anchored there would be tried from every place.
    tail = _TAIL.search(text[:end], max(start, end - _LONGEST_TAIL))
    end = tail.start() if tail else end
    return Span(start, end) if _WORDS.search(text[start:end]) else None


def _stands_alone(text: str, span: Span) -> bool:
    words = _WORDS.findall(text, span.start, span.end)
    # In scripts without blanks a word is a whole run: two characters can be searched.
    if words and all(map(is_alone, words[0])):
        return sum(map(len, words)) > 1
    return len(words) > 1 or (len(words) == 1 and len(words[0]) >= 4 and words[0].isalpha())


def _merge_short(text: str, pieces: list[Span]) -> list[Span]:
    """Join parts too short to be searched to the part before them."""
    kept: list[Span] = []
    for piece in pieces:
        if kept and not _stands_alone(text, piece):
            kept[-1] = Span(kept[-1].start, piece.end)
        else:
            kept.append(piece)
    if len(kept) > 1:
        echo = _ECHO.search(text[kept[0].start : kept[0].end])
        if echo is not None:  # "A method of making tea, the method comprising"
            kept[0] = Span(kept[0].start, kept[0].start + echo.start())
    return kept


def _limit_number(spans: Sequence[Span]) -> list[Span]:
    """Merge the smallest neighbours until `MAX_FEATURES` are left; F1 is merged last."""
    kept = list(spans)
    while len(kept) > MAX_FEATURES:
        # From 1: the preamble is merged last.
        at = min(range(1, len(kept) - 1), key=lambda i: (kept[i + 1].end - kept[i].start, i))
        kept[at : at + 2] = [Span(kept[at].start, kept[at + 1].end)]
    return kept
