"""Libraries, progress and reports in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import (
    DroppedDescriptions,
    ImportReport,
    ImportState,
    IndexReport,
    name_of,
    plural,
)
from claimlight_workbench.wording import index_words

_SHORT = 0.5
"""Seconds below which a time is not told."""
_SHOWN_PATHS = 3
_SHOWN = 3
"""Number of publications named in the summary of an import."""

if TYPE_CHECKING:
    from claimlight.types import ImportRun, IndexEstimate, LibraryInfo, PassEstimate, Progress, Quarantined

PASSES = {"index": "indexing titles, abstracts and claims", "full text": "indexing descriptions"}
"""The passes of indexing, by the stage of their progress."""
PAUSING = "Pausing: what is being read is completed and kept…"
PAUSED = "Indexing is paused. What has been indexed is kept, and searched."


def facts(info: LibraryInfo, *, paused: bool = False, limits: str = "") -> tuple[tuple[str, str], ...]:
    """Names and values for the table of the library; ``paused``: its indexing is; ``limits``: its limits."""
    years = f"{info.years[0][0]} to {info.years[-1][0]}" if info.years else "none"
    indexed = f"{info.indexed_documents:,} of {plural(info.documents, 'document')}"
    if info.claims_only:
        indexed = f"{plural(info.documents, 'document')}; {index_words(info)}"
    if info.indexing:
        indexed += "; indexing continues"
    elif paused:
        indexed += "; indexing is paused"
    if limits:
        indexed += f"; limited to {limits}"
    if info.textless:
        indexed += f", {info.textless:,} without text"
    return (
        ("Folder", info.folder + (" (read-only)" if info.read_only else "")),
        ("Documents", f"{info.documents:,} in {plural(info.families, 'family', 'families')}"),
        ("Passages", f"{info.passages:,}"),
        ("Offices", ", ".join(f"{name} {count:,}" for name, count in info.offices) or "none"),
        (
            "Languages",
            ", ".join(f"{name_of(code) or 'not said'} {count:,}" for code, count in info.languages) or "none",
        ),
        ("Years", years),
        ("Classes", ", ".join(f"{name} {count:,}" for name, count in info.classes[:8]) or "none"),
        ("Indexed", indexed),
        ("Quarantined", f"{info.quarantined:,}"),
        ("On disk", size(info.bytes)),
    )


def progress_text(progress: Progress) -> str:
    """Amount done, rate, and time left."""
    if progress.unit == "bytes":
        far, rate = f"{size(progress.done)} of {size(progress.total)}", f"{size(progress.rate)}/s"
    else:
        total = f" of {progress.total:,}" if progress.total else ""
        far = f"{progress.done:,}{total} {progress.unit}"
        rate = f"{progress.rate:,.0f} {progress.unit}/s"
    left = f", {duration(progress.seconds_left)} left" if progress.seconds_left is not None else ""
    return f"{PASSES.get(progress.stage, progress.stage)}: {far}, {rate}{left}"


def pass_text(progress: Progress) -> str:
    """The pass at work in a short line: what is left comes before what may be cut off."""
    name, _, rest = progress_text(progress).partition(": ")
    far, _, left = rest.rpartition(", ") if progress.seconds_left is not None else (rest, "", "")
    return f"{name[0].upper()}{name[1:]}: {f'{left}  ·  ' if left else ''}{far}"


def estimate_text(found: IndexEstimate, *, descriptions: bool) -> str:
    """What indexing will take, in lines."""
    if not found.claims.documents and not found.descriptions.documents:
        return "There is nothing to index: all of this is indexed."
    lines = [_pass_text("Titles, abstracts and claims", found.claims)] if found.claims.documents else []
    if descriptions and found.descriptions.documents:
        lines.append(_pass_text("Descriptions", found.descriptions))
    time = duration(found.seconds)
    about = f"About {time}" if found.seconds >= _SHORT else time.capitalize()
    lines.append(f"{about} on {_device(found.device)}, measured now.")
    if found.sampled:
        lines.append(
            f"Passages were counted in {plural(found.sampled, 'document')} and estimated for the others."
        )
    needed, free = size(found.needed_bytes), size(found.free_bytes)
    if found.enough_space:
        lines.append(f"While it runs it needs at most {needed} more on disk; {free} are free.")
    else:
        lines.append(
            f"There is not enough disk space: up to {needed} more are needed, {free} are free. Free some "
            "space, or limit the descriptions."
        )
    return "\n".join(lines)


def _pass_text(name: str, item: PassEstimate) -> str:
    return (
        f"{name}: {plural(item.documents, 'document')}, {plural(item.passages, 'passage')}, "
        f"{duration(item.seconds)}, {size(item.bytes)} on disk"
    )


def _device(device: str) -> str:
    return "this processor" if device == "cpu" else device.upper()


def report_text(report: object) -> str:
    """The result of a job."""
    if isinstance(report, ImportReport):
        parts = [f"{report.taken:,} imported"]
        for count, what in (
            (report.merged, "merged with a fuller record"),
            (report.reread, "read again by a newer version"),
            (report.unchanged, "already in the library"),
            (report.skipped, "skipped (not patents)"),
            (len(report.quarantined), "quarantined (could not be read)"),
            (report.differing, f"different from another record of the same publication{_first(report)}"),
        ):
            if count:
                parts.append(f"{count:,} {what}")
        return f"Import: {', '.join(parts)} from {plural(report.files, 'file')} in {duration(report.seconds)}"
    if isinstance(report, IndexReport):
        described = f" and {plural(report.full_text, 'description')}" if report.full_text else ""
        return (
            f"Index: {plural(report.documents, 'document')}{described}, "
            f"{plural(report.passages, 'passage')} in {duration(report.seconds)} on {report.device}"
        )
    if isinstance(report, DroppedDescriptions):
        return (
            f"The descriptions of {plural(report.documents, 'document')} are removed from the index; "
            f"{size(report.bytes)} are free again. Indexing is paused."
        )
    return "Stopped. Documents already imported or indexed are kept."


def quarantined_summary(report: ImportReport) -> str:
    """``24 imported, 4 quarantined (could not be read)``; empty if everything could be read."""
    many = len(report.quarantined)
    return f"{report.taken:,} imported, {many:,} quarantined (could not be read)" if many else ""


def _first(report: ImportReport) -> str:
    """The first publications whose two records differ, with the sections."""
    shown = report.differences[:_SHOWN]
    named = ", ".join(f"{item.publication} {'/'.join(item.parts)}" for item in shown)
    more = ", …" if report.differing > len(shown) else ""
    return f" ({named}{more})" if named else ""


def quarantined_text(item: Quarantined) -> str:
    """The file and place of a quarantined document, and the reason."""
    place = item.source.path + (f" › {item.source.member}" if item.source.member else "")
    line = f", line {item.line}" if item.line else ""
    return f"{place}, document {item.source.ordinal + 1}{line}: {item.reason}"


def run_text(run: ImportRun) -> str:
    """An import of the history in a few words."""
    when = run.started.astimezone().strftime("%Y-%m-%d %H:%M")
    names = ", ".join(run.paths[:_SHOWN_PATHS]) + (", …" if len(run.paths) > _SHOWN_PATHS else "")
    state = {
        ImportState.RUNNING: "unfinished" if run.finished is None else "done",
        ImportState.DONE: "done",
        ImportState.CANCELLED: "cancelled",
        ImportState.FAILED: "failed",
    }[run.state]
    counts = run_counts(run)
    parts = (f"Import {run.number}", when, f"{state} after {duration(run.seconds)}", counts, names)
    return "  ·  ".join(part for part in parts if part)


def run_counts(run: ImportRun) -> str:
    """``1,203 imported, 3 quarantined``."""
    counts = (
        (sum(item.taken for item in run.files), "imported"),
        (sum(item.merged for item in run.files), "merged"),
        (sum(item.reread for item in run.files), "read again"),
        (sum(item.unchanged for item in run.files), "already in the library"),
        (sum(item.skipped for item in run.files), "skipped"),
        (len(run.quarantined), "quarantined"),
    )
    return ", ".join(f"{count:,} {what}" for count, what in counts if count) or "nothing imported"


def size(count: float) -> str:
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def duration(seconds: float) -> str:
    if seconds < _SHORT:
        return "less than 1 s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"
