"""The sentences of the findings; the window shows them translated."""

from __future__ import annotations

from collections.abc import Sequence

from claimlight.types import plural

REINSTALL_WHY = "A part of the program is missing or damaged."
REINSTALL = "Install Claimlight again, or ask your support person to do it."

NETWORK_WHY = "Nothing may leave this computer."
NETWORK_ADVICE = "Start the program by claimlight or claimlight-workbench, which switch the reports off."
PLUGINS_WHY = "The formats, rankers or models of this plug-in are missing."
PLUGINS_ADVICE = "Update or remove the plug-in."
SETTINGS_WHY = "Changed settings can't be saved."
SETTINGS_ADVICE = (
    "Ask for the right to write into this folder, or set CLAIMLIGHT_CONFIG_DIR to another folder."
)

SLOW_WHY = "Indexing and searching are slower on such a processor."
SLOW_ADVICE = "Use a computer whose processor has AVX2 for large libraries."

MEMORY_WHY = "If memory runs out, the computer becomes very slow, and a search or indexing can end early."
MEMORY_ADVICE = "Close other programs, or use a computer with more memory for this library."

SPACE_WHY = "If the disk is full, nothing more can be imported, indexed or saved."
SPACE_ADVICE = "Free some space on this disk, or move the library to another disk."

WRITE_WHY = "Nothing can be imported or indexed there; the library can only be searched."
WRITE_ADVICE = "Ask for the right to write into this folder, or copy the library to a folder of your own."
CASES_WHY = "Sets, categories and notes can't be saved."
CASES_ADVICE = "Ask for the right to write into this folder, or set CLAIMLIGHT_DATA_DIR to another folder."

SHARED_WHY = "A database on a network drive can be damaged if the connection breaks or two computers write."
SHARED_ADVICE = "Copy the library to a disk of this computer and open it there."
READ_ONLY_WHY = "Nothing can be imported or indexed on a disk that is read-only."
READ_ONLY_ADVICE = "Copy the library to another disk if you want to add documents to it."

ANSWER_WHY = "The model computes other vectors here than where it was made, so results are not reliable."
ANSWER_ADVICE = (
    "Install Claimlight again; if the finding stays, do not search on this computer and report it."
)

PARTS_WHY = "The window can't open on some desktops without them."
PARTS_ADVICE = "Have the system package installed that contains the library named here."

CLOCK_WHY = "Times in the history of a case and in reports are wrong if the clock is wrong."
CLOCK_ADVICE = "Set date and time of this computer."

FONTS_WHY = "Texts in these languages show boxes instead of letters."
FONTS_ADVICE = "Install a font for them, such as Noto Sans CJK for Chinese, Japanese and Korean."

SCREEN_WHY = "The window is made for 1366 × 768 or more; with less, lists and texts show only a few lines."
SCREEN_ADVICE = "Use a larger screen, or a smaller scale in the display settings of the system."


def has_instructions(kind: str) -> str:
    """All are there."""
    return f"processor {kind} has the instructions the encoder uses"


def lacks_instructions(kind: str, names: str) -> str:
    """Some are missing."""
    return f"processor {kind} lacks {names}"


def memory(free: str, total: str, needed: str) -> str:
    """Free, total, and what the library needs, in gigabytes."""
    return f"{free} GB free of {total} GB; the library needs about {needed} GB"


def space(free: str, folder: str) -> str:
    """Gigabytes that are free where a folder is."""
    return f"{free} GB free at {folder}"


def writable(folder: str) -> str:
    """It can be written to."""
    return f"the folder {folder} can be written to"


def not_writable(folder: str) -> str:
    """It can't."""
    return f"the folder {folder} can't be written to"


def local_disk(kind: str) -> str:
    """A disk of this computer."""
    return f"a disk of this computer ({kind})"


def network_disk(kind: str) -> str:
    """A disk of another computer."""
    return f"a network drive ({kind})"


def locked_disk(kind: str) -> str:
    """Mounted read-only."""
    return f"a disk that is read-only ({kind})"


def same_answer(cosine: str) -> str:
    """As recorded."""
    return f"as expected (minimum cosine {cosine})"


def other_answer(cosine: str) -> str:
    """Not as recorded."""
    return f"not as expected (minimum cosine {cosine})"


def no_answer() -> str:
    """Nothing is recorded."""
    return "the model in use has no recorded answer to compare with"


def parts_found() -> str:
    """All are there."""
    return "all system libraries are installed"


def part_missing(name: str) -> str:
    """A library of the system."""
    return f"the system library {name} is not installed"


def clock_right() -> str:
    """Nothing speaks against it."""
    return "agrees with the dates of the files"


def clock_early() -> str:
    """Before the program was installed."""
    return "is before the date of the program's own files"


def file_ahead() -> str:
    """A file of the user is dated in the future."""
    return "the library or the cases are dated in the future"


def fonts_found() -> str:
    """All are there."""
    return "every language of the library has a font"


def fonts_missing(languages: str) -> str:
    """Names of the languages."""
    return f"no installed font for {languages}"


def screen(width: str, height: str) -> str:
    """Logical pixels of the largest screen."""
    return f"{width} × {height}"


def python(version: str, system: str, cores: int) -> str:
    """What the program runs on."""
    return f"{version}, {system}, {plural(cores, 'core')}"


def network_silent() -> str:
    """Nothing reports."""
    return (
        "used only by `claimlight models add --from-hub` and for shared libraries that you open by their "
        "address; usage reports of libraries are switched off"
    )


def network_open(names: str) -> str:
    """Variables of the environment that keep libraries silent, and are not set."""
    return f"libraries may report usage to their makers: {names} not set"


def not_installed() -> str:
    """A package that is needed."""
    return "not installed"


def only_for_window() -> str:
    """A package that the command line does without."""
    return "not installed (only the window needs it)"


def two_runtimes(one: str, other: str) -> str:
    """Two distributions of one package, with their versions."""
    return (
        f"{one} and {other} overwrite each other: uninstall both, then install claimlight[cpu] or "
        "claimlight[gpu]"
    )


def full_text(version: str) -> str:
    """The database has it."""
    return f"SQLite {version} with FTS5"


def graph_works() -> str:
    """The compiled library runs here."""
    return "hnswlib works on this processor"


def model(fingerprint: str, dimensions: int, centers: int, device: str, note: str) -> str:
    """An encoder that was loaded; ``note``: a sentence about its device, or empty."""
    held = f"{fingerprint}, {plural(dimensions, 'dimension')}, all files match the manifest"
    return f"{held}; {plural(centers, 'center')}; {_runs_on(device)}.{note and f' {note}'}"


def _runs_on(device: str) -> str:
    return f"runs on {device}"


def files(count: int) -> str:
    """Number of files of the sample."""
    return plural(count, "file")


def plugins_off() -> str:
    """By a setting."""
    return "not loaded (setting plugins.load)"


def no_plugins() -> str:
    """There are none."""
    return "none installed"


REPORT = "Diagnostic report of Claimlight, made on"
REPORT_FOR = (
    "It is for the person who helps you with the program. Claimlight has sent it to nobody: you decide who "
    "gets this file."
)
REPORT_HOLDS = "It holds"
REPORT_NEVER = "It never holds"
REPORT_PLAIN = "All files are plain text. Open them with any editor to see what they hold."

PROGRAM_FILE = "versions of the program, its models and the packages it needs, with their licences"
COMPUTER_FILE = "operating system, processor, memory, disks and screens"
SETTINGS_FILE = "settings that differ from the default; of those that are texts, only that they do"
FINDINGS_FILE = "what the checks of this computer found, by subject, with figures"
LIBRARY_FILE = "sizes and counts of the library"
JOBS_FILE = "the last jobs: kind, duration, outcome and class of the error"
DEFECTS_FILE = "the last unexpected errors: class, and places in the program"

NEVER: Sequence[str] = (
    "claims, queries, texts of documents, notes",
    "publication numbers",
    "names of cases, sets, files, libraries, users and computers",
    "paths (where one would be, there is a name in angle brackets, such as <library>)",
    "messages of errors, since they may quote texts",
)
