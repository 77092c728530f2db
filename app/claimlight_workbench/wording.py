"""Scores, contributions and suggestions in words."""

from __future__ import annotations

import textwrap
from functools import lru_cache
from typing import TYPE_CHECKING

from claimlight.services.search.cell_words import read_words
from claimlight.types import CellVerdict, Ranker, strength_figure
from claimlight_workbench.language import number, tell, tr

if TYPE_CHECKING:
    from claimlight.types import FeatureCoverage, LibraryInfo, PassagesRead

RANKER_NAMES = {Ranker.BM25: tr("Keywords"), Ranker.DENSE: tr("Semantic"), Ranker.CENTERS: tr("Concepts")}
_TIP = 70
"""Letters in a line of a tool tip."""
_COMBINED = "hybrid"
"""What an evaluation calls the search with all rankers."""
SUGGESTED = frozenset({CellVerdict.STRONG, CellVerdict.MEDIUM})
"""Verdicts of matches that are suggested to the examiner."""

WAITING_SIGN, WAITING_WORDS = "…", tr("being judged")
"""Sign and words for a feature in a document that the judge has yet to rule on."""

DEPTH_WORDS = tr("description not indexed")
"""Words for a document whose description is not indexed, or only in passages."""
DEPTH_HELP = tr("The description is not indexed yet. Keywords were searched in all of it.")


def depth_help(read: PassagesRead) -> str:
    """`DEPTH_HELP`, with how much searches have read of the description of a document if they have."""
    if not read.read:
        return DEPTH_HELP
    return tr(
        "The description is not indexed yet; {read_words}. Keywords were searched in all of it.",
        read_words=tell(read_words(read)),
    )


def index_words(info: LibraryInfo) -> str:
    """How much of a library is indexed: ``claims of all indexed, full text of 240``.

    Before the first batch is written there is no number.
    """
    if not info.indexed_documents and info.waiting:
        return tr("being indexed") if info.indexing else tr("not indexed yet")
    so_far = tr(" so far") if info.indexing else ""
    if not info.claims_only:
        return (
            tr(
                "{indexed_documents:,} indexed{so_far}",
                indexed_documents=info.indexed_documents,
                so_far=so_far,
            )
            if info.waiting
            else tr("all indexed")
        )
    claims = (
        tr("{indexed_documents:,} documents", indexed_documents=info.indexed_documents)
        if info.waiting
        else tr("all")
    )
    return tr(
        "claims of {claims} indexed, full text of {full_text:,}{so_far}",
        claims=claims,
        full_text=info.full_text,
        so_far=so_far,
    )


def waiting_words(cell: FeatureCoverage) -> str:
    """``being judged; match strength 44``."""
    if cell.passage is None:
        return WAITING_WORDS
    return tr(
        "{waiting_words}; match strength {strength}",
        waiting_words=WAITING_WORDS,
        strength=strength_figure(cell.strength),
    )


@lru_cache(maxsize=2048)
def wrap_tip(text: str) -> str:
    """A tool tip in lines of at most 70 letters: Qt wraps rich text only, and every tip is plain text."""
    lines = text.splitlines()
    return "\n".join(
        textwrap.fill(line, _TIP, break_long_words=False, break_on_hyphens=False) for line in lines
    )


def score_text(score: float) -> str:
    """A score or a contribution to one: one decimal, and never a zero that hides a small value."""
    return "<0.1" if 0.0 < score < 0.05 else number(score, ".1f")


def sum_parts(total: float, *parts: float) -> tuple[str, ...]:
    """The parts of a score as `round_parts` gives them, as the language writes numbers."""
    return tuple(number(part, ".1f") for part in round_parts(total, *parts))


def round_parts(total: float, *parts: float) -> tuple[float, ...]:
    """The parts of a score to one decimal, adjusted so that they add up to the rounded score.

    The first part is the largest and absorbs the rounding error.
    """
    others = [round(part, 1) for part in parts[1:]]
    return (max(0.0, round(total, 1) - sum(others)), *others)


def ranker_name(name: str) -> str:
    """The window's name for a ranker or system of the engine: ``Keywords`` for ``bm25``."""
    names = {ranker.value: words for ranker, words in RANKER_NAMES.items()}
    return names.get(name, tr("Combined") if name == _COMBINED else name)
