"""The window on a large library: its own work during import and search, while flipping, and until it is up.

    python -m bench.large_window --folder WORK [--documents 100000] [--out FILE]

Three processes, one after the other: an import of invented documents through the window; the first window
of that library, until it has painted; searches and flips in it. The documents are applications of the shared
data used several times over (`bench.keyword_search`), with five claims, four paragraphs and one word in forty
changed. Encoding them takes hours, and a search does not ask whose vectors it reads: every passage gets those
of a passage of the sample library of about its length (`bench.grown_index`), so which documents are found
means nothing, and all else is that of an index.

A stretch is what the window's thread works between two waits for events, in processor time: for so long a
key has to wait. The most frequent places in the longest are named, sampled by a timer of processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

if TYPE_CHECKING:
    from claimlight_workbench.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[1]
CLAIMS = 5
PARAGRAPHS = 4
PATIENCE = 3600.0
"""Seconds until a window that never settles is given up."""
SHORT = 0.001
"""Seconds; less is no work, and would hide what is in the percentiles."""
LONG = 0.03
"""Seconds of work from which on places are sampled."""
LINES = ("damper$2 SAME valve$1", "(damper OR absorber) AND coil$1", "shock NEAR5 sensor AND spring")


def write_documents(folder: Path, documents: int) -> list[Path]:
    """Invented applications, ten thousand a file."""
    from bench.keyword_search import SOURCE, applications, changed

    records = [
        record
        | {"claims": record["claims"][:CLAIMS], "description": _paragraphs(record["description"], PARAGRAPHS)}
        for record in applications(SOURCE)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for begin in range(0, documents, 10_000):
        paths.append(folder / f"documents-{begin:07d}.jsonl")
        with paths[-1].open("w", encoding="utf-8") as stream:
            for at in range(begin, min(begin + 10_000, documents)):
                turn, number = divmod(at, len(records))
                stream.write(json.dumps(changed(records[number], turn, number)) + "\n")
    return paths


def _paragraphs(text: str, many: int) -> str:
    return "\n".join([each for each in text.split("\n") if len(each) > 100][:many])


class Stretches:
    """Every stretch of work of this thread between two waits for events, and where the long ones were."""

    def __init__(self) -> None:
        from PySide6.QtCore import QAbstractEventDispatcher

        self.seconds: list[float] = []
        self.places: Counter[str] = Counter()
        self.longest = 0.0
        self.longest_at = ""
        self._here: list[str] = []
        self._since = time.thread_time()
        # While it waits it does not work, so there is nothing to begin.
        QAbstractEventDispatcher.instance().aboutToBlock.connect(self._end)
        # The handler runs in this thread, between two instructions of Python.
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)

    def _end(self) -> None:
        spent = time.thread_time() - self._since
        if spent > SHORT:
            self.seconds.append(spent)
        if spent > LONG:
            self.places.update(set(self._here))
        if spent > self.longest:
            self.longest, self.longest_at = (
                spent,
                Counter(self._here).most_common(1)[0][0] if self._here else "",
            )
        self._here.clear()
        self._since = time.thread_time()

    def _sample(self, _signal: int, frame: FrameType | None) -> None:
        if time.thread_time() - self._since < LONG / 3:
            return
        found = []
        while frame is not None and len(found) < 4:
            name = Path(frame.f_code.co_filename)
            if "claimlight" in str(name) and name != Path(__file__):
                found.append(f"{name.parent.name}/{name.stem}.{frame.f_code.co_name}")
            frame = frame.f_back
        self._here.append(" < ".join(found))

    def take(self) -> dict[str, object]:
        """Figures in milliseconds; nothing is sampled any more."""
        spent = 1e3 * np.array(self.seconds)
        found: dict[str, object] = {
            "stretches": len(spent),
            **{f"p{share}_ms": round(float(np.percentile(spent, share)), 1) for share in (50, 95, 99)},
            "over_50_ms": int((spent > 50).sum()),
            "longest_ms": round(float(spent.max()), 1),
            "longest_at": self.longest_at,
            "places": dict(self.places.most_common(8)),
        }
        signal.setitimer(signal.ITIMER_PROF, 0)
        return found


class Examiner:
    """Acts on a window and waits until it has answered."""

    def __init__(self, library: Path) -> None:
        from PySide6.QtCore import QTimer
        from PySide6.QtWidgets import QApplication

        from claimlight_workbench import bootstrap
        from claimlight_workbench.jobs import collector

        self.application = cast("QApplication", QApplication.instance() or QApplication(sys.argv[:1]))
        window, _ = bootstrap.build(self.application, bootstrap.Options())
        self.window: MainWindow = window
        collector.calm()
        window.restorer.arrange()
        window.resize(1600, 1000)
        window.show()
        QTimer.singleShot(bootstrap.PAINTED_MS, lambda: window.restorer.reopen(library=library))

    def wait(self, seconds: float) -> None:
        """Do nothing for a while."""
        from PySide6.QtCore import QEventLoop, QTimer

        loop = QEventLoop()
        QTimer.singleShot(int(1000 * seconds), loop.quit)
        loop.exec()

    def rest(self) -> None:
        """Until nothing runs, nothing is being written and no row waits to be opened."""
        begun, window, quiet = time.monotonic(), self.window, -5
        while quiet < 4:
            self.wait(0.04)
            busy = (
                window._runner.busy
                or window.do.library.working is not None
                or not window.see.reader.complete
                or window.see.results._opening.isActive()
            )
            quiet = 0 if busy else quiet + 1
            if time.monotonic() - begun > PATIENCE:
                raise SystemExit("The window does not come to rest.")


def run_import(library: Path, documents: Path) -> dict[str, object]:
    """Import through the window; after the first file the user pages through lists and runs query lines."""
    from PySide6.QtCore import QEventLoop, Qt, QTimer
    from PySide6.QtTest import QTest

    user = Examiner(library)
    user.rest()
    window, table, turns = user.window, user.window.see.results.table, iter(range(1_000_000))
    files = sorted(documents.glob("*.jsonl"))
    window.do.library.import_paths(files[:1], index=False)
    user.rest()
    window.do.query.take_from(_publications(library, 1)[0])
    user.rest()

    def act() -> None:
        turn = next(turns)
        if turn % 20 == 0:
            window.do.expression.run(LINES[turn // 20 % len(LINES)])
        elif turn % 20 == 10:
            window.acts.run()
        else:
            QTest.keyClick(table, Qt.Key.Key_Down)

    meter = Stretches()
    begun = time.perf_counter()
    window.do.library.import_paths(files[1:], index=False)
    acting = QTimer()
    acting.timeout.connect(act)
    acting.start(1000)
    while window.do.library.working is not None:
        user.application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    acting.stop()
    user.rest()
    found = meter.take() | {"seconds": round(time.perf_counter() - begun, 1), "actions": next(turns)}
    window.close()
    return found


def run_start(library: Path) -> dict[str, object]:
    """Seconds from the start of the process to the painted window, and until the library is open."""
    from PySide6.QtCore import QEventLoop

    user = Examiner(library)
    user.application.processEvents()
    up, cpu = _now() - _started(), time.process_time()
    while user.window.do.library.info is None:
        user.application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    opened = _now() - _started()
    user.rest()
    user.window.close()
    return {"up_seconds": round(up, 2), "up_cpu": round(cpu, 2), "opened_seconds": round(opened, 2)}


def _started() -> float:
    """When this process began, on the clock of `_now`."""
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    return ticks / os.sysconf("SC_CLK_TCK")


def _now() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def run_search(library: Path, flips: int, searches: int, pause: float) -> dict[str, object]:
    """Search and flip; `pause` seconds after the last one was shown comes the next."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    user = Examiner(library)
    user.rest()
    window = user.window
    table = window.see.results.table
    first = _publications(library, searches)
    window.do.query.take_from(first[0])
    user.rest()
    meter = Stretches()
    report: dict[str, object] = {}
    flipped: list[float] = []
    work: list[float] = []
    for number, publication in enumerate(first):
        window.do.query.take_from(publication)
        user.rest()
        window.acts.run()
        user.rest()
        table.setFocus()
        for _ in range(flips):
            user.wait(pause)
            before, begun = time.thread_time(), time.perf_counter()
            _flip(user)
            flipped.append(1e3 * (time.perf_counter() - begun))
            work.append(1e3 * (time.thread_time() - before))
        editor = window.see.expression.editor
        editor.show_text("")
        editor.setFocus()
        QTest.keyClicks(editor, LINES[number % len(LINES)])
        QTest.keyClick(editor, Qt.Key.Key_Return)
        user.rest()
    report["stretches"] = meter.take()
    for name, values in (("flip_ms", flipped), ("flip_cpu_ms", work)):
        report[name] = {f"p{share}": round(float(np.percentile(values, share)), 1) for share in (50, 95, 99)}
    report["flips"] = len(flipped)
    window.close()
    return report


def _flip(user: Examiner) -> None:
    """Press Down and wait until the document of the row is shown."""
    from PySide6.QtCore import QEventLoop, Qt, QTimer
    from PySide6.QtTest import QTest

    window, table = user.window, user.window.see.results.table
    loop, looking = QEventLoop(), QTimer()
    began = time.monotonic()

    def look() -> None:
        view = window.do.reader.view
        shown = view is not None and str(view.summary.publication) == window.see.results.current_name()
        if (shown and window.see.reader.complete) or time.monotonic() - began > 10:
            loop.quit()

    looking.timeout.connect(look)
    looking.start(2)
    QTimer.singleShot(0, lambda: QTest.keyClick(table, Qt.Key.Key_Down))
    loop.exec()


def _publications(library: Path, many: int) -> list[str]:
    from claimlight.services.library.library import Library

    with Library.open(library) as opened, opened.store.read() as connection:
        rows = connection.exec_driver_sql("SELECT publication FROM document ORDER BY id").all()
    drawn = np.random.default_rng(7).permutation(len(rows))[:many]
    return [rows[at][0] for at in drawn]


def fill_index(library: Path, folder: Path) -> dict[str, float]:
    """Write the index with vectors of the sample library."""
    from bench.grown_index import Pool, fill
    from claimlight.services import sample
    from claimlight.services.library.library import Library

    sample.provide(folder / "sample")
    with Library.open(folder / "sample") as source:
        pool = Pool(source, each=1)
    with Library.open(library) as opened:
        return fill(opened, pool)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--flips", type=int, default=40)
    parser.add_argument("--searches", type=int, default=8)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds before each flip")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--part", choices=("import", "index", "start", "search"))
    given = parser.parse_args()
    library, documents = given.folder / "library", given.folder / "documents"
    if given.part:
        parts = {
            "import": lambda: run_import(library, documents),
            "index": lambda: fill_index(library, given.folder),
            "start": lambda: run_start(library),
            "search": lambda: run_search(library, given.flips, given.searches, given.pause),
        }
        print(json.dumps(parts[given.part]()))
        return
    report: dict[str, object] = {"documents": given.documents}
    if not documents.exists():
        write_documents(documents, given.documents)
    wanted = ["start", "search"] if (library / "index").exists() else ["import", "index", "start", "search"]
    home = {f"XDG_{name}_HOME": str(given.folder / "home") for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    for part in wanted:
        command = [sys.executable, "-m", "bench.large_window", "--folder", str(given.folder), "--part", part]
        command += ["--flips", str(given.flips), "--searches", str(given.searches)]
        command += ["--pause", str(given.pause)]
        answer = subprocess.check_output(command, cwd=ROOT, env=os.environ | home, text=True)
        report[part] = json.loads(answer.splitlines()[-1])
        print(json.dumps({part: report[part]}, indent=1), flush=True)
    if given.out:
        given.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
