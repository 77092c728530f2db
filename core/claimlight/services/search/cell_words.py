"""Verdicts and match strengths as signs and words, for window and command line alike."""

from __future__ import annotations

from collections.abc import Iterator

from claimlight.types import (
    ByHand,
    CellRuling,
    CellVerdict,
    ChartVerdict,
    CoverageMatrix,
    FeatureCoverage,
    IndexDepth,
    Lamp,
    MatrixCell,
    PassagesRead,
    Query,
    Unjudged,
    plural,
    strength_figure,
)

VERDICT_WORDS = {
    CellVerdict.STRONG: "strong match",
    CellVerdict.MEDIUM: "medium match",
    CellVerdict.BELOW: "below threshold",
    CellVerdict.NONE: "no match",
    CellVerdict.UNREAD: "not judged",
    CellVerdict.UNCOMPARED: "not compared",
}
VERDICT_SIGN = {
    CellVerdict.STRONG: "●",
    CellVerdict.MEDIUM: "◐",
    CellVerdict.BELOW: "·",
    CellVerdict.NONE: "–",
    CellVerdict.UNREAD: "○",
    CellVerdict.UNCOMPARED: "?",
}
CHART_SIGN = {
    ChartVerdict.DISCLOSED: "●",
    ChartVerdict.CANDIDATE: "◐",
    ChartVerdict.NOTHING: "–",
}
CAUSE_WORDS = {
    Unjudged.NOT_INDEXED: "not indexed yet",
    Unjudged.LANGUAGE: "in a language that the model does not read",
    Unjudged.PART: "partly in a language that the model does not read",
    Unjudged.DEPTH: "its description is not indexed yet",
}
DEPTH_SIGN = "½"
"""Sign of a document whose description is not indexed, or only in passages."""
BY_HAND_WORDS = {
    ByHand.CONFIRMED: "confirmed by you",
    ByHand.REJECTED: "rejected by you, no other passage",
    ByHand.EARLIER_WORDING: "confirmed for an earlier wording",
}
BY_HAND_SIGN = {ByHand.CONFIRMED: "✓", ByHand.REJECTED: "✗", ByHand.EARLIER_WORDING: "†"}
_DEPTH = "description not indexed yet"
_GONE = "not in the library any more"
LAMP_WORDS = {
    Lamp.NO_SHARED_WORD: "no shared word",
    Lamp.WORDS_ONLY: "all words, below threshold",
}
LAMP_SIGN = {Lamp.NO_SHARED_WORD: "≠", Lamp.WORDS_ONLY: "w"}


def cell_words(cell: FeatureCoverage) -> str:
    """A feature in a document: ``match strength 44 (medium match), best passage claim 1``."""
    verdict = verdict_words(cell.verdict, cell.cause)
    if cell.passage is None:
        return verdict
    best = f", best passage {cell.label}" if cell.label else ""
    return f"match strength {strength_figure(cell.strength)} ({verdict}){best}"


def verdict_words(verdict: CellVerdict, cause: Unjudged) -> str:
    """``not compared: not indexed yet``."""
    why = f": {CAUSE_WORDS[cause]}" if cause in CAUSE_WORDS else ""
    return f"{VERDICT_WORDS[verdict]}{why}"


def depth_words(depth: IndexDepth, read: PassagesRead) -> str:
    """The note of a row, ``description not indexed yet, 12 of 140 passages read``.

    Empty for documents that a note of the list counts, or that are indexed in full text.
    """
    if depth is not IndexDepth.CLAIMS:
        return ""
    return f"{_DEPTH}, {read_words(read)}" if read.read else _DEPTH


FIRST_ONLY_WORDS = "partly read"
"""Rulings of a row in which no judge has read on, where one has in others."""


def matrix_cell_text(cell: MatrixCell) -> str:
    """Sign and figure of a cell: the probability of disclosure, or without a ruling the match strength.

    A decision of the examiner is a sign alone: ``✓``, ``✗``, and ``✓!`` if the text has changed since.
    """
    decided = BY_HAND_SIGN.get(cell.by_hand, "")
    if cell.by_hand in {ByHand.CONFIRMED, ByHand.REJECTED}:
        return decided + ("!" if cell.text_changed else "")
    if cell.ruling is not None:
        return f"{CHART_SIGN[cell.ruling.verdict]} {strength_figure(cell.ruling.probability)}{decided}"
    sign = VERDICT_SIGN[cell.verdict]
    return f"{sign} {strength_figure(cell.strength)}{decided}" if cell.passage is not None else sign + decided


def matrix_cell_words(cell: MatrixCell, query: Query) -> str:
    """``disclosed (probability 91), best passage [0042]; missing: spring``, or as `cell_words`.

    What the examiner decided comes first, and for a confirmed or rejected cell alone.
    """
    decided = by_hand_words(cell)
    if cell.by_hand in {ByHand.CONFIRMED, ByHand.REJECTED}:
        return decided
    suggested = ruling_words(cell.ruling, query) if cell.ruling is not None else cell_words(cell)
    return "; ".join(filter(None, (decided, suggested)))


def by_hand_words(cell: MatrixCell) -> str:
    """What the examiner decided on a cell: ``confirmed by you, [0042]``; empty if nothing."""
    if cell.by_hand is ByHand.CONFIRMED:
        changed = "" if not cell.text_changed else "text changed since" if cell.passage is not None else _GONE
        return ", ".join(filter(None, (BY_HAND_WORDS[cell.by_hand], cell.label, changed)))
    if cell.by_hand is ByHand.REJECTED:
        return f"{plural(cell.rejected, 'passage')} rejected by you, no other found"
    rejected = f"{plural(cell.rejected, 'passage')} rejected by you" if cell.rejected else ""
    return ", ".join(filter(None, (BY_HAND_WORDS.get(cell.by_hand, ""), rejected)))


def ruling_words(ruling: CellRuling, query: Query) -> str:
    """``candidate (probability 40), best passage [0042]; missing: spring, valve``."""
    figure = strength_figure(ruling.probability)
    where = "word by word in" if ruling.word_by_word else "best passage"
    best = f", {where} {ruling.label}" if ruling.label else ""
    lacking = missing_words(ruling, query)
    missing = f"; missing: {', '.join(lacking)}" if lacking else ""
    return f"{ruling.verdict.value} (probability {figure}){best}{missing}"


def read_words(counted: CellRuling | PassagesRead) -> str:
    """``4 of 33 passages read``; by a judge, of those in a language that it reads."""
    return f"{counted.read:,} of {plural(counted.passages, 'passage')} read"


def missing_words(ruling: CellRuling, query: Query) -> tuple[str, ...]:
    """The words of the feature that the passage has not, each once."""
    return tuple(dict.fromkeys(query.text[span.start : span.end] for span in ruling.missing))


def notes_of_decisions(matrix: CoverageMatrix) -> Iterator[str]:
    """Sentences on decisions that the user must read: texts that changed, features that were edited."""
    cells = [(row.patent.publication, cell) for row in matrix.every_row for cell in row.cells]
    changed = [
        f"{number} {cell.label} for {cell.feature}".replace("  ", " ")
        for number, cell in cells
        if cell.text_changed
    ]
    if changed:
        what = "confirmed passage has" if len(changed) == 1 else "confirmed passages have"
        yield (
            f"{len(changed):,} {what} another text than when confirmed, or none: {', '.join(changed)}. "
            "Read it again."
        )
    edited = sum(cell.by_hand is ByHand.EARLIER_WORDING for _, cell in cells)
    if edited:
        yield (
            f"{plural(edited, 'confirmation is', 'confirmations are')} for an earlier wording of a feature "
            "and not counted."
        )
