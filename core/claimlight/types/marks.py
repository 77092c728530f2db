"""Categories of a search report, marks with their passages, and notes on passages.

X, Y and A say what a document does to a claim. The other letters say what kind of citation it is: O, P, E, T,
L and D; a search report writes them first, ``P,X``. A mark has one letter that counts, `Mark.category`, and
the others beside it, `Mark.kinds`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from itertools import pairwise
from typing import Self

from claimlight.types.dates import DateFinding, Zone
from claimlight.types.patents import Citation, Origin, PublicationNumber
from claimlight.types.results import Span


class Category(StrEnum):
    """A letter that a search report gives a document for a claim."""

    X = "X"
    """Particularly relevant if taken alone."""
    Y = "Y"
    """Particularly relevant if combined with another document."""
    A = "A"
    """Technological background."""
    P = "P"
    """Published between priority and filing date."""
    E = "E"
    """Earlier application, published on or after the filing date."""
    O = "O"  # noqa: E741 - the letter of the offices
    """Disclosed orally, or otherwise not in writing."""
    T = "T"
    """Theory or principle underlying the invention, published later."""
    L = "L"
    """Cited for other reasons, such as a doubt about the priority."""
    D = "D"
    """Cited in the application."""
    IRRELEVANT = "0"
    NONE = ""
    """Not judged; the mark holds a note only."""


CITED = (
    Category.X,
    Category.Y,
    Category.P,
    Category.E,
    Category.O,
    Category.A,
    Category.T,
    Category.L,
    Category.D,
)
"""Categories of a search report, strongest first."""
RELEVANCE = (Category.X, Category.Y, Category.A)
"""What a document does to a claim: one of them for each claim."""
KINDS = (Category.O, Category.P, Category.E, Category.T, Category.L, Category.D)
"""What kind of citation it is, in the order in which they are written before X, Y or A."""
_DEPENDS = {Category.P: 1, Category.E: 2, Category.O: 3}
"""What depends on dates or proof is weaker than the same category without it."""


def strength_of(category: Category, kinds: Collection[Category] = ()) -> int:
    """0 for the strongest category; all that are not cited come last, and are equal."""
    if category not in CITED:
        return len(CITED) * (len(_DEPENDS) + 1)
    return CITED.index(category) * (len(_DEPENDS) + 1) + max(
        (_DEPENDS.get(kind, 0) for kind in kinds), default=0
    )


def write_letters(category: Category, kinds: Iterable[Category] = ()) -> str:
    """``P,X``: the letters as a search report has them; empty for none."""
    given = {category, *kinds} - {Category.NONE}
    return ",".join(letter.value for letter in (*KINDS, *RELEVANCE, Category.IRRELEVANT) if letter in given)


def read_letters(text: str) -> tuple[Category, tuple[Category, ...]]:
    """The letter that counts, and the others: ``P,X``, ``xp`` and ``X; P`` are the same.

    `ValueError` for other letters, and for more than one of X, Y and A, which exclude each other.
    """
    names = dict.fromkeys(letter for letter in text.upper() if not letter.isspace() and letter not in ",;/&+")
    known = {letter.value: letter for letter in (*KINDS, *RELEVANCE, Category.IRRELEVANT)}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"{unknown[0]!r} is no letter of a category; there are {', '.join(known)}.")
    return join_letters(known[name] for name in names)


def join_letters(letters: Iterable[Category]) -> tuple[Category, tuple[Category, ...]]:
    """The letter that counts, and the others; `ValueError` where they exclude each other."""
    given = set(letters) - {Category.NONE}
    if Category.IRRELEVANT in given and len(given) > 1:
        raise ValueError("0 is for a document that is not cited, so no letter can be beside it.")
    relevance = [letter for letter in RELEVANCE if letter in given]
    if len(relevance) > 1:
        names = " and ".join(relevance)
        raise ValueError(f"{names} exclude each other: a document has one of X, Y and A for a claim.")
    # Without X, Y or A the strongest of the others counts.
    counts = min(given, key=strength_of, default=Category.NONE)
    leading = relevance[0] if relevance else counts
    return leading, tuple(letter for letter in KINDS if letter in given and letter is not leading)


def propose_kinds(
    finding: DateFinding, *, published: date | None, filed: date | None, cited: bool
) -> tuple[Category, ...]:
    """The letters that dates and citations of the application suggest; the examiner gives them or not.

    P and E are the date status of the document. T is only ever possible, never suggested: a later document is
    one if it explains the invention. D is for a document that the application cites.
    """
    proposed = []
    if finding.zone is Zone.P:
        proposed.append(Category.P)
    # Under US law an earlier US application counts from its filing on; a report still calls it E if it was
    # published on or after the filing date.
    late = published is not None and filed is not None and published >= filed
    if finding.zone is Zone.E or (finding.zone is Zone.PRIOR and late):
        proposed.append(Category.E)
    return (*proposed, *([Category.D] if cited else []))


def cited_by_applicant(citations: Iterable[Citation]) -> frozenset[tuple[str, str]]:
    """Country and number of the documents that an application itself cites, whatever their publication."""
    own = (Origin.APPLICANT, Origin.DESCRIPTION)
    numbers = (item.publication for item in citations if item.origin in own)
    return frozenset((number.country, number.number) for number in numbers if number is not None)


_FIGURE = "figure "
"""Before the label of a cited figure."""


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A passage or figure that a category is given for.

    The text of a passage says which one it is, not its label; a figure has none.
    """

    label: str
    """How it was cited when it was chosen: ``[0042]``, ``figure 3``."""
    text: str
    digest: str
    """Digest of the text: `claimlight.services.search.charting.passage_digest`; of a figure its label."""

    @classmethod
    def of_figure(cls, label: str) -> Self:
        """A figure by its label in the text: ``3``, ``2A``."""
        return cls(f"{_FIGURE}{label}", "", f"{_FIGURE}{label}")


@dataclass(frozen=True, slots=True)
class Mark:
    """A judgement on a document; ``claim`` 0 and ``feature`` empty mean the whole application."""

    publication: PublicationNumber
    category: Category = Category.NONE
    """The letter that counts: X, Y or A, and without one of them the strongest of the others."""
    note: str = ""
    claim: int = 0
    feature: str = ""
    kinds: tuple[Category, ...] = ()
    """The letters beside it, in the order of `KINDS`."""
    passages: tuple[MarkedPassage, ...] = ()
    """What it was given for, besides the passages confirmed for the features of the claim."""
    left_out: tuple[str, ...] = ()
    """Digests of confirmed passages that are not cited with it."""
    version: str = ""
    """Name of the version of the claims that it was given for; empty while there was one only."""

    @property
    def letters(self) -> str:
        """``P,X``, as a search report has it; empty for a note without category."""
        return write_letters(self.category, self.kinds)

    @property
    def categories(self) -> frozenset[Category]:
        """All its letters."""
        return frozenset((self.category, *self.kinds)) - {Category.NONE}

    @property
    def strength(self) -> int:
        """0 for the strongest: see `strength_of`."""
        return strength_of(self.category, self.kinds)


def effective_mark(marks: Iterable[Mark], claim: int) -> Mark | None:
    """The mark of a document that counts for a claim: its own, else that for the whole application.

    Of several marks on features of a claim, the one with the strongest category.
    """
    given = [mark for mark in marks if mark.category is not Category.NONE]
    for wanted in dict.fromkeys((claim, 0)):
        own = [mark for mark in given if mark.claim == wanted]
        if own:
            return min(own, key=lambda mark: (bool(mark.feature), mark.strength))
    return None


def shown_mark(marks: Iterable[Mark], claim: int) -> Mark | None:
    """The mark that a list shows for a document: that for the claim, else the strongest of another."""
    given = [mark for mark in marks if mark.category is not Category.NONE]
    own = effective_mark(given, claim)
    return own or min(given, key=lambda mark: (mark.strength, mark.claim), default=None)


@dataclass(frozen=True, slots=True)
class PassageNote:
    """The examiner's note on a passage, or on words of it.

    It holds the text that it was written on, so it can be read without the library; the digest of the text,
    not its citation or id, says what it applies to.
    """

    publication: PublicationNumber
    label: str
    """How the passage is cited: ``[0042]``."""
    passage: str
    """Its text."""
    passage_digest: str
    note: str
    at: datetime
    words: Span | None = None
    """The words of the text it is on; None: the whole passage."""

    @property
    def quoted(self) -> str:
        """The words it is on; empty for the whole passage."""
        return self.passage[self.words.start : self.words.end] if self.words is not None else ""


def cite_runs(labels: Sequence[str]) -> str:
    """``[0042]-[0045], claim 1, figures 2, 3``: labels in their order, then the figures.

    Printed paragraph numbers that follow each other are a range.
    """
    figures = [label.removeprefix(_FIGURE) for label in dict.fromkeys(labels) if label.startswith(_FIGURE)]
    groups: list[list[str]] = []
    for label in dict.fromkeys(label for label in labels if not label.startswith(_FIGURE)):
        if groups and _follows(groups[-1][-1], label):
            groups[-1].append(label)
        else:
            groups.append([label])
    cited = [each[0] if len(each) == 1 else f"{each[0]}-{each[-1]}" for each in groups]
    if figures:
        cited.append(f"figure{'s' if len(figures) > 1 else ''} {', '.join(figures)}")
    return ", ".join(cited)


def _follows(one: str, other: str) -> bool:
    """Whether two printed paragraph numbers, ``[0042]``, follow each other."""
    numbers = [label[1:-1] for label in (one, other) if label[:1] == "[" and label[1:-1].isdecimal()]
    return len(numbers) == 2 and all(int(last) - int(first) == 1 for first, last in pairwise(numbers))
