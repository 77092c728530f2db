"""Search results for the terminal: a row, the match strengths and the best passage with its matches.

No information is in colour alone: features have labels, matched words are underlined, match strengths are
numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from claimlight.services.search.cell_words import VERDICT_SIGN, depth_words, verdict_words
from claimlight.services.search.date_words import EARLIER_PUBLICATION, LABELS, TEXTS, hidden_text
from claimlight.types import (
    CellVerdict,
    DateFinding,
    DateStatus,
    FeatureCoverage,
    Hit,
    Match,
    PassageHit,
    Query,
    SearchResults,
    Span,
    plural,
    strength_figure,
)

COLOURS = ("cyan", "magenta", "yellow", "green", "blue", "red")
MATCHES = 6
"""Matches shown under a passage."""
_EXCERPT = 560
_OUTSIDE = "white"


def colour(label: str) -> str:
    """The colour of a feature; labels are ``F1``, ``F2`` and so on."""
    number = label.removeprefix("F")
    return COLOURS[(int(number) - 1) % len(COLOURS)] if number.isdigit() else _OUTSIDE


def figure(cell: FeatureCoverage) -> str:
    """The sign of a cell and its match strength."""
    sign = VERDICT_SIGN[cell.verdict]
    return f"{sign}{strength_figure(cell.strength)}" if cell.passage is not None else sign


def strip(coverage: Sequence[FeatureCoverage]) -> Text:
    """The match strength and best passage of each feature."""
    text = Text()
    for cell in coverage:
        suggested = cell.verdict in {CellVerdict.STRONG, CellVerdict.MEDIUM}
        where = f" {cell.label}" if cell.label else ""
        text.append(f"{cell.feature} {figure(cell)}", style=colour(cell.feature) if suggested else "dim")
        text.append(f"{where}  ", style="dim")
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
    """The passage, or the part with most of its score, with the matched words marked."""
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
    """The matches that are not weak in their features' colours, the strongest on top."""
    shown = (item for item in reversed(passage.matches) if not item.weak)
    return [(item.passage, f"underline {colour(item.feature)}") for item in shown]


def _window(passage: PassageHit, limit: int) -> Span:
    size = len(passage.text)
    if size <= limit:
        return Span(0, size)
    starts = sorted({0, *(max(0, item.passage.start - 40) for item in passage.evidence)})

    def carried(start: int) -> float:
        inside = (e for e in passage.evidence if start <= e.passage.start and e.passage.end <= start + limit)
        return sum(item.contribution for item in inside)

    # Of equal parts the first.
    start = min(max(starts, key=lambda s: (carried(s), -s)), size - limit)
    if start:
        start = passage.text.find(" ", start) + 1 or start
    end = passage.text.rfind(" ", start, start + limit)
    return Span(start, end if end > start and start + limit < size else min(size, start + limit))


def match_lines(query: Query, passage: PassageHit, limit: int = MATCHES) -> list[Text]:
    """One line a match, strongest first: claim term, passage term, concept, contribution; then the sum."""
    shown = [item for item in passage.matches if not item.weak][:limit]
    lines = [_match_line(query, passage, item) for item in shown]
    if not passage.evidence and not passage.other_words:
        return lines
    rest = [item.contribution for item in passage.matches if item not in shown]
    weaker, other = round(sum(rest), 1), round(passage.other_words, 1)
    # The first part takes the rounding error, so that the printed figures add up.
    first = max(0.0, round(passage.score, 1) - weaker - other)
    parts = [f"{plural(len(shown), 'match', 'matches')} {first:.1f}"]
    if rest:
        parts.append(f"{len(rest)} weaker {weaker:.1f}")
    if passage.other_words > 0:
        parts.append(f"other words {other:.1f}")
    lines.append(Text(f"    passage score {passage.score:.1f} = {' + '.join(parts)}", style="dim"))
    return lines


def _match_line(query: Query, passage: PassageHit, match: Match) -> Text:
    strongest = passage.evidence[match.evidence[0]]
    more = f" +{len(match.evidence) - 1}" if len(match.evidence) > 1 else ""
    line = Text("    ")
    line.append(f"{match.feature or '–':<4}", style=f"bold {colour(match.feature)}")
    line.append(_flat(query.text, match.query), style=colour(match.feature))
    line.append(" ↔ ")
    line.append(_flat(passage.text, match.passage), style=f"underline {colour(match.feature)}")
    line.append(f"  ({strongest.anchor}{more})", style="dim italic")
    line.append(f"  {match.contribution:.1f}", style="bold")
    line.append("" if match.shared else "  no shared word", style="dim")
    return line


def _flat(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())


def print_results(console: Console, results: SearchResults) -> None:
    """Print claim, notes, hits, legend and footer."""
    query = results.request.query
    console.print(claim(query))
    for note in results.notes:
        console.print(Text(f"Note: {note}", style="bold yellow"))
    if not results.answered:
        console.print(Text("Nothing was searched."))  # a note says why
    elif not results.hits:
        console.print(Text(f"Nothing found. {results.cause}".rstrip()))
    elif hidden := hidden_text(results.hidden):
        console.print(Text(f"{hidden}; --all-dates shows them.", style="bold yellow"))
    if results.request.over is not None:
        console.print(_residual(results), soft_wrap=True)
    for rank, hit in enumerate(results.hits, 1):
        console.print()
        console.print(_row(rank, hit, dated=results.request.reference is not None))
        for passage in hit.passages[:1]:
            label = Text(f"  {passage.label}  ", style="bold")
            grid = Table.grid(padding=0)
            grid.add_row(label, excerpt(passage))
            console.print(grid)
            for line in match_lines(query, passage):
                console.print(line, soft_wrap=True)
    console.print()
    for line in status_legend(hit.dates for hit in results.hits):
        console.print(line)
    console.print(_footer(results))


def status_legend(found: Iterable[DateFinding]) -> Iterator[Text]:
    """Each date status that occurs, with its provision, and a hint for patents published late."""
    found = list(found)
    for status in sorted({item.status for item in found if item.label}, key=list(DateStatus).index):
        line = Text(f"[{LABELS[status]}]  ", style="bold")
        yield line.append(TEXTS[status], style="dim not bold")
    for sentence in dict.fromkeys(item.earlier for item in found if item.earlier):
        yield Text(sentence, style="dim")
    patents = sum(EARLIER_PUBLICATION in item.words for item in found)
    if patents:
        yield Text(
            f"{plural(patents, 'patent')} of these: the application was probably published before "
            "the relevant date; if so, that publication is full prior art. Look for it in the family.",
            style="dim",
        )


def _residual(results: SearchResults) -> Text:
    """Which features are searched for, and over which document."""
    request = results.request
    text = Text(f"Searches for the features missing from {request.over} (D1)", style="bold")
    return text.append(
        f": {', '.join(request.only)}. D1 and its family are left out; hits are ordered by gain over D1."
    )


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
    if hit.gain is not None:
        text.append(f"  gain +{100 * hit.gain:.0f}", style="bold")
    if dated:
        days = {"published": patent.published, "filed": patent.filed, "priority": patent.priority}
        text.append(f"\n     [{hit.dates.label}]  ", style="bold")
        text.append(", ".join(f"{name} {day or '–'}" for name, day in days.items()), style="dim")
    for note in filter(None, (hit.language_note, depth_words(hit.depth, hit.read))):
        text.append(f"\n     {note}", style="dim")
    text.append("\n     ")
    text.append_text(strip(hit.coverage))
    for cause in dict.fromkeys(cell.cause for cell in hit.coverage if cell.passage is None and cell.cause):
        text.append(f"{verdict_words(CellVerdict.UNCOMPARED, cause)}  ", style="dim")
    text.append("  ".join(f"{item.leg.value} {item.rank}" for item in hit.ranks), style="dim")
    return text


def _footer(results: SearchResults) -> Text:
    origin = results.provenance
    seconds = sum(stage.seconds for stage in results.times)
    stages = ", ".join(f"{stage.stage} {stage.seconds * 1000:.0f}" for stage in results.times)
    text = f"{len(results.hits)} of {plural(origin.documents, 'document')} in {seconds:.2f} s ({stages} ms)"
    if origin.generation:
        text += f"; index {origin.generation}, model {origin.encoder} on {origin.device}"
    return Text(text, style="dim")
