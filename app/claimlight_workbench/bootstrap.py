"""The composition root: reads settings and session, builds engine, runner and window, and starts them."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QLibraryInfo, QLocale, Qt, QTimer, QTranslator
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QMessageBox

from claimlight import files, journal
from claimlight import settings as settings_module
from claimlight.errors import InputError
from claimlight.paths import DATA_VARIABLE, not_text
from claimlight.services.sharing.addresses import is_address, read_place
from claimlight_workbench import errors, language, opening, theme, ui_state
from claimlight_workbench.engine import Engine
from claimlight_workbench.jobs import collector
from claimlight_workbench.jobs.runner import JobRunner
from claimlight_workbench.joining import PLATFORM, Door, Reception, Request, has_display
from claimlight_workbench.main_window import MainWindow, panels
from claimlight_workbench.main_window.services import Services
from claimlight_workbench.screens.library.address import AddressDialog
from claimlight_workbench.widgets import motion

if TYPE_CHECKING:
    from types import TracebackType

    from claimlight_workbench.values import LibraryPlace

NO_DISPLAY = (
    "There is no display to open the window on. In the terminal, `claimlight` does the same "
    "(`claimlight demo`, `claimlight --help`), and `--screenshot FILE` saves a picture of the"
    " window."
)
PAINTED_MS = 30
"""The engine is loaded after the window has been painted: both at once would take turns."""
SCREENSHOT_TICK_MS = 200
# As many as one byte for each pixel can name.
_COLOURS = 256
_QUIET_TICKS = 4
"""The picture is taken after this many ticks without activity."""
_IDLE_TICKS = 25
"""If no search runs, as in a library without documents, the picture is taken after this many ticks."""


@dataclass(frozen=True, slots=True)
class Options:
    """The arguments of the command line."""

    path: str = ""
    """A library or a case book, by its file, its folder or its address; `opening` finds out which."""
    library: LibraryPlace | None = None
    like: str = ""
    line: str = ""
    panel: str = ""
    theme: str = ""
    language: str = ""
    screenshot: Path | None = None
    size: tuple[int, int] = (1600, 1000)


def parse(arguments: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(prog="claimlight-workbench", description="The Claimlight workbench.")
    parser.add_argument(
        "path",
        nargs="?",
        default="",
        metavar="PATH",
        help="library or case book to open: its folder, the database in it, or the address of a shared "
        "library",
    )
    parser.add_argument("--library", help="folder or address of the library to open")
    parser.add_argument("--like", default="", help="publication in it whose claims are examined")
    parser.add_argument("--line", default="", help="query line to run when the library is open")
    parser.add_argument(
        "--panel",
        choices=[panel.name for panel in panels.PANELS],
        default="",
        help="panel to bring to the front",
    )
    parser.add_argument("--theme", choices=("system", "light", "dark"), default="", help="colours")
    parser.add_argument(
        "--language", choices=("system", *language.LANGUAGES), default="", help="language of the window"
    )
    parser.add_argument(
        "--new-window", action="store_true", help="open a window beside one that is there already"
    )
    parser.add_argument("--screenshot", type=Path, help="save a picture of the window in this file and exit")
    parser.add_argument("--size", default="1600x1000", help="size of the screenshot, WIDTHxHEIGHT")
    if bad := not_text(arguments):
        parser.error(bad)
    found = parser.parse_args(arguments)
    width, _, height = found.size.partition("x")
    if not (width.isdigit() and height.isdigit()):
        parser.error(f"--size {found.size}: expected WIDTHxHEIGHT, such as 1600x1000")
    if found.path and found.library is not None:
        parser.error("give PATH or --library, not both")
    if found.like and found.library is None and not found.path:
        parser.error("--like names a document of a library: give --library too")
    library: str | None = found.library
    return Options(
        path=found.path,
        library=None if library is None else _read_place(parser, library),
        like=found.like,
        line=found.line,
        panel=found.panel,
        theme=found.theme,
        language=found.language,
        screenshot=found.screenshot,
        size=(int(width), int(height)),
    )


def _read_place(parser: argparse.ArgumentParser, text: str) -> LibraryPlace:
    try:
        return read_place(text)
    except InputError as error:
        parser.error(str(error))


def build(
    application: QApplication, options: Options, *, services: Services | None = None
) -> tuple[MainWindow, JobRunner]:
    """Create the window; nothing is opened yet."""
    loaded = settings_module.load()
    path = ui_state.session_path()
    session = ui_state.load(path)
    name = options.theme or (session.theme if session.theme != "system" else loaded.settings.window.theme)
    theme.apply(application, theme.find_theme(name))
    motion.set_reduced(loaded.settings.window.reduce_motion)
    if loaded.settings.window.text_scale != 1.0 and session.text_scale == 1.0:
        session = replace(session, text_scale=loaded.settings.window.text_scale)
    runner = JobRunner(application)
    window = MainWindow(
        services or Engine(loaded.settings), runner, session=replace(session, theme=name), path=path
    )
    if loaded.note:
        window.notices.status.showMessage(loaded.note)
    return window, runner


def run(arguments: Sequence[str], *, door: Door | None = None) -> int:
    """Start the workbench and return its exit code.

    Later starts come to ``door``; without one they find nobody here, and open windows of their own.
    """
    options = parse(arguments)
    if not has_display():
        if options.screenshot is None:
            _tell(NO_DISPLAY)
            return 1
        os.environ[PLATFORM] = "offscreen"
    # The first argument only: Qt would take options of its own from the others.
    application = cast("QApplication", QApplication.instance() or QApplication(sys.argv[:1]))
    application.setApplicationName("Claimlight")
    # The menu entry of the installers has this name; by it Wayland finds the icon of the window.
    QGuiApplication.setDesktopFileName("claimlight-workbench")
    _speak(application)
    try:
        options = _find_place(options)
    except InputError as error:
        return _refuse(error, alone=options.screenshot is not None)
    window, runner = build(application, options)
    collector.calm()
    _catch(window, alone=options.screenshot is not None)
    window.restorer.arrange()
    window.show()
    reopen = partial(window.restorer.reopen, library=options.library, like=options.like, line=options.line)
    QTimer.singleShot(PAINTED_MS, window, partial(window.wiring.case_list.start, reopen))
    reception = _receive(window, door) if door is not None and options.screenshot is None else None
    if options.panel:
        window.panels.raise_panel(options.panel)
    photographer: Photographer | None = None
    if options.screenshot is not None:
        window.resize(*options.size)
        # A window larger than its screen comes back smaller, and gives all it gains to the middle.
        QTimer.singleShot(0, window, window.panels.share_room)
        photographer = Photographer(window, runner, options.screenshot, panel=options.panel)
        photographer.start()
    else:
        window.wiring.health.check_first()
        window.wiring.checkups.begin(settings_module.load().settings.window.check_days)
    code = application.exec()
    if reception is not None:
        reception.close()
    return photographer.code if photographer is not None and not code else code


def _receive(window: MainWindow, door: Door) -> Reception:
    """Listen for later starts once the window has begun to open what the last session had."""
    reception = Reception(door, window)

    def take(request: Request) -> None:
        window.wiring.handed_over.take(request.library, request.like, request.token)

    reception.requested.connect(take)
    QTimer.singleShot(PAINTED_MS, reception, reception.open)
    return reception


def _find_place(options: Options) -> Options:
    """The options with the library of the path; of a case book elsewhere, its data folder is used."""
    if not options.path:
        return options
    if is_address(options.path):
        return replace(options, library=read_place(options.path))
    place = opening.find_place(Path(options.path))
    if place.data is not None:
        # Programs that the window starts, for imports and indexes, work on the same folder.
        os.environ[DATA_VARIABLE] = str(place.data)
    return replace(options, library=place.library)


def _refuse(error: InputError, *, alone: bool) -> int:
    """Say why nothing is opened, to a terminal and to someone who clicked on a file; the exit code."""
    _tell(str(error))
    if not alone:
        QMessageBox.warning(None, "Claimlight", str(error))
    return 1


def _tell(text: str) -> None:
    """Write to the terminal; on Windows a program without a console has none."""
    if sys.stderr is not None:
        sys.stderr.write(f"{text}\n")


def _speak(application: QApplication) -> None:
    """Have Qt's own texts, and its fields for numbers and dates, in the language of the window."""
    code = language.current()
    if QLocale.system().name().partition("_")[0] != code:
        QLocale.setDefault(QLocale(code))
    texts = QTranslator(application)
    if texts.load(QLocale(code), "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(texts)


class Photographer:
    """Waits until search, document and matches are shown, saves a picture of the window, and quits.

    Nobody can answer a message box or type a password then, so the text goes to stderr and the program ends
    without a picture.
    """

    def __init__(self, window: MainWindow, runner: JobRunner, target: Path, *, panel: str = "") -> None:
        self._window = window
        self._runner = runner
        self._target = target
        self._panel = panel
        """A panel that stays empty until it is opened."""
        self.code = 0
        """Exit code of the program."""
        self._quiet = self._idle = 0
        self._timer = QTimer(window)
        self._timer.setInterval(SCREENSHOT_TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Start waiting."""
        self._timer.start()

    def _tick(self) -> None:
        window = self._window
        box = window.findChild(QMessageBox) or window.findChild(AddressDialog)
        if box is not None:
            self._timer.stop()
            self.code = 1
            _tell(box.about.text() if isinstance(box, AddressDialog) else box.text())
            box.close()
            window.close()
            return
        busy = (
            self._runner.busy
            or window.do.library.working
            or window.do.evaluation.working
            or not window.see.reader.complete
        )
        busy = busy or bool(window.state.waiting_line)
        ready = window.board.links is not None or window.do.results.results is not None
        self._idle = 0 if busy else self._idle + 1
        ready = ready or self._idle > _IDLE_TICKS
        self._quiet = 0 if busy or not ready else self._quiet + 1
        if self._quiet == _QUIET_TICKS // 2 and window.board.shown_links:
            # A lit link shows what the window is for; pointing is what a mouse would do.
            link = window.board.shown_links[0]
            window.board.point_at_passage(link.passage, link.match.passage.start)
            if self._panel == "center" and window.do.inspector.seen is None:
                window.wiring.concepts.inspect_highlighted()
        if self._quiet > _QUIET_TICKS:
            self._timer.stop()
            self._target.parent.mkdir(parents=True, exist_ok=True)
            # Of a PNG, 0 is not its quality but the strongest compression.
            # A picture of the window shows an application: Qt would make it as open as the umask says.
            files.touch_private(self._target)
            _of_few_colours(window.grab().toImage()).save(str(self._target), quality=0)
            window.close()


def _of_few_colours(picture: QImage) -> QImage:
    """The picture reduced to its most frequent colours, which halves the file with no visible loss."""
    plain = picture.convertToFormat(QImage.Format.Format_RGB32)
    # Four bytes a pixel: lines of RGB32 have no padding.
    counted = Counter(memoryview(plain.constBits()).cast("I"))
    table = [colour for colour, _ in counted.most_common(_COLOURS)]
    return plain.convertToFormat(QImage.Format.Format_Indexed8, table, Qt.ImageConversionFlag.ThresholdDither)


def _catch(window: MainWindow, *, alone: bool = False) -> None:
    """Reports every exception that no presenter caught, once, as a defect.

    ``alone``: nobody can answer a message box, so the text goes to stderr and the program ends.
    """

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            QApplication.quit()
            return
        if alone:
            journal.keep_defect(error)
            sys.__excepthook__(kind, error, trace)
            QApplication.exit(1)
            return
        errors.show(window, error)

    sys.excepthook = hook
