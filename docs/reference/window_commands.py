"""Prints the commands of the window with their menus and keys as JSON; `generated_blocks.py` runs it.

A process of its own, because a window and its threads are not for the process that builds pages. Nothing is
opened, shown or saved.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from PySide6.QtWidgets import QApplication

from claimlight.settings import Settings
from claimlight_workbench.engine import Engine
from claimlight_workbench.jobs.runner import JobRunner
from claimlight_workbench.main_window import MainWindow
from claimlight_workbench.ui_state import Session
from claimlight_workbench.widgets.key_sheet import GROUP, keys_of, words_of


def main() -> None:
    """One list per command: menu, text, keys."""
    application = QApplication([])
    path = Path(tempfile.gettempdir()) / "session-that-is-never-written.json"
    window = MainWindow(Engine(Settings()), JobRunner(application), session=Session(), path=path)
    rows = [(each.property(GROUP), words_of(each), keys_of(each)) for each in window.actions()]
    sys.stdout.write(json.dumps(rows))
    sys.stdout.flush()
    os._exit(0)  # the window was never shown, so there is nothing to close


if __name__ == "__main__":
    main()
