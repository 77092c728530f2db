"""``watch``: a folder whose files are taken into a library as they arrive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.cli.commands import ColumnsFile, LibraryFolder, front_of, load_settings
from core.cli.library_commands import tell_import
from core.errors import TaskCancelled
from core.services import watching


def watch_command(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where patent files arrive.")],
    library: LibraryFolder,
    once: Annotated[bool, typer.Option("--once", help="Take what is there and end: for cron.")] = False,
    every: Annotated[
        float, typer.Option("--every", min=0.1, help="Seconds between two looks at the folder.")
    ] = watching.EVERY_SECONDS,
    quiet: Annotated[
        float, typer.Option("--quiet", min=0.0, help="Seconds for which a file must not have changed.")
    ] = watching.QUIET_SECONDS,
    columns: ColumnsFile = None,
) -> None:
    """Take the files of a folder into a library when they have stopped growing, until Ctrl+C.

    A file that changes later is read again; what was taken is not taken twice.
    """
    front = front_of(context)
    task = watching.Watch(folder, library, every, quiet, columns)
    settings = load_settings(front)
    if not once:
        front.say(f"Watching {folder}; Ctrl+C ends it.")
    try:
        with front.working() as work:
            for report in watching.watch(task, work, settings, once=once):
                front.report(report)
                tell_import(front, report)
    except TaskCancelled:
        if once:
            raise
        front.say("Stopped watching. What was committed is kept; the same command goes on from there.")
