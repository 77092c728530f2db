"""Passages of a description from which an encoder of prose gains nothing: sequences, figures, lists of signs.

They are found by their words, which are indexed separately. A passage with a sentence in it is never one of
them: what is left to the encoder without need costs time, what is wrongly kept from it is not found.
Measured on real documents: docs/lab/measured/encoding.md.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from itertools import pairwise

from claimlight.text.placeholders import PLACEHOLDER
from claimlight.types import Section


class WordsOnly(StrEnum):
    """Why a passage is found by its words only; the value is for users."""

    SEQUENCE = "sequence"
    FIGURES = "table of figures"
    REFERENCE_SIGNS = "list of reference signs"
    FORMULA = "formula or numbers"
    PICTURE = "picture"


_DESCRIPTION = frozenset(
    (Section.BACKGROUND, Section.SUMMARY, Section.DRAWINGS, Section.DETAILED, Section.DESCRIPTION)
)
# The commonest first: it is most of the cost of a passage of prose, and ends at the first of them.
_SENTENCE = re.compile(
    r"\b(?:[Tt]h(?:e|is|ese|ose|at|en|ere|ey|eir)|[Ii]s|are|was|were|be(?:en|ing)?|ha(?:s|d|ve)|[Ii]ts?|can(?:not)?"
    r"|may|might|will|would|shall|should|must|do(?:es)?|did|not|[Aa]n|[Ww]e|which|who(?:se)?|[Ww]he(?:n|re|rein)"
    r"|[Ii]f|[Ss]uch|[Aa]ccording|compris\w+|includ\w+|contain(?:s|ed|ing)|consist\w*|provide[sd]?|obtain\w*"
    r"|using|used|gave|yielded|afforded|prepared|purified|added|heated|stirred|dissolved|washed|mixed|measured"
    r"|or|thereof|[Ff]igs?|FIGS?|shows?|shown|illustrat\w+|depict\w*|refers?|means"
    r"|[Dd](?:er|ie|as|em|en|es)|[Ee]in(?:e[mnrs]?)?|ist|sind|wird|w[eu]rden?|kann|nicht"
    r"|[Ll]es?|une|du|des|dans|est|sont|par|qui|que|peut|avec)\b"
)
"""Words of sentences rather than of lists: articles, pronouns, verbs, in the three languages of the EPO."""
_FAR = re.compile("[\u0400-\u1dff\u2c80-\ud7af\uf900-\ufaff\ufe70-\ufefc\uff66-\uffdc]")
"""Other scripts than Latin and Greek: some have no blanks, and none has its sentence words above."""
_RUN = re.compile(r"(?<![^\W_])(?:[^\W\d_]{2,}[ ,]+){5}[^\W\d_]{2,}")
"""Six words in succession: a sentence, or part of one, in any language."""

_RESIDUE = (
    "(?:Ala|Arg|Asn|Asp|Asx|Cys|Gln|Glu|Glx|Gly|His|Ile|Leu|Lys|Met|Phe|Pro|Pyl|Sec|Ser|Thr|Trp|Tyr|Val|Xaa)"
)
_ACID = "[ACDEFGHIKLMNPQRSTVWXY]"
_SEQUENCE = re.compile(
    # Residues of three letters; bases; residues of one letter, in groups of ten or in lines. Capitals in
    # shorter groups are headings. Numbers of lines and groups are part of it.
    rf"\b{_RESIDUE}(?:[\s\d-]+{_RESIDUE}){{4,}}\b"
    r"|\b(?:[acgtun]{8,}(?:[\s\d]+[acgtun]+)*|[ACGTUN]{8,}(?:[\s\d]+[ACGTUN]+)*)\b"
    rf"|\b{_ACID}{{10}}(?:[\s\d]+{_ACID}{{10}})+(?:[\s\d]+{_ACID}{{1,9}})?\b|\b{_ACID}{{20,}}\b"
)
_LISTING = re.compile(r"^<[1-4]\d\d>", re.MULTILINE)
"""A field of a sequence listing of WIPO standard ST.25: "<210> 1"."""
_LEAST_FIELDS = 4
_SEQUENCE_LETTERS = 40
"""Least characters of sequences: a peptide named in passing is shorter."""

_COMMAND = re.compile(r"\\[A-Za-z]+(?:\{[a-z]*matrix\})?")
"""A command of LaTeX."""
_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{3,}(?![^\W_])")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?![^\W_])")
_FORMULA = re.compile(r"[\d=+<>|\\^_\u2190-\u22ff]")
"""A digit or a sign of a formula: "CD" in parentheses has neither."""
_TERM = re.compile(r"\W*[^\W\d_][\w-]*\W*")
"""A heading of one name, such as "IL-6"."""
_LETTER = re.compile(r"[^\W\d_]")
_LEAST_NUMBERS = 12
_NUMBERS_TO_A_WORD = 2

_SIGN = re.compile(
    r"(?<![^\s;,(|])(\d{1,4})[a-zA-Z]?['′″’]{0,3}"
    r"(?:[^\S\n]*(?:[:=,|–—]|[^\S\n]-|\.(?:[^\S\n]?\.)+|…+)[^\S\n]*|[^\S\n]+)(?=[^\W\d_]{3})"
)
"""A reference sign with a name behind it: "12 lid", "12a: lid", "12 … lid"."""
_HEADING = re.compile(
    r"reference (?:sign|numeral|number|character|symbol)s?|bezugszeichen|signes? de référence|[:\n]\s*$",
    re.IGNORECASE,
)
_LEAST_SIGNS = 4
_LONGEST_NAME = 8
_USUAL_NAME = 4
_LONGEST_HEADING = 6
_LEAST_RISING = 0.8


def find_words_only(text: str, section: Section) -> WordsOnly | None:
    """Why an encoder of prose gains nothing from a passage; None for a passage to encode.

    Only passages of the description are found, and none with a sentence. Lists have at least four reference
    signs in ascending order, tables at least twelve numbers, two to every word.
    """
    if section not in _DESCRIPTION:
        return None
    if "<210>" in text and len(_LISTING.findall(text)) >= _LEAST_FIELDS:
        return WordsOnly.SEQUENCE
    # Nearly every passage ends here: looking for fixed strings first is twice as fast as the pattern alone.
    if " the " in text or " is " in text or _SENTENCE.search(text):
        return None
    rest = PLACEHOLDER.sub(" ", text) if "[" in text else text
    if not rest.strip():
        return WordsOnly.PICTURE if text.strip() else None
    if _FAR.search(rest):
        return None
    plain = _SEQUENCE.sub(" ", rest)
    if _RUN.search(plain):
        return None
    # Before words are counted: every table of primers names them.
    if len(rest) - len(plain) >= _SEQUENCE_LETTERS and _is_mostly_removed(rest, plain):
        return WordsOnly.SEQUENCE
    if len(plain) != len(rest):
        return None
    if _is_list_of_signs(plain):
        return WordsOnly.REFERENCE_SIGNS
    bare = _COMMAND.sub(" ", plain) if "\\" in plain else plain
    words = len(_WORD.findall(bare))
    if not words:
        return WordsOnly.FORMULA if _FORMULA.search(plain) and not _TERM.fullmatch(plain) else None
    if len(_NUMBER.findall(bare)) < max(_LEAST_NUMBERS, _NUMBERS_TO_A_WORD * words):
        return None
    return WordsOnly.FIGURES if bare is plain else WordsOnly.FORMULA


def _is_mostly_removed(before: str, after: str) -> bool:
    return 2 * len(_LETTER.findall(after)) <= len(_LETTER.findall(before))


def _is_list_of_signs(text: str) -> bool:
    """Whether a text is a heading, if any, and reference signs with short names behind them."""
    # One group in the pattern: the parts are what is before the first sign, then sign and name in turn.
    heading, *rest = _SIGN.split(text)
    signs, names = [int(sign) for sign in rest[::2]], rest[1::2]
    if len(signs) < _LEAST_SIGNS or len(heading.split()) > _LONGEST_HEADING:
        return False
    # Else a sentence without articles: "Housing 10 receives lid 12".
    if _LETTER.search(heading) and not _HEADING.search(heading):
        return False
    # Amounts repeat their unit: "10 hours, 12 hours".
    if 2 * max(Counter(name.strip(" ,;.\n") for name in names).values()) > len(names):
        return False
    lengths = [len(name.split()) for name in names]
    if max(lengths) > _LONGEST_NAME or sum(lengths) > _USUAL_NAME * len(lengths):
        return False
    # Amounts fall as often: "50 rubber, 50 carbon black, 3 stearic acid".
    rising = sum(one <= other for one, other in pairwise(signs))
    return rising >= _LEAST_RISING * (len(signs) - 1)
