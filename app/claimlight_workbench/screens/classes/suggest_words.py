"""Suggestions and their reasons in words: for rows, the text beside them, and screen readers."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from claimlight.types import ClassLevel, Span, format_publication, strength_figure
from claimlight_workbench import theme
from claimlight_workbench.language import inside, number, tr, trn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from claimlight.types import (
        ClassEvidence,
        ClassifierInfo,
        ClassNeighbour,
        ClassSuggestion,
        ClassSuggestions,
        ClassText,
    )

LEVEL_NAMES = {
    ClassLevel.SECTION: tr("Section"),
    ClassLevel.CLASS: tr("Class"),
    ClassLevel.SUBCLASS: tr("Subclass"),
    ClassLevel.MAIN_GROUP: tr("Main group"),
    ClassLevel.SUBGROUP: tr("Subgroup"),
}
NO_CLASSIFIER = tr(
    "No classifier is installed. If the documents of this library have classes, train "
    "one on them: press Classifiers…, then Train on this library."
)
NONE_IN_USE = tr(
    "No classifier is in use. Press Classifiers… to choose one, or to train one on this library."
)
_LISTED = 8
"""Phrases that are listed with what the probability falls by."""
_P = '<p style="margin:0 0 6px 0">'


def used(classifiers: Iterable[ClassifierInfo]) -> ClassifierInfo | None:
    """The classifier in use."""
    return next((each for each in classifiers if each.in_use), None)


def why_none(classifiers: Sequence[ClassifierInfo]) -> str:
    """Why nothing can be suggested, and what to do; empty if a classifier is ready."""
    chosen = used(classifiers)
    if chosen is not None:
        if chosen.usable:
            return ""
        if not chosen.model:
            return tr("The classifier {name} can't be used. {fault}", name=chosen.name, fault=chosen.fault)
        return tr(
            "The classifier {model} is not for this encoder. Press Classifiers… to choose "
            "another, or to train one on this library.",
            model=chosen.model,
        )
    return NONE_IN_USE if any(each.usable for each in classifiers) else NO_CLASSIFIER


def classifier_line(info: ClassifierInfo) -> str:
    """``CPC classifier cpc-subclass 1, trained on 612 documents with CPC classes of Boats``."""
    trained = info.trained_on or (
        trn("{n:,} document", "{n:,} documents", info.documents) if info.documents else ""
    )
    name = info.model or info.name
    return tr(
        "{scheme} classifier {name}{value}",
        scheme=info.scheme.upper(),
        name=name,
        value=tr(", trained on {trained}", trained=trained) if trained else "",
    )


def suggestion_words(each: ClassSuggestion, *, reached: bool) -> str:
    """A row for screen readers."""
    figure = strength_figure(each.probability)
    below = "" if reached else tr(", below the confidence")
    return tr(
        "{symbol}, probability {figure}{below}, {title_of}",
        symbol=each.symbol,
        figure=figure,
        below=below,
        title_of=title_of(each),
    )


def title_of(each: ClassSuggestion) -> str:
    """The title of a suggested class; empty if none is known."""
    return (each.entry.short or each.entry.title) if each.entry is not None else ""


def suggestion_tip(each: ClassSuggestion) -> str:
    """Titles from the section downwards, each with its probability, and the threshold."""
    lines = [f"{above.symbol}  {_figure(above.probability)}{above.title}".rstrip() for above in each.parents]
    lines.append(f"{each.symbol}  {_figure(each.probability)}{title_of(each)}")
    lines.append(tr("Suggested from a probability of {threshold}", threshold=strength_figure(each.threshold)))
    if each.documents is not None:
        lines.append(
            tr(
                "{documents} of this library, with all classes below",
                documents=trn("{n:,} document", "{n:,} documents", each.documents),
            )
        )
    return "\n".join(lines)


def _figure(probability: float | None) -> str:
    return "" if probability is None else f"({strength_figure(probability)})  "


def answer_line(about: str, found: ClassSuggestions, reached: int) -> str:
    """What was classified, and how many classes reach the confidence."""
    level = inside(LEVEL_NAMES[found.level])
    if not found.suggestions:
        return tr("The classifier knows no {level}.", level=level)
    if not reached:
        return tr(
            "{format_about}: no {level} reaches the confidence; the likeliest are shown dimmed.",
            format_about=format_about(about),
            level=level,
        )
    return tr(
        "{format_about}: {classes} at or above the confidence",
        format_about=format_about(about),
        classes=_count_classes(found.level, reached),
    )


def _count_classes(level: ClassLevel, count: int) -> str:
    """``3 subclasses``."""
    match level:
        case ClassLevel.SECTION:
            return trn("{n:,} section", "{n:,} sections", count)
        case ClassLevel.CLASS:
            return trn("{n:,} class", "{n:,} classes", count)
        case ClassLevel.SUBCLASS:
            return trn("{n:,} subclass", "{n:,} subclasses", count)
        case ClassLevel.MAIN_GROUP:
            return trn("{n:,} main group", "{n:,} main groups", count)
        case ClassLevel.SUBGROUP:
            return trn("{n:,} subgroup", "{n:,} subgroups", count)


def format_about(about: str) -> str:
    """A publication as offices print it; other names as they are."""
    return format_publication(about)


def evidence_html(each: ClassSuggestion, found: ClassSuggestions, evidence: ClassEvidence | None) -> str:
    """Place in the scheme, what speaks for the class, and the text with its words marked."""
    colours = theme.active()
    parts = [_place(each, found.scheme.upper())]
    if evidence is None:
        parts.append(f"{_P}{tr('Reading what speaks for it…')}</p>")
        return "".join(parts)
    phrases = _phrases(found.texts, evidence)
    parts.append(_words(evidence, phrases, colours))
    parts.append(_neighbours(evidence))
    if phrases:
        parts.append(_texts(found.texts, evidence, phrases, colours))
    return "".join(parts)


def _place(each: ClassSuggestion, scheme: str) -> str:
    steps = [
        f"{escape(above.symbol)} {escape(above.title)}"
        + (f" <b>{strength_figure(above.probability)}</b>" if above.probability is not None else "")
        for above in each.parents
    ]
    above = f"{_P}{' › '.join(steps)}</p>" if steps else ""
    title = escape(title_of(each) or tr("no title known"))
    figure = strength_figure(each.probability)
    return f"{_P}<b>{scheme} {escape(each.symbol)}</b>&nbsp; {title} <b>{figure}</b></p>{above}"


def _phrases(texts: Sequence[ClassText], evidence: ClassEvidence) -> dict[str, tuple[int, float]]:
    """Number and weight of each phrase, by its words in lower case, the heaviest first."""
    weights: dict[str, float] = {}
    for each in evidence.spans:
        words = _words_at(texts, each.text, place_in_text(texts, each.text, each.passage, each.span))
        weights[words] = max(weights.get(words, 0.0), each.weight)
    ordered = sorted(weights, key=lambda words: -weights[words])
    return {words: (number, weights[words]) for number, words in enumerate(ordered, 1)}


def place_in_text(texts: Sequence[ClassText], number: int, passage: int | None, span: Span) -> Span:
    """A range of a passage as a range of the text that holds it."""
    begin = dict(texts[number].passages).get(passage, 0) if passage is not None else 0
    return Span(begin + span.start, begin + span.end)


def _words_at(texts: Sequence[ClassText], number: int, span: Span) -> str:
    return " ".join(texts[number].text[span.start : span.end].split()).casefold()


def _words(evidence: ClassEvidence, phrases: dict[str, tuple[int, float]], colours: theme.Theme) -> str:
    if not phrases:
        told = tr("No single words stand out: without any of them the probability stays as it is.")
        return f"{_P}{told}</p>"
    before, after = strength_figure(evidence.probability), strength_figure(evidence.without)
    most = max(weight for _, weight in phrases.values())
    listed = [
        f"{number}&nbsp;{_marked(words, weight / most, colours)}&nbsp;−{_fall(weight)}"
        for words, (number, weight) in list(phrases.items())[:_LISTED]
    ]
    more = tr(" and {phrases} more", phrases=len(phrases) - _LISTED) if len(phrases) > _LISTED else ""
    told = tr("Without one of these words the probability falls by:")
    if evidence.probability - evidence.without >= most:
        told = tr(
            "Without the words that weigh most, the probability falls from <b>{before}</b> to "
            "<b>{after}</b>; without one of them by:",
            before=before,
            after=after,
        )
    return f"{_P}{told}</p>{_P}{' &nbsp;'.join(listed)}{more}</p>"


def _fall(weight: float) -> str:
    return "&lt;1" if weight < 0.005 else str(max(1, round(100 * weight)))


def _marked(words: str, strength: float, colours: theme.Theme) -> str:
    back = theme.weight_tint(colours, strength)
    return f'<span style="background-color:{back};text-decoration:underline">{escape(words)}</span>'


def _neighbours(evidence: ClassEvidence) -> str:
    if not evidence.neighbours:
        return ""
    held = len(evidence.neighbours)
    told = tr("Of the nearest documents of the training these have the class:")
    # Several texts ask for neighbours of their own: then there may be more of them than one text asked for.
    if held <= evidence.asked:
        told = tr(
            "{held} of the {asked} nearest documents of the training have the class:",
            held=held,
            asked=evidence.asked,
        )
    rows = "".join(_neighbour(each) for each in evidence.neighbours)
    return f"{_P}{told}</p><table cellspacing=0 cellpadding=1>{rows}</table>{_P}</p>"


def _neighbour(each: ClassNeighbour) -> str:
    named = escape(format_publication(each.publication))
    if each.patent is not None:
        named = f'<a href="{escape(each.publication)}">{named}</a>'
    title = escape(each.title) if each.patent is not None else f"<i>{tr('not in this library')}</i>"
    return f"<tr><td>{number(each.cosine, '.2f')}&nbsp;</td><td>{named}&nbsp;&nbsp;</td><td>{title}</td></tr>"


def _texts(
    texts: Sequence[ClassText],
    evidence: ClassEvidence,
    phrases: dict[str, tuple[int, float]],
    colours: theme.Theme,
) -> str:
    most = max(weight for _, weight in phrases.values())
    parts = [f"{_P}<b>{tr('The text that was read')}</b></p>"]
    for at_text, text in enumerate(texts):
        spans = sorted(
            place_in_text(texts, at_text, each.passage, each.span)
            for each in evidence.spans
            if each.text == at_text
        )
        body, at = [], 0
        for span in spans:
            if span.start < at:
                continue
            place, weight = phrases[_words_at(texts, at_text, span)]
            said = _marked(text.text[span.start : span.end], weight / most, colours)
            body.append(f"{escape(text.text[at : span.start])}{said}<sup>{place}</sup>")
            at = span.end
        body.append(escape(text.text[at:]))
        parts.append(f"{_P}{''.join(body)}</p>".replace("\n", "<br>"))
    return "".join(parts)
