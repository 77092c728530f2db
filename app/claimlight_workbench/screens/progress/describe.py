"""Words of the panel: its titles, empty states and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.services.stopping import words
from claimlight.types import BLOCK, format_publication
from claimlight_workbench.language import number, tell, tr, trn

if TYPE_CHECKING:
    from claimlight.types import ReadingHistory, SampledDocument, UnreadEstimate

NO_CASE = tr("No case is open. Enter claims, or open a case.")
NO_SET = tr("Search first: a sample is drawn from the documents of a set that are unread.")
NO_SAMPLE = tr(
    "How much is left? Draw a sample, read its documents and give them categories as "
    "usual: an estimate with its interval appears here."
)


def history_title(history: ReadingHistory) -> str:
    """What the bars show, or what to do to have some."""
    if not history.read:
        return tr("No document is read yet. Open one of the results: what is new is counted from there.")
    if not history.features:
        return tr(
            "{documents} read. Search a claim to count new passages of its features.",
            documents=trn("{n:,} document", "{n:,} documents", history.read),
        )
    return tr("New passages per {block} documents read ({read:,} read)", block=BLOCK, read=history.read)


def history_hint(history: ReadingHistory) -> str:
    """What to do if nothing is counted yet; empty otherwise."""
    if not history.read or not history.features or any(item.passages for item in history.features):
        return ""
    return tr("No passage is confirmed yet. Confirm passages in the matrix (G) to count them here.")


def bar_tip(first: int, last: int, count: int, label: str) -> str:
    """Tool tip of one bar."""
    what = (
        trn("{n:,} relevant document", "{n:,} relevant documents", count)
        if not label
        else tr(
            "{new_passages} of {label}",
            new_passages=trn("{n:,} new passage", "{n:,} new passages", count),
            label=label,
        )
    )
    return tr("Documents read {first:,} to {last:,}: {what}", first=first, last=last, what=what)


def estimate_lines(found: UnreadEstimate) -> tuple[str, ...]:
    """What is known, each in one sentence."""
    lines = (tell(words.describe_left(found)), tell(words.describe_recall(found)))
    return tuple(line for line in lines if line)


def document_cells(place: int, item: SampledDocument, set_number: int) -> tuple[str, str, str, str]:
    """Place in the order of reading, publication, rank and state."""
    state = tr("unread")
    if item.read:
        state = tr("relevant") if item.relevant else tr("read, not relevant")
        state += "" if item.counted else tr(", out of turn")
    rank = (
        tr("rank {rank:,}", rank=item.rank)
        if item.rank
        else tr("not in L{set_number}", set_number=set_number)
    )
    return number(place, ","), format_publication(str(item.publication)), rank, state
