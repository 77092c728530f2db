"""The claims in the list of the query bar, each with what it depends on or refers to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from claimlight_workbench.language import tr, trn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from claimlight.types import Claim

_SHOWN = 120
"""Letters of a claim shown in the list."""
_ARTICLE = re.compile("an?|the|eine?|der|die|das|l[ae]?|les|une?")
_SUBJECT_END = re.compile(
    "of|for|to|in|on|with|by|from|according|as|wherein|which|that|when|comprising|including|having|containing"
    "|consisting|characteri[sz]ed|configured|adapted|arranged|claim(?:s|ed)?|recited|defined|described|set|per"
    "|using|used|made|obtained|obtainable|produced"
    "|nach|gemäß|gemäss|laut|zu[mr]?|für|mit|aus|von|im|de[rsmn]|eine[rsm]|bei|wobei|dadurch|umfassend"
    "|enthaltend|aufweisend|bestehend|anspr(?:uch|üche)"
    "|selon|de?|du|pour|à|aux?|avec|comprenant|caractérisée?|conform(?:e|ément)|revendications?"
)
_ATTACHED = re.compile(
    "of|as|in|to|according|accordance|with|claimed|recited|defined|described|set|forth|per|any|either|one|the"
    "|preceding|previous|foregoing|above|nach|gemäß|gemäss|laut|eine[mnrs]?|de[rsmn]|vor(?:her|an)?(?:ge|ste)hend\\w*"
    "|oder|mindestens|selon|l|une?|quelconque|des?|la|les"
)
"""Words between what is claimed and the claim it depends on: "device [as claimed in any one of] claims 1"."""
_CLAIM = re.compile("claims?|(?:patent)?anspr(?:uch|üche)\\w*|revendications?")
_USE = re.compile("use|verwendung|utilisation")
_METHOD = re.compile("method|process|procedure|\\w*verfahren|procédé|méthode")
_WORD = re.compile(r"[^\W\d]+|[,;:(]")
_UNSPACED = re.compile(r"[\u2e80-\uffff]")
"""Chinese, Japanese and Korean."""
_WIDEST_SUBJECT = 12
"""Words within which the subject of a claim must end to be trusted."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A claim in the tree."""

    number: int
    below: int
    """The claim that it depends on first; 0 for an independent one or one that only refers to others."""
    text: str


def list_branches(claims: Sequence[Claim], missing: Mapping[int, tuple[int, ...]]) -> list[Branch]:
    """Every claim after the one that it depends on; claims of their own say what they are a claim to."""
    by_number = {claim.number: claim for claim in claims}
    branches = []
    for number, text in list_claims(claims, missing):
        claim = by_number[number]
        parent = by_number.get(claim.parents[0]) if claim.parents else None
        alone = parent is None or _names_another_subject(claim.text, parent.text)
        kind = name_category(claim.text) if alone else ""
        shown = tr("{kind}: {claim}", kind=kind, claim=text) if kind else text
        branches.append(Branch(number, 0 if alone or parent is None else parent.number, shown))
    return branches


def name_category(text: str) -> str:
    """*Method*, *Use* or *Product*, by the words that name what is claimed; empty if unknown."""
    words = _read_words(text)
    if not words or not words[0][0].isalpha():
        return ""
    if _USE.fullmatch(words[0]):
        return tr("Use")
    subject = _read_subject(words)
    if any(_METHOD.fullmatch(word) for word in subject[-1:]) or _METHOD.fullmatch(words[0]):
        return tr("Method")
    return tr("Product") if subject else ""


def list_claims(claims: Sequence[Claim], missing: Mapping[int, tuple[int, ...]]) -> list[tuple[int, str]]:
    """Number and text of each entry; ``missing``: numbers a claim refers to that do not exist."""
    by_number = {claim.number: claim for claim in claims}
    entries: list[tuple[int, str]] = []
    for claim in claims:
        kind = _describe_parents(claim, by_number)
        if wrong := missing.get(claim.number, ()):
            kind += tr("; refers to claim {wrong}, which does not exist", wrong=", ".join(map(str, wrong)))
        text = " ".join(claim.text.split())
        shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}…"
        entries.append(
            (
                claim.number,
                tr("Claim {number} ({kind}): {shown}", number=claim.number, kind=kind, shown=shown),
            )
        )
    return entries


def _describe_parents(claim: Claim, by_number: Mapping[int, Claim]) -> str:
    if not claim.parents:
        return tr("independent")
    numbers = format_ranges(claim.parents)
    parent = by_number.get(claim.parents[0])
    if parent is None or not _names_another_subject(claim.text, parent.text):
        return tr("on {numbers}", numbers=numbers)
    return trn("refers to claim {numbers}", "refers to claims {numbers}", len(claim.parents), numbers=numbers)


def format_ranges(numbers: Sequence[int]) -> str:
    """``1–4, 7`` for ascending numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _names_another_subject(text: str, parent: str) -> bool:
    """Whether a claim is to something else than the claim it names: a use, a method, a vehicle with it.

    Such a claim only refers to the other and does not depend on it. Where the subject of either can't be
    read, as in languages without spaces between words, the claim counts as dependent.
    """
    words = _read_words(text)
    own, others = _read_subject(words), _read_subject(_read_words(parent))
    # Drafters also call a damper "the device of claim 1": a claim that begins so depends.
    if not own or not others or _attaches_reference(words[len(own) :]):
        return False
    # In French the noun precedes its adjectives ("composition lubrifiante"); elsewhere it is last.
    place = 0 if "revendication" in text.lower() else -1
    noun, other = own[place], others[place]
    # A German compound is shortened to its last part: "Fettzusammensetzung", "Zusammensetzung nach …".
    alike = noun.endswith(other) or other.endswith(noun) or noun.rstrip("s") == other.rstrip("s")
    return not alike and noun not in others and other not in own


def _attaches_reference(words: Sequence[str]) -> bool:
    """Whether nothing but a reference follows the subject: "the device [of claim 1, wherein …]"."""
    for word in words:
        if _CLAIM.fullmatch(word):
            return True
        if not _ATTACHED.fullmatch(word):
            return False
    return False


def _read_words(text: str) -> list[str]:
    """The words and marks a claim begins with, without article."""
    # A reference sign splits no name: "a damper (10) according to claim 1".
    found = [match[0] for match in _WORD.finditer(re.sub(r"\s*\([\w\s,;.']{1,20}\)", "", text.lower()[:400]))]
    while found and _ARTICLE.fullmatch(found[0]):
        found = found[1:]
    return found


def _read_subject(words: Sequence[str]) -> list[str]:
    """The words that name what is claimed: all before the first one that ends them."""
    for place, word in enumerate(words[:_WIDEST_SUBJECT]):
        if _SUBJECT_END.fullmatch(word) or not word[0].isalpha():
            return [] if _UNSPACED.search(" ".join(words[:place])) else list(words[:place])
    return []
