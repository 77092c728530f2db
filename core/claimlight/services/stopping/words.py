"""Sentences on a sample and its estimate, the same in the window and on the command line."""

from __future__ import annotations

from collections.abc import Collection

from claimlight.types import (
    Category,
    CoverageCurve,
    FeatureProgress,
    ReadingSample,
    UnreadEstimate,
    plural,
)


def describe_scope(sample: ReadingSample) -> str:
    """``L3`` or ``L3 and the rest of the library``."""
    return f"L{sample.set_number}" + (" and the rest of the library" if sample.library else "")


def describe_sample(found: UnreadEstimate) -> str:
    """How much of the sample is read, and what it was drawn from."""
    sample, size = found.sample, len(found.documents)
    read = sum(item.read for item in found.documents)
    return (
        f"{sample.label}: {read:,} of {plural(size, 'document')} read, drawn at random from "
        f"{sample.frame:,} unread of {describe_scope(sample)} on {sample.at:%Y-%m-%d}."
    )


def describe_left(found: UnreadEstimate) -> str:
    """What is known of the relevant documents that are left, in one sentence, with the interval."""
    left = found.left
    if left is None:
        return "Nothing is known yet of what is left: read the documents of the sample, in their order."
    positive = f"{found.positive:,} of the {plural(found.counted, 'document')} of the sample"
    are = "is" if found.positive == 1 else "are"
    if found.unread == 0:
        return "No relevant document is left: all that the sample was drawn from are read."
    return (
        f"About {round(left.estimate):,} relevant documents are left among {found.unread:,} unread "
        f"(95 % interval: {left.low:,} to {left.high:,}), as {positive} {are} relevant."
    )


def describe_recall(found: UnreadEstimate) -> str:
    """The share of the relevant documents that is known; empty without one."""
    recall = found.recall
    if recall is None:
        return ""
    return (
        f"{plural(found.found, 'relevant document')} known: about {100 * recall.estimate:.0f} % of all "
        f"(95 % interval: {100 * recall.low:.0f} % to {100 * recall.high:.0f} %)."
    )


def describe_assumption(found: UnreadEstimate) -> str:
    """What the estimate assumes."""
    return (
        f"It assumes that relevant means category {describe_categories(found.relevant)}, that a document "
        "of the sample without one was read and is not relevant, and that the sample is read in its order, "
        "all of it or to a number chosen before. It assumes nothing of the ranking. Documents outside "
        f"{describe_scope(found.sample)} are not part of it."
    )


def describe_categories(categories: Collection[Category]) -> str:
    """``X, Y or A``."""
    *others, last = (category.value for category in categories)
    return f"{', '.join(others)} or {last}" if others else last


def describe_since(feature: FeatureProgress) -> str:
    """How long ago a feature's last new passage was read."""
    if feature.since is None:
        return "none confirmed"
    if feature.since == 0:
        return "new in the last document"
    return f"nothing new in the last {feature.since:,}"


def describe_curve(found: CoverageCurve) -> tuple[str, ...]:
    """Where reading stopped bringing new features, and new relevant documents, each in one sentence."""
    if not found.points:
        return ()
    read, last = len(found.points), found.points[-1]
    every = len(found.features)
    told = []
    if every:
        place = max((each.place for each in found.points if each.first_confirmed), default=0)
        told.append(
            f"{last.confirmed} of {every} features confirmed, the last new one in document {place:,} "
            f"of {read:,} read."
            if place
            else f"No feature confirmed in {plural(read, 'document')} read."
        )
    if every and found.compared:
        place = max((each.place for each in found.points if each.first_covered), default=0)
        told.append(
            f"Disclosed by the evidence: {last.covered} of {every} features, the last new one in document "
            f"{place:,} ({found.compared:,} of {read:,} documents compared)."
            if place
            else f"Disclosed by the evidence: no feature ({found.compared:,} of {read:,} documents compared)."
        )
    place = next((each.place for each in found.points if each.relevant == last.relevant), 0)
    if last.relevant:
        told.append(f"{plural(last.relevant, 'relevant document')}, the last one was document {place:,}.")
    return tuple(told)
