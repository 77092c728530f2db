"""Re-runs and exports sets, without touching what is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from claimlight_workbench.language import tr, trn

if TYPE_CHECKING:
    from pathlib import Path

    from claimlight.tasks import TaskContext
    from claimlight.types import ExportKind, Progress
    from claimlight_workbench.jobs.runner import JobRunner
    from claimlight_workbench.values import Rerun

_MOST_DIFFERENCES = 3


class SetService(Protocol):
    """What the presenter asks of the engine; every call blocks and runs in a worker."""

    def rerun_set(self, number: int, context: TaskContext) -> Rerun:
        """Run a set again; the saved set stays unchanged."""
        ...

    def export(self, number: int, path: Path, kind: ExportKind, context: TaskContext) -> int:
        """Write the documents of a set, or the whole library for 0; returns the number of rows."""
        ...


class SetsPresenter(QObject):
    """One re-run and one export at a time."""

    told = Signal(str)
    """Result or progress, in words."""
    failed = Signal(Exception, str)

    def __init__(self, services: SetService, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._runner = runner

    def rerun(self, number: int) -> None:
        """Run a set again and compare."""
        self.told.emit(tr("L{number} is being re-run…", number=number))
        job = self._runner.submit(
            lambda context: self._services.rerun_set(number, context),
            supersedes="rerun",
            title=tr("Re-run L{number}", number=number),
            cancel=lambda: self._runner.cut_off("rerun"),
        )
        job.succeeded.connect(lambda rerun: self.told.emit(rerun_text(rerun)))
        job.failed.connect(
            lambda error: self._failed(error, tr("L{number} could not be re-run", number=number))
        )
        job.cancelled.connect(lambda: self.told.emit(tr("L{number} was not re-run.", number=number)))

    def export(self, number: int, path: Path, kind: ExportKind) -> None:
        """Write a set, or the library for 0, to a file."""
        name = f"L{number}" if number else tr("The library")
        self.told.emit(tr("{name} is being written to {path}…", name=name, path=path))
        job = self._runner.submit(
            lambda context: self._services.export(number, path, kind, context),
            supersedes="export",
            title=tr("Export L{number}", number=number) if number else tr("Export the library"),
            cancel=lambda: self._runner.cut_off("export"),
        )

        def progressed(progress: Progress) -> None:
            if getattr(progress, "total", 0):
                self.told.emit(
                    tr(
                        "{name} to {path}: {done:,} of {total:,} rows",
                        name=name,
                        path=path,
                        done=progress.done,
                        total=progress.total,
                    )
                )

        job.progressed.connect(progressed)
        job.succeeded.connect(
            lambda rows: self.told.emit(
                tr(
                    "{name}: {rows} written to {path}",
                    name=name,
                    rows=trn("{n:,} row", "{n:,} rows", rows),
                    path=path,
                )
            )
        )
        job.failed.connect(lambda error: self._failed(error, tr("{name} could not be exported", name=name)))
        job.cancelled.connect(lambda: self.told.emit(tr("{name} was not exported.", name=name)))

    def cancel(self) -> bool:
        """Cancel both; returns whether anything ran."""
        return any([self._runner.cut_off("rerun"), self._runner.cut_off("export")])

    def _failed(self, error: Exception, doing: str) -> None:
        self.told.emit(f"{doing}.")
        self.failed.emit(error, doing)


def rerun_text(rerun: Rerun) -> str:
    """The result of a re-run."""
    if rerun.equal and not rerun.differences:
        same = (
            tr("the same document")
            if rerun.documents == 1
            else tr("the same {documents:,} documents", documents=rerun.documents)
        )
        return tr("L{number} re-run: no change, {same} in the same order.", number=rerun.number, same=same)
    parts = []
    if rerun.equal:
        parts.append(tr("the same documents in the same order"))
    elif rerun.added or rerun.missing:
        parts.append(
            tr(
                "changed: {added:,} new, {missing:,} no longer found",
                added=rerun.added,
                missing=rerun.missing,
            )
        )
    else:
        parts.append(tr("changed: the same documents in another order"))
    parts += [each.rstrip(".") for each in rerun.differences[:_MOST_DIFFERENCES]]
    return tr("L{number} re-run: {parts}.", number=rerun.number, parts="; ".join(parts))
