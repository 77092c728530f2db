"""Checks of this installation: one finding for each part that could be missing or damaged."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import claimlight
from claimlight import paths, plugins
from claimlight.encoders import Encoder, ModelPackage, probes
from claimlight.encoders.session import NO_RUNTIME
from claimlight.errors import AppError, ResourceError
from claimlight.formats import plugin_faults
from claimlight.index import compiled
from claimlight.machine import usable_cores
from claimlight.services.health import words
from claimlight.settings import Settings
from claimlight.types.about import RUNTIMES
from claimlight.types.health import Finding, Subject

PACKAGES = (
    "numpy",
    "tokenizers",
    "hnswlib",
    "SQLAlchemy",
    "alembic",
    "lxml",
    "typer",
    "rich",
    "PySide6_Essentials",
)
_REMOTE = "AzureExecutionProvider"
"""Every wheel has it; it would ask a service on the network, and the program never names it."""
OPTIONAL = {"PySide6_Essentials"}
_REMEDIES = {
    "network": (words.NETWORK_WHY, words.NETWORK_ADVICE),
    "plug-ins": (words.PLUGINS_WHY, words.PLUGINS_ADVICE),
    "settings folder": (words.SETTINGS_WHY, words.SETTINGS_ADVICE),
    "data folder": (words.CASES_WHY, words.CASES_ADVICE),
}
"""Why a fault matters and what to do; for the others: install again."""


def examine(settings: Settings) -> Iterator[Finding]:
    """Check the installation; a fault of one part never hides the next."""
    for found in _examine(settings):
        if found.ok or found.advice:
            yield found
        else:
            why, advice = _REMEDIES.get(found.subject, (words.REINSTALL_WHY, words.REINSTALL))
            yield replace(found, why=why, advice=advice)


def _examine(settings: Settings) -> Iterator[Finding]:
    yield Finding("Python", words.python(platform.python_version(), platform.platform(), usable_cores()))
    for name in PACKAGES:
        yield _package(name)
    yield _kernels()
    yield _runtime()
    for subject, look in _LOOKS:
        yield _try(subject, look, settings)
    yield from _model(settings)
    for subject, folder in (
        ("settings folder", paths.config_dir()),
        ("data folder", paths.data_dir()),
    ):
        yield _writable(subject, folder)
    yield _network()


def _network() -> Finding:
    """Whether the libraries used are kept from reporting over the network."""
    talking = [name for name, wanted in claimlight.SILENT.items() if os.environ.get(name) != wanted]
    if talking:
        return Finding("network", words.network_open(", ".join(talking)), ok=False)
    return Finding("network", words.network_silent())


def _package(name: str) -> Finding:
    if found := _version(name):
        return Finding(name, found)
    optional = name in OPTIONAL
    return Finding(name, words.only_for_window() if optional else words.not_installed(), ok=optional)


def _kernels() -> Finding:
    """The inner loops: compiled with the program, or by numba."""
    if not compiled.is_there():
        return _package("numba")
    try:
        return Finding("kernels", f"compiled for {compiled.loaded().level}")
    except AppError as error:
        return Finding("kernels", str(error), ok=False, error=type(error).__name__)


def _runtime() -> Finding:
    """Exactly one of the two distributions of ONNX Runtime: both install the same import package."""
    found = [f"{name} {versions}" for name in RUNTIMES if (versions := _version(name))]
    match found:
        case []:
            return Finding("onnxruntime", NO_RUNTIME, ok=False)
        case [one]:
            return Finding("onnxruntime", one)
        case [one, *others]:
            return Finding("onnxruntime", words.two_runtimes(one, ", ".join(others)), ok=False)
        case _:
            raise AssertionError(found)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _try(subject: str, look: Callable[[Settings], str], settings: Settings) -> Finding:
    try:
        return Finding(subject, look(settings))
    except (AppError, ImportError, OSError, sqlite3.Error) as error:
        return Finding(subject, str(error), ok=False, error=type(error).__name__)


def _full_text(_: Settings) -> str:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'porter unicode61')")
    return words.full_text(sqlite3.sqlite_version)


def _graph(_: Settings) -> str:
    import hnswlib

    index = hnswlib.Index(space="ip", dim=2)
    index.init_index(max_elements=1)
    return words.graph_works()


def _providers(_: Settings) -> str:
    import onnxruntime

    return ", ".join(each for each in onnxruntime.get_available_providers() if each != _REMOTE)


def _model(settings: Settings) -> Iterator[Finding]:
    """Whether the model can be loaded, and computes here what it computed where it was made."""
    from claimlight.services.models.encoding_stack import open_encoding_stack

    subject = "model package"
    try:
        stack = open_encoding_stack(settings)
        encoder, vocabulary = stack.encoder, stack.vocabulary
        yield Finding(
            subject,
            words.model(encoder.fingerprint, encoder.dim, len(vocabulary), encoder.device, encoder.note),
        )
        subject = Subject.ANSWER
        yield _answer(settings, encoder)
    except (AppError, ImportError, OSError) as error:
        yield Finding(subject, str(error), ok=False, error=type(error).__name__)


def _answer(settings: Settings, encoder: Encoder) -> Finding:
    package = ModelPackage.resolve(settings.encoder.package)
    if encoder.fingerprint != package.manifest.fingerprint or not probes.has_record(package):
        return Finding(Subject.ANSWER, words.no_answer())
    cosine = probes.least_cosine(package, encoder)
    figures = {"cosine": round(cosine, 6)}
    if cosine >= probes.AGREEMENT:
        return Finding(Subject.ANSWER, words.same_answer(f"{cosine:.6f}"), figures=figures)
    return Finding(
        Subject.ANSWER,
        words.other_answer(f"{cosine:.6f}"),
        ok=False,
        why=words.ANSWER_WHY,
        advice=words.ANSWER_ADVICE,
        figures=figures,
    )


def _sample(_: Settings) -> str:
    folder = paths.resources() / "sample" / "xml"
    count = sum(1 for _ in folder.rglob("*.xml"))
    if not count:
        raise FileNotFoundError(f"no sample files in {folder}")
    return words.files(count)


def _plugins(_: Settings) -> str:
    """The plug-ins found; a broken one is a fault of the installation."""
    if not plugins.may_load():
        return words.plugins_off()
    found = [plugins.load_group(group) for group in plugins.Group]
    if faults := plugin_faults():
        raise ResourceError(" ".join(faults))
    names = [f"{item.name} ({item.distribution})" for each in found for item in each.plugins]
    return ", ".join(names) or words.no_plugins()


_LOOKS: tuple[tuple[str, Callable[[Settings], str]], ...] = (
    ("full text", _full_text),
    ("dense graph", _graph),
    ("ONNX providers", _providers),
    ("sample library", _sample),
    ("plug-ins", _plugins),
)


def _writable(subject: str, folder: Path) -> Finding:
    # The program makes its folders when it needs them; until then a parent decides.
    nearest = next((item for item in (folder, *folder.parents) if item.exists()), folder)
    ok = os.access(nearest, os.W_OK)
    return Finding(subject, str(folder) if ok else f"{folder} can't be written to", ok=ok)
