"""Libraries, progress and reports in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from claimlight.types import (
    DroppedDescriptions,
    ImportReport,
    ImportState,
    IndexReport,
    name_of,
)
from claimlight_workbench.language import begin, number, tell, tr, trn
from claimlight_workbench.progress_words import amount, rate, stage_name
from claimlight_workbench.wording import index_words

_SHORT = 0.5
"""Seconds below which a time is not told."""
_SHOWN_PATHS = 3
_SHOWN = 3
"""Number of publications named in the summary of an import."""

if TYPE_CHECKING:
    from claimlight.types import (
        ImportRun,
        IndexEstimate,
        LibraryInfo,
        PassEstimate,
        Progress,
        Quarantined,
        SharedState,
    )

PASSES = {"index": tr("indexing titles, abstracts and claims"), "full text": tr("indexing descriptions")}
"""The passes of indexing, by the stage of their progress."""
PAUSING = tr("Pausing: what is being read is completed and kept…")
PAUSED = tr("Indexing is paused. What has been indexed is kept, and searched.")


def facts(info: LibraryInfo, *, paused: bool = False, limits: str = "") -> tuple[tuple[str, str], ...]:
    """Names and values for the table of the library; ``paused``: its indexing is; ``limits``: its limits."""
    years = (
        tr("{years} to {years_2}", years=info.years[0][0], years_2=info.years[-1][0])
        if info.years
        else tr("none")
    )
    indexed = tr(
        "{indexed_documents:,} of {documents}",
        indexed_documents=info.indexed_documents,
        documents=trn("{n:,} document", "{n:,} documents", info.documents),
    )
    if info.claims_only:
        indexed = f"{trn('{n:,} document', '{n:,} documents', info.documents)}; {index_words(info)}"
    if info.indexing:
        indexed += tr("; indexing continues")
    elif paused:
        indexed += tr("; indexing is paused")
    if limits:
        indexed += tr("; limited to {limits}", limits=limits)
    if info.textless:
        indexed += tr(", {textless:,} without text", textless=info.textless)
    return (
        *_places(info),
        (
            tr("Documents"),
            tr(
                "{documents:,} in {families}",
                documents=info.documents,
                families=trn("{n:,} family", "{n:,} families", info.families),
            ),
        ),
        (tr("Passages"), number(info.passages, ",")),
        (
            tr("Offices"),
            ", ".join(f"{name} {number(count, ',')}" for name, count in info.offices) or tr("none"),
        ),
        (
            tr("Languages"),
            ", ".join(
                f"{tell(name_of(code)) or tr('not said')} {number(count, ',')}"
                for code, count in info.languages
            )
            or tr("none"),
        ),
        (tr("Years"), years),
        (
            tr("Classes"),
            ", ".join(f"{name} {number(count, ',')}" for name, count in info.classes[:8]) or tr("none"),
        ),
        (tr("Indexed"), indexed),
        (tr("Quarantined"), number(info.quarantined, ",")),
        (tr("On disk"), size(info.bytes)),
    )


def _places(info: LibraryInfo) -> tuple[tuple[str, str], ...]:
    """Where a library is; of a shared one, what its servers are and how they answer."""
    shared = info.shared
    if shared is None:
        return ((tr("Folder"), info.folder + (tr(" (read-only)") if info.read_only else "")),)
    return (
        (tr("Address"), info.folder),
        (tr("Servers"), servers_text(shared)),
        (tr("Connection"), encryption_text(shared)),
    )


def servers_text(shared: SharedState) -> str:
    """Database and engine with their versions, how fast they answered, and the user."""
    database = tr(
        "{name} in {time} ms, as {user}",
        name=shared.database,
        time=number(1000 * shared.database_seconds, ".0f"),
        user=shared.user,
    )
    time = number(1000 * shared.engine_seconds, ".0f")
    if shared.engine_fault:
        engine = tell(shared.engine_fault)
    elif shared.engine:
        engine = tr("{name} in {time} ms", name=shared.engine, time=time)
    else:
        engine = tr("index in the same database, in {time} ms", time=time)
    # A fault is a sentence.
    return f"{database}{'. ' if shared.engine_fault else '; '}{engine}"


def encryption_text(shared: SharedState) -> str:
    """Whether others on the network can read what is asked and found."""
    if shared.unencrypted:
        return tr("not encrypted to {hosts}", hosts=", ".join(shared.unencrypted))
    return tr("encrypted") if shared.encrypted else tr("on this computer, not encrypted")


def progress_text(progress: Progress) -> str:
    """Amount done, rate, and time left."""
    if progress.unit == "bytes":
        far = tr("{done} of {total}", done=size(progress.done), total=size(progress.total))
    else:
        far = amount(progress)
    speed = f", {rate(progress)}" if progress.rate > 0 else ""
    left = (
        tr(", {seconds_left} left", seconds_left=duration(progress.seconds_left))
        if progress.seconds_left is not None
        else ""
    )
    return f"{PASSES.get(progress.stage) or stage_name(progress.stage)}: {far}{speed}{left}"


def pass_text(progress: Progress) -> str:
    """The pass at work in a short line: what is left comes before what may be cut off."""
    name, _, rest = progress_text(progress).partition(": ")
    far, _, left = rest.rpartition(", ") if progress.seconds_left is not None else (rest, "", "")
    return f"{begin(name)}: {f'{left}  ·  ' if left else ''}{far}"


def estimate_text(found: IndexEstimate, *, descriptions: bool) -> str:
    """What indexing will take, in lines."""
    if not found.claims.documents and not found.descriptions.documents:
        return tr("There is nothing to index: all of this is indexed.")
    lines = [_pass_text(tr("Titles, abstracts and claims"), found.claims)] if found.claims.documents else []
    if descriptions and found.descriptions.documents:
        lines.append(_pass_text(tr("Descriptions"), found.descriptions))
    time = duration(found.seconds)
    about = tr("About {time}", time=time) if found.seconds >= _SHORT else begin(time)
    lines.append(tr("{about} on {device}, measured now.", about=about, device=_device(found.device)))
    if found.sampled:
        lines.append(
            tr(
                "Passages were counted in {documents} and estimated for the others.",
                documents=trn("{n:,} document", "{n:,} documents", found.sampled),
            )
        )
    needed, free = size(found.needed_bytes), size(found.free_bytes)
    if found.enough_space:
        lines.append(
            tr(
                "While it runs it needs at most {needed} more on disk; {free} are free.",
                needed=needed,
                free=free,
            )
        )
    else:
        lines.append(
            tr(
                "There is not enough disk space: up to {needed} more are needed, {free} are free. "
                "Free some space, or limit the descriptions.",
                needed=needed,
                free=free,
            )
        )
    return "\n".join(lines)


def _pass_text(name: str, item: PassEstimate) -> str:
    return tr(
        "{name}: {documents}, {passages}, {seconds}, {bytes} on disk",
        name=name,
        documents=trn("{n:,} document", "{n:,} documents", item.documents),
        passages=trn("{n:,} passage", "{n:,} passages", item.passages),
        seconds=duration(item.seconds),
        bytes=size(item.bytes),
    )


def _device(device: str) -> str:
    return tr("this processor") if device == "cpu" else device.upper()


def report_text(report: object) -> str:
    """The result of a job."""
    if isinstance(report, ImportReport):
        parts = [tr("{taken:,} imported", taken=report.taken)]
        for count, what in (
            (report.merged, tr("merged with a fuller record")),
            (report.reread, tr("read again by a newer version")),
            (report.unchanged, tr("already in the library")),
            (report.skipped, tr("skipped (not patents)")),
            (len(report.quarantined), tr("quarantined (could not be read)")),
            (
                report.differing,
                tr("different from another record of the same publication{first}", first=_first(report)),
            ),
        ):
            if count:
                parts.append(f"{number(count, ',')} {what}")
        return tr(
            "Import: {parts} from {files} in {seconds}",
            parts=", ".join(parts),
            files=trn("{n:,} file", "{n:,} files", report.files),
            seconds=duration(report.seconds),
        )
    if isinstance(report, IndexReport):
        described = (
            tr(
                " and {descriptions}",
                descriptions=trn("{n:,} description", "{n:,} descriptions", report.full_text),
            )
            if report.full_text
            else ""
        )
        return tr(
            "Index: {documents}{described}, {passages} in {seconds} on {device}",
            documents=trn("{n:,} document", "{n:,} documents", report.documents),
            described=described,
            passages=trn("{n:,} passage", "{n:,} passages", report.passages),
            seconds=duration(report.seconds),
            device=report.device,
        )
    if isinstance(report, DroppedDescriptions):
        return _dropped(report)
    return tr("Stopped. Documents already imported or indexed are kept.")


def _dropped(report: DroppedDescriptions) -> str:
    whole = trn("{n:,} document", "{n:,} documents", report.documents)
    partly = trn("{n:,} document", "{n:,} documents", report.partly)
    free = size(report.bytes)
    if report.documents and report.partly:
        return tr(
            "The descriptions of {documents}, and the passages that searches had read of {others}, are "
            "removed from the index; {bytes} are free again. Indexing is paused.",
            documents=whole,
            others=trn("{n:,} other document", "{n:,} other documents", report.partly),
            bytes=free,
        )
    if report.documents:
        return tr(
            "The descriptions of {documents} are removed from the index; {bytes} are free again. "
            "Indexing is paused.",
            documents=whole,
            bytes=free,
        )
    if report.partly:
        return tr(
            "The passages that searches had read of the descriptions of {documents} are removed from the "
            "index; {bytes} are free again. Indexing is paused.",
            documents=partly,
            bytes=free,
        )
    return tr("Unfinished descriptions are removed; {bytes} are free again. Indexing is paused.", bytes=free)


def quarantined_summary(report: ImportReport) -> str:
    """``24 imported, 4 quarantined (could not be read)``; empty if everything could be read."""
    many = len(report.quarantined)
    return (
        tr("{taken:,} imported, {value:,} quarantined (could not be read)", taken=report.taken, value=many)
        if many
        else ""
    )


def _first(report: ImportReport) -> str:
    """The first publications whose two records differ, with the sections."""
    shown = report.differences[:_SHOWN]
    named = ", ".join(f"{item.publication} {'/'.join(item.parts)}" for item in shown)
    more = ", …" if report.differing > len(shown) else ""
    return f" ({named}{more})" if named else ""


def quarantined_text(item: Quarantined) -> str:
    """The file and place of a quarantined document, and the reason."""
    place = item.source.path + (f" › {item.source.member}" if item.source.member else "")
    line = tr(", line {line}", line=item.line) if item.line else ""
    return tr(
        "{place}, document {ordinal}{line}: {reason}",
        place=place,
        ordinal=item.source.ordinal + 1,
        line=line,
        reason=item.reason,
    )


def run_text(run: ImportRun) -> str:
    """An import of the history in a few words."""
    when = run.started.astimezone().strftime("%Y-%m-%d %H:%M")
    names = ", ".join(run.paths[:_SHOWN_PATHS]) + (", …" if len(run.paths) > _SHOWN_PATHS else "")
    state = {
        ImportState.RUNNING: tr("unfinished") if run.finished is None else tr("done"),
        ImportState.DONE: tr("done"),
        ImportState.CANCELLED: tr("cancelled"),
        ImportState.FAILED: tr("failed"),
    }[run.state]
    counts = run_counts(run)
    parts = (
        tr("Import {number}", number=run.number),
        when,
        tr("{state} after {seconds}", state=state, seconds=duration(run.seconds)),
        counts,
        names,
    )
    return "  ·  ".join(part for part in parts if part)


def run_counts(run: ImportRun) -> str:
    """``1,203 imported, 3 quarantined``."""
    counts = (
        (sum(item.taken for item in run.files), tr("imported")),
        (sum(item.merged for item in run.files), tr("merged")),
        (sum(item.reread for item in run.files), tr("read again")),
        (sum(item.unchanged for item in run.files), tr("already in the library")),
        (sum(item.skipped for item in run.files), tr("skipped")),
        (len(run.quarantined), tr("quarantined")),
    )
    return ", ".join(f"{number(count, ',')} {what}" for count, what in counts if count) or tr(
        "nothing imported"
    )


def size(count: float) -> str:
    value = float(count)
    for unit in (tr("B"), tr("kB"), tr("MB")):
        if value < 1000:
            return f"{number(value, '.0f')} {unit}"
        value /= 1000
    return tr("{value:.1f} GB", value=value)


def duration(seconds: float) -> str:
    if seconds < _SHORT:
        return tr("less than 1 s")
    if seconds < 60:
        return f"{number(seconds, '.0f')} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return tr("{minutes} min {rest:02} s", minutes=minutes, rest=rest)
    return tr("{minutes} h {minutes_2:02} min", minutes=minutes // 60, minutes_2=minutes % 60)
