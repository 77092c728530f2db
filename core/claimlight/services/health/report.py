"""The diagnostic report: what a support person needs to know, and nothing of any application.

Everything in it is made of versions, figures, names of the program and classes of errors. No text that a user
wrote, chose or named is read for it: no claims, queries, documents, notes, numbers of publications, names of
cases, libraries, models, files or users, and no paths.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import psutil

from claimlight import codec, files, journal, paths
from claimlight import settings as settings_module
from claimlight.errors import AppError, ResourceError
from claimlight.index import manifest
from claimlight.machine import installed_cores, usable_cores
from claimlight.services.about import describe
from claimlight.services.cases.case_encryption import is_encrypted
from claimlight.services.health import checking, computer, words
from claimlight.services.library.library import Library
from claimlight.settings import Settings
from claimlight.tasks import TaskContext
from claimlight.types import LibraryInfo
from claimlight.types.about import About, LicenceGroup, ModelInUse
from claimlight.types.health import Finding, JobRun, ReportFile, WindowFacts

SCHEMA = "claimlight.diagnostics.1"
README = "README.txt"
_WORD = re.compile(r"[A-Za-z][A-Za-z _-]{0,40}")
"""What the name of a kind of job or of an error may be."""
_WIDTH = 100

_ABOUT = {
    "program.json": words.PROGRAM_FILE,
    "computer.json": words.COMPUTER_FILE,
    "settings.json": words.SETTINGS_FILE,
    "findings.json": words.FINDINGS_FILE,
    "library.json": words.LIBRARY_FILE,
    "jobs.json": words.JOBS_FILE,
    "defects.json": words.DEFECTS_FILE,
}


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the files are made of."""

    settings: Settings
    library: Library | None
    info: LibraryInfo | None
    about: About
    window: WindowFacts | None
    findings: tuple[Finding, ...]
    jobs: tuple[JobRun, ...]
    journal: journal.Journal


def gather(
    settings: Settings,
    library: Library | None,
    context: TaskContext,
    *,
    window: WindowFacts | None = None,
    jobs: Sequence[JobRun] = (),
    device: str = "",
    say: Callable[[str], str] = str,
) -> tuple[ReportFile, ...]:
    """The files of a report, to be shown before `write`; takes some seconds.

    ``jobs``: of this session of the window, besides those in the journal. ``device``: of the open encoder.
    ``say``: puts a sentence of the file that says what the report is into the language of the user, who has
    to understand it before giving it away; all other files are the same in every language.
    """
    info = None if library is None else library.info()
    folder = None if library is None else library.folder
    kept = journal.read()
    seen = _Seen(
        settings,
        library,
        info,
        describe(settings, library, device=device),
        window,
        tuple(checking.examine(settings, folder, info=info, window=window, context=context)),
        (*kept.jobs, *jobs),
        kept,
    )
    hidden = _placeholders(folder)
    made = []
    for name, body in _BODIES.items():
        context.check()
        content = {"schema": SCHEMA, **_hide(body(seen), hidden)}
        made.append(ReportFile(name, _ABOUT[name], json.dumps(content, indent=2, ensure_ascii=False) + "\n"))
    return (ReportFile(README, "what this report is", _readme(made, say)), *made)


def write(report: Iterable[ReportFile], path: Path) -> None:
    """Write a report as a zip file, replacing an older one; `ResourceError` if it can't be written."""
    try:
        with files.open_atomically(path, files.Access.AS_BEFORE) as stream, ZipFile(stream, "w") as archive:
            for each in report:
                # With a fixed date: neither the time of the disk nor the rights of a file are told.
                entry = ZipInfo(each.name)
                entry.compress_type = ZIP_DEFLATED
                archive.writestr(entry, each.text.encode())
    except OSError as error:
        raise ResourceError(f"{path} can't be written: {error.strerror or error}.") from error


def _program(seen: _Seen) -> dict[str, Any]:
    about = seen.about
    window = {} if seen.window is None else {"qt": seen.window.qt, "platform": seen.window.platform}
    return {
        "version": about.version,
        "device": about.device,
        "parts": {each.name: each.version for each in about.parts},
        "window": window,
        "models": {
            "encoder": _model(about.encoder),
            "judge": _model(about.judge),
            "second_judge": _model(about.second_judge),
            "classifier": _model(about.classifier),
        },
        "packages": [
            {"name": each.name, "version": each.version, "licence": each.licence}
            for each in about.licences
            if each.group is LicenceGroup.LIBRARY
        ],
    }


def _model(model: ModelInUse | None) -> dict[str, Any] | None:
    """A model that ships by its name; one of the user's own has a name that the user chose."""
    if model is None:
        return None
    name = model.name if _ships(model.name) else "<own model>"
    return {"name": name, "fingerprint": model.fingerprint.rpartition("-")[2], "dimensions": model.dim}


def _ships(name: str) -> bool:
    for path in paths.shipped_models_dir().glob("*/manifest.json"):
        try:
            raw = files.parse_json(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(raw, dict) and f"{raw.get('id', '')} {raw.get('version', '')}" == name:
            return True
    return False


def _computer(seen: _Seen) -> dict[str, Any]:
    memory = psutil.virtual_memory()
    name, lacking = computer.processor()
    disk = computer.find_disk(
        computer.nearest(paths.libraries_dir() if seen.library is None else seen.library.folder)
    )
    window = seen.window
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "processor": name,
        "lacking": sorted(lacking),
        "cores": installed_cores(),
        "usable_cores": usable_cores(),
        "memory_bytes": int(memory.total),
        "memory_free_bytes": int(memory.available),
        "disk": {"kind": disk.kind, "network": disk.network, "read_only": disk.read_only},
        "screens": [] if window is None else [codec.plain(each) for each in window.screens],
        "text_scale": 1.0 if window is None else window.text_scale,
        "cases": {"encrypted": is_encrypted()},
    }


def _settings(seen: _Seen) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for item in settings_module.list_declared():
        value = settings_module.get(seen.settings, item.key)
        if value == item.default:
            continue
        told = isinstance(value, bool | int | float) or value in item.choices
        changed[item.key] = value if told else "<text>"
    return {"changed": changed}


def _findings(seen: _Seen) -> dict[str, Any]:
    """Without the sentences: they name folders, and quote errors."""
    return {
        "findings": [
            {
                "subject": each.subject,
                "level": each.level.value,
                "figures": dict(each.figures),
                "error": _word(each.error),
            }
            for each in seen.findings
        ]
    }


def _library(seen: _Seen) -> dict[str, Any]:
    if seen.library is None or seen.info is None or seen.about.library is None:
        return {"open": False}
    info, folder = seen.info, seen.library.folder
    return {
        "open": True,
        "read_only": info.read_only,
        "schema_version": seen.about.library.schema,
        "documents": info.documents,
        "passages": info.passages,
        "families": info.families,
        "quarantined": info.quarantined,
        "languages": {name or "?": count for name, count in info.languages},
        "textless": info.textless,
        "indexed": info.indexed_documents,
        "claims_only": info.claims_only,
        "indexing": info.indexing,
        "index": _index(folder),
        "bytes": info.bytes,
        "free_bytes": shutil.disk_usage(folder).free,
    }


def _index(folder: Path) -> dict[str, Any] | None:
    """The live commit; None if there is none, or it is damaged."""
    try:
        pointer = manifest.read_pointer(folder / "index")
        live = None if pointer is None else manifest.read(folder / "index", pointer)
    except AppError:
        return None
    if live is None:
        return None
    return {
        "commit": live.commit,
        "format": live.format,
        "dimensions": live.dim,
        "centers": live.centers,
        "segments": [
            {
                "documents": each.documents,
                "passages": each.passages,
                "postings": each.postings,
                "bytes": each.bytes,
            }
            for each in live.segments
        ],
        "removed": len(live.dead),
        "skipped": len(live.skipped),
        "graph_bytes": 0 if live.graph is None else live.graph.file.bytes,
    }


def _jobs(seen: _Seen) -> dict[str, Any]:
    return {
        "jobs": [
            {**codec.plain(each), "kind": _word(each.kind), "error": _word(each.error)} for each in seen.jobs
        ]
    }


def _defects(seen: _Seen) -> dict[str, Any]:
    return {"defects": [{**codec.plain(each), "error": _word(each.error)} for each in seen.journal.defects]}


_BODIES: dict[str, Callable[[_Seen], dict[str, Any]]] = {
    "program.json": _program,
    "computer.json": _computer,
    "settings.json": _settings,
    "findings.json": _findings,
    "library.json": _library,
    "jobs.json": _jobs,
    "defects.json": _defects,
}


def _word(text: str) -> str:
    """The name of a kind; anything else could be a text."""
    return text if not text or _WORD.fullmatch(text) else "<other>"


def _placeholders(library: Path | None) -> dict[str, str]:
    """What stands for a folder; nothing in the report should name one, and this is the second lock."""
    known = {
        library: "<library>",
        paths.data_dir(): "<data>",
        paths.config_dir(): "<settings>",
        Path.home(): "<home>",
    }
    found: dict[str, str] = {}
    for path, name in known.items():
        if path is not None and path != Path(path.anchor):
            found |= {str(path): name, str(path.resolve()): name}
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


def _hide(value: Any, hidden: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for text, name in hidden.items():
            value = value.replace(text, name)
        return value
    if isinstance(value, Mapping):
        return {_hide(key, hidden): _hide(item, hidden) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_hide(item, hidden) for item in value]
    return value


def _readme(made: Sequence[ReportFile], say: Callable[[str], str]) -> str:
    listed = "\n".join(f"  {each.name:15}{say(each.about)}" for each in made)
    never = "\n".join(f"  * {say(each)}" for each in words.NEVER)
    return (
        f"{say(words.REPORT)} {datetime.now(UTC):%Y-%m-%d %H:%M} UTC.\n\n"
        f"{fill(say(words.REPORT_FOR), _WIDTH)}\n\n"
        f"{say(words.REPORT_HOLDS)}\n\n"
        f"{listed}\n\n"
        f"{say(words.REPORT_NEVER)}\n\n"
        f"{never}\n\n"
        f"{fill(say(words.REPORT_PLAIN), _WIDTH)}\n"
    )
