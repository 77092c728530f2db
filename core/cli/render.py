"""Search results for the terminal: a row, a coverage strip and the best passage with its links.

Colour is never the only sign: features carry their letters, matched words are underlined, coverage is a
bar of five heights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.highlight.ranges import marked
from core.types import Evidence, FeatureCoverage, Hit, PassageHit, Query, SearchResults, Span

COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red")
LINKS = 6
"""Links shown under a passage."""
_EXCERPT = 560
_BARS = "▁▂▄▆█"
_OUTSIDE = "white"


@dataclass(frozen=True, slots=True)
class Link:
    """A claim span and a passage span that met, in one or several centers."""

    query: Span
    passage: Span
    feature: str
    anchor: str
    """Of the strongest center."""
    centers: int
    contribution: float
    shared: bool


def links(passage: PassageHit) -> tuple[Link, ...]:
    """The evidence of a passage by pairs of spans, strongest first; contributions add up."""
    pairs: dict[tuple[Span, Span], list[Evidence]] = {}
    for item in passage.evidence:
        pairs.setdefault((item.query, item.passage), []).append(item)
    made = [
        Link(
            query=query,
            passage=span,
            feature=items[0].feature,
            anchor=items[0].anchor,
            centers=len(items),
            contribution=sum(item.contribution for item in items),
            shared=bool(items[0].shared),
        )
        for (query, span), items in pairs.items()
    ]
    return tuple(sorted(made, key=lambda link: (-link.contribution, link.query, link.passage)))


def colour(label: str) -> str:
    """The colour of a feature; labels are ``F1``, ``F2`` and so on."""
    number = label.removeprefix("F")
    return COLOURS[(int(number) - 1) % len(COLOURS)] if number.isdigit() else _OUTSIDE


def strip(coverage: Sequence[FeatureCoverage]) -> Text:
    """One cell for each feature: its label and how much of it the best passage carries."""
    text = Text()
    for cell in coverage:
        met = cell.passage is not None
        bar = _BARS[min(int(cell.coverage * len(_BARS)), len(_BARS) - 1)] if met else "·"
        text.append(f"{cell.feature}{bar} ", style=colour(cell.feature) if met else "dim")
    return text


def claim(query: Query) -> Text:
    """The query with its features marked."""
    text = Text()
    at = 0
    for feature in query.features:
        text.append(query.text[at : feature.span.start], style="dim")
        text.append(f"{feature.label} ", style=f"bold {colour(feature.label)}")
        text.append(feature.text, style=colour(feature.label))
        at = feature.span.end
    text.append(query.text[at:], style="dim")
    return text


def excerpt(passage: PassageHit, limit: int = _EXCERPT) -> Text:
    """The passage, or the part of it that holds most of its score, with the matched words marked."""
    window = _window(passage, limit)
    text = Text("… " if window.start else "")
    shift = len(text) - window.start
    text.append(passage.text[window.start : window.end])
    for span, style in _styles(passage):
        start, end = max(span.start, window.start), min(span.end, window.end)
        if start < end:
            text.stylize(style, start + shift, end + shift)
    if window.end < len(passage.text):
        text.append(" …")
    return text


def _styles(passage: PassageHit) -> list[tuple[Span, str]]:
    """Each marked range in the colour of the feature that contributes most there."""
    ranges = marked(passage.evidence)
    return [(item.span, f"underline {colour(item.shares[0].feature)}") for item in ranges]


def _window(passage: PassageHit, limit: int) -> Span:
    size = len(passage.text)
    if size <= limit:
        return Span(0, size)
    starts = sorted({0, *(max(0, item.passage.start - 40) for item in passage.evidence)})

    def carried(start: int) -> float:
        inside = (e for e in passage.evidence if start <= e.passage.start and e.passage.end <= start + limit)
        return sum(item.contribution for item in inside)

    start = min(max(starts, key=lambda s: (carried(s), -s)), size - limit)
    if start:
        start = passage.text.find(" ", start) + 1 or start
    end = passage.text.rfind(" ", start, start + limit)
    return Span(start, end if end > start and start + limit < size else min(size, start + limit))


def link_lines(query: Query, passage: PassageHit, limit: int = LINKS) -> list[Text]:
    """One line a link, strongest first: claim words, document words, center, contribution."""
    found = links(passage)
    lines: list[Text] = []
    for link in found[:limit]:
        line = Text("    ")
        line.append(f"{link.feature or '–':<4}", style=f"bold {colour(link.feature)}")
        line.append(_flat(query.text, link.query), style=colour(link.feature))
        line.append(" ↔ ")
        line.append(_flat(passage.text, link.passage), style=f"underline {colour(link.feature)}")
        more = f" +{link.centers - 1}" if link.centers > 1 else ""
        line.append(f"  ({link.anchor}{more})", style="dim italic")
        line.append(f"  {link.contribution:.2f}", style="bold")
        line.append("" if link.shared else "  no shared word", style="dim")
        lines.append(line)
    if found:
        rest = sum(link.contribution for link in found[limit:])
        others = f"; {len(found) - limit} weaker links {rest:.2f}" if len(found) > limit else ""
        lines.append(
            Text(f"    score {passage.score:.2f} = the sum of its {len(found)} links{others}", style="dim")
        )
    return lines


def _flat(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())


def print_results(console: Console, results: SearchResults) -> None:
    """Everything a person wants of an answer."""
    query = results.request.query
    console.print(claim(query))
    for note in results.notes:
        console.print(Text(f"Note: {note}", style="bold yellow"))
    if not results.hits:
        console.print("Nothing was found.")
    for rank, hit in enumerate(results.hits, 1):
        console.print()
        console.print(_row(rank, hit, dated=results.request.reference is not None))
        for passage in hit.passages[:1]:
            label = Text(f"  {passage.label}  ", style="bold")
            grid = Table.grid(padding=0)
            grid.add_row(label, excerpt(passage))
            console.print(grid)
            for line in link_lines(query, passage):
                console.print(line, soft_wrap=True)
    console.print()
    console.print(_footer(results))


def _row(rank: int, hit: Hit, *, dated: bool) -> Text:
    patent = hit.patent
    text = Text()
    text.append(f"{rank:>3}  ", style="bold")
    text.append(str(patent.publication), style="bold")
    text.append(f"  {patent.published or 'undated'}  ", style="dim")
    text.append(patent.title)
    if patent.applicant:
        text.append(f"  ({patent.applicant})", style="dim")
    if hit.family_members:
        text.append(f"  family: {', '.join(map(str, hit.family_members))}", style="dim")
    if dated:
        days = {"published": patent.published, "filed": patent.filed, "priority": patent.priority}
        text.append(f"\n     [{hit.zone.value}]  ", style="bold")
        text.append(", ".join(f"{name} {day or '–'}" for name, day in days.items()), style="dim")
    text.append("\n     ")
    text.append_text(strip(hit.coverage))
    text.append("  ".join(f"{item.leg.value} {item.rank}" for item in hit.ranks), style="dim")
    return text


def _footer(results: SearchResults) -> Text:
    origin = results.provenance
    seconds = sum(stage.seconds for stage in results.times)
    stages = ", ".join(f"{stage.stage} {stage.seconds * 1000:.0f}" for stage in results.times)
    text = f"{len(results.hits)} of {origin.documents:,} documents in {seconds:.2f} s ({stages} ms)"
    if origin.generation:
        text += f"; index {origin.generation}, model {origin.encoder} on {origin.device}"
    return Text(text, style="dim")
