"""Texts for pairs of documents: what each adds, which documents are left out, notes on D1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from claimlight.services.search.date_words import notes_of_dates
from claimlight.types import (
    EVEN,
    CoverageMatrix,
    DateFinding,
    DocumentPair,
    LeftOut,
    MatrixCell,
    MatrixRow,
    Pairs,
    PublicationNumber,
    ReferenceDates,
    RuleSet,
    Standing,
    plural,
    strength_figure,
)

UNDATED_PAIRS = (
    "The dates of the application are unknown, so no document is left out of pairs. Give the filing date."
)
_STEP = {RuleSet.EPC: "inventive step", RuleSet.US: "obviousness"}
_STANDING_WORDS = {
    Standing.NOVELTY_ONLY: "novelty only (Art. 54(3) EPC)",
    Standing.NONE: "not prior art",
}


def parts_of(pair: DocumentPair) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Name and features of each non-empty group of a pair."""
    named = (
        ("only in D1", pair.only_first),
        ("only in D2", pair.only_second),
        ("in neither", pair.neither),
        ("in both", pair.both),
    )
    yield from ((name, features) for name, features in named if features)


def counted_words(cells: Iterable[MatrixCell]) -> str:
    """Name of what the figures of some cells are: probability, match strength, or both."""
    ruled = {cell.ruling is not None for cell in cells}
    return " or ".join(
        name for name, there in (("probability", True in ruled), ("match strength", ruled != {True})) if there
    )


def combined_words(matrix: CoverageMatrix) -> str:
    """``combined probability``: what the figure of a pair is."""
    return f"combined {counted_words(cell for row in matrix.every_row for cell in row.cells)}"


def disclosed_words(matrix: CoverageMatrix) -> str:
    """``likely disclosed``, or ``strong matches`` without a verdict."""
    ruled = any(cell.ruling is not None for row in matrix.every_row for cell in row.cells)
    return "likely disclosed" if ruled else "strong matches"


def format_combined(pair: DocumentPair) -> str:
    """``80 (+30)``: the combined probability or match strength, and what D2 adds to D1 alone."""
    figure = strength_figure(pair.strength)
    return f"{figure} (+{figure - strength_figure(pair.strength - pair.gain)})"


def notes_of_pairs(
    rows: Sequence[MatrixRow], reference: ReferenceDates | None, claim: int
) -> tuple[str, ...]:
    """Notes on the dates of documents in pairs."""
    if reference is None:
        return (UNDATED_PAIRS,)
    counts = Counter(row.dates.standing for row in rows)
    step, notes = _STEP[reference.rules], list(notes_of_dates(reference, claim))
    if open_ones := counts[Standing.IF_PRIORITY_FAILS]:
        said = f"{plural(open_ones, 'document')} {'counts' if open_ones == 1 else 'count'}"
        notes.append(f"{said} for {step} only if the priority is not valid; the date status says which.")
    if missing := counts[Standing.UNKNOWN]:
        lacks, it = ("lacks", "it counts") if missing == 1 else ("lack", "they count")
        said = f"{plural(missing, 'document')} {lacks} a date that decides"
        notes.append(f"{said}: check whether {it} for {step}.")
    return tuple(notes)


def describe_partly_read(read: int, partly: int) -> str:
    """Note on the documents that are in no pair because no judge has read on in them."""
    are = "is" if partly == 1 else "are"
    return (
        f"Pairs are of the {plural(read, 'document')} in which the judge has read on; {partly:,} partly read "
        f"{are} left out."
    )


def describe_far(most: int, features: int) -> str:
    """Note on pairs of which none has half of the features: combined they are still far from the claim."""
    return (
        f"No pair has half of the features: the best has {most:,} of {features:,}. These documents may be on "
        "another subject."
    )


def left_out_text(left_out: Sequence[LeftOut], *, shown: bool = False) -> str:
    """``3 documents left out of pairs: 2 novelty only (Art. 54(3) EPC), 1 not prior art``; empty for none.

    With ``shown`` the text says that they are shown in pairs anyway.
    """
    if not left_out:
        return ""
    counts = Counter(item.why for item in left_out)
    reasons = [(counts[why], words) for why, words in _STANDING_WORDS.items() if counts[why]]
    said = ", ".join(f"{count:,} {words}" for count, words in reasons) if len(reasons) > 1 else reasons[0][1]
    what = "shown in pairs, though not to be combined" if shown else "left out of pairs"
    return f"{plural(len(left_out), 'document')} {what}: {said}"


def no_pair_text(matrix: CoverageMatrix, pairs: Pairs) -> str:
    """Explain why there is no pair: features count from a figure on, so documents may complement each other.

    The figure is a probability, a match strength, or each where some documents have no verdict.
    """
    if pairs.chosen_from < 2:
        return "There are fewer than two documents that can be combined"
    even, strong = strength_figure(EVEN), strength_figure(matrix.thresholds.strong)
    ruled = {cell.ruling is not None for row in matrix.every_row for cell in row.cells}
    if True not in ruled:
        return (
            "No pair matches more features strongly than the best single document; a feature counts from a "
            f"match strength of {strong}"
        )
    if ruled == {True}:
        return (
            "No pair likely discloses more features than the best single document; a feature counts from a "
            f"probability of {even}"
        )
    return (
        "No pair likely discloses more features than the best single document; a feature counts from a "
        f"probability of {even}, without a verdict from a match strength of {strong}"
    )


def notes_of_first(publication: PublicationNumber, found: DateFinding, rules: RuleSet) -> tuple[str, ...]:
    """Note on the dates of D1, if needed."""
    step = _STEP[rules]
    match found.standing:
        case Standing.COUNTS:
            return ()
        case Standing.NOVELTY_ONLY:
            return (
                f"D1 ({publication}) is prior art for novelty only (Art. 54(3) EPC): for inventive step it "
                "can't be combined.",
            )
        case Standing.NONE:
            return (f"D1 ({publication}) is not prior art by its dates: for {step} it can't be combined.",)
        case Standing.IF_PRIORITY_FAILS:
            return (f"D1 ({publication}) counts for {step} only if the priority is not valid.",)
        case _:
            return (f"D1 ({publication}) lacks a date that decides whether it counts for {step}.",)
