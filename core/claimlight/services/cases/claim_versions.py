"""Compares two versions of claims, claim by claim and word by word; claims are recognised by their words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from claimlight.errors import InputError
from claimlight.types import (
    AS_FILED,
    Case,
    Change,
    Claim,
    ClaimComparison,
    ClaimVersion,
    Piece,
    QuerySet,
    SearchRequest,
)

_TOKEN = re.compile(r"\w+|[^\w\s]")
_REFERENCE = re.compile(
    r"\b((?:claims?|(?:patent)?anspr(?:uch|üche|üchen)\w*|revendications?)\s+)"
    r"(\d+(?:\s*(?:,|-|–|to|or|and|bis|oder|und|à|ou|et)\s*\d+)*)",
    re.IGNORECASE,
)
_ALIKE = 0.5
"""Claims with a smaller share of common words are not taken for the same claim."""


def versions_of(case: Case) -> tuple[ClaimVersion, ...]:
    """The versions of the claims of a case, oldest first; one for a case that was never amended."""
    if case.versions:
        return case.versions
    return (ClaimVersion(AS_FILED, case.application),) if case.application.strip() else ()


def find_version(case: Case, name: str) -> ClaimVersion:
    """A version by its name, or its place, counted from 1; `InputError` with the names that there are."""
    versions = versions_of(case)
    wanted = name.strip().casefold()
    if wanted.isdecimal() and 0 < int(wanted) <= len(versions):
        return versions[int(wanted) - 1]
    found = next((item for item in versions if item.name.casefold() == wanted), None)
    if found is None:
        known = ", ".join(item.name for item in versions) or "none"
        raise InputError(f"Case {case.id} has no version {name!r} of its claims; there are: {known}.")
    return found


def name_searched(case: Case, words: str) -> str:
    """The versions that have a claim with these words, as a set recorded them; empty with one version only.

    A claim that an amendment did not change was searched in both.
    """
    if len(case.versions) < 2:
        return ""
    wanted = _squeeze(words)
    return "; ".join(item.label for item in case.versions if wanted and wanted in _squeeze(item.text))


def compare_claims(old: Sequence[Claim], new: Sequence[Claim]) -> tuple[ClaimComparison, ...]:
    """Every claim of both versions, in the order of the new one; deleted claims where they were."""
    pairs = match_claims(old, new)
    numbers = dict(pairs)
    by_number = {item.number: item for item in old}
    sources = {second: first for first, second in pairs}
    out: list[ClaimComparison] = []
    left = [item for item in old if item.number not in numbers]
    for claim in new:
        source = sources.get(claim.number)
        while left and source is not None and left[0].number < source:
            out.append(_deleted(left.pop(0)))
        if source is None:
            out.append(ClaimComparison(None, claim.number, (Piece(Change.INSERTED, _flat(claim.text)),)))
        else:
            pieces = compare_words(by_number[source].text, claim.text, renumbered=numbers)
            out.append(ClaimComparison(source, claim.number, pieces))
    return (*out, *map(_deleted, left))


def match_claims(old: Sequence[Claim], new: Sequence[Claim]) -> tuple[tuple[int, int], ...]:
    """Numbers of the same claim in both versions: those most alike, of equal ones the nearest number."""
    # Most claims of an amendment stay as they are: those need no measure of likeness.
    equal: dict[int, int] = {}
    for second in new:
        same = [item.number for item in old if item.text.split() == second.text.split()]
        free = [number for number in same if number not in equal]
        if free:
            equal[min(free, key=lambda number: abs(number - second.number))] = second.number
    scored = sorted(
        (
            (-_likeness(first.text, second.text), abs(first.number - second.number), first, second)
            for first in old
            for second in new
            if first.number not in equal and second.number not in equal.values()
        ),
        key=lambda item: (item[0], item[1], item[2].number, item[3].number),
    )
    found = list(equal.items())
    used_old, used_new = set(equal), set(equal.values())
    for likeness, _, first, second in scored:
        if -likeness <= _ALIKE:
            break
        if first.number not in used_old and second.number not in used_new:
            used_old.add(first.number)
            used_new.add(second.number)
            found.append((first.number, second.number))
    return tuple(sorted(found, key=lambda pair: pair[1]))


def compare_words(old: str, new: str, *, renumbered: Mapping[int, int] | None = None) -> tuple[Piece, ...]:
    """The words of two texts in order; ``renumbered`` has the new numbers of claims that it may refer to."""
    before, after = list(_words(old)), list(_words(new))
    keys = _keys(before, renumbered or {}), _keys(after, {})
    pieces: list[Piece] = []
    matcher = SequenceMatcher(None, *keys, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece(Change.SAME, "".join(after[start:end])))
            continue
        if first < last:
            pieces.append(Piece(Change.DELETED, "".join(before[first:last])))
        if start < end:
            pieces.append(Piece(Change.INSERTED, "".join(after[start:end])))
    return tuple(pieces)


def find_new_words(case: Case, sets: Iterable[QuerySet]) -> Callable[[str], bool]:
    """Whether a feature is to be searched again, because an amendment gave it its words.

    No earlier version contains its words, and no claim search was recorded with them.
    """
    earlier = [_squeeze(item.text) for item in case.versions[: case.version]]
    if not earlier:
        return lambda _feature: False
    searched = {
        _squeeze(item.text)
        for each in sets
        if isinstance(each.request, SearchRequest)
        for item in each.request.query.features
    }

    def is_new(feature: str) -> bool:
        words = _squeeze(feature)
        return words not in searched and all(words not in text for text in earlier)

    return is_new


def _deleted(claim: Claim) -> ClaimComparison:
    return ClaimComparison(claim.number, None, (Piece(Change.DELETED, _flat(claim.text)),))


def _words(text: str) -> Iterator[str]:
    """Words and punctuation, each with the white space behind it."""
    flat = _flat(text)
    places = [match.start() for match in _TOKEN.finditer(flat)]
    for start, end in pairwise([*places, len(flat)]):
        yield flat[start:end]


def _keys(words: Sequence[str], renumbered: Mapping[int, int]) -> list[str]:
    """What words are compared by: without white space, references with their new numbers."""
    keys = [word.strip() for word in words]
    if not renumbered:
        return keys
    text, starts = "".join(words), []
    place = 0
    for word in words:
        starts.append(place)
        place += len(word)
    for match in _REFERENCE.finditer(text):
        for number, start in enumerate(starts):
            if match.start(2) <= start < match.end(2) and keys[number].isdecimal():
                keys[number] = str(renumbered.get(int(keys[number]), keys[number]))
    return keys


def _likeness(one: str, other: str) -> float:
    """Share of common words, in order, of both texts; the numbers of claims they refer to do not count."""
    first, second = (_TOKEN.findall(_REFERENCE.sub(r"\1#", text).casefold()) for text in (one, other))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    # Two upper bounds, so that most pairs of claims need no comparison.
    if matcher.real_quick_ratio() <= _ALIKE or matcher.quick_ratio() <= _ALIKE:
        return 0.0
    return matcher.ratio()


def _flat(text: str) -> str:
    return " ".join(text.split())


def _squeeze(text: str) -> str:
    return "".join(text.split()).casefold()
