"""Folders of the user, and of the shipped resources, for source trees, installations and bundles."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import platformdirs

DATA_VARIABLE = "CLAIMLIGHT_DATA_DIR"
# Without appauthor=False, Windows would get a folder named after an author: claimlight\claimlight.
_DIRS = platformdirs.PlatformDirs("claimlight", appauthor=False)


def _overridden(variable: str, default: Path) -> Path:
    value = os.environ.get(variable)
    return Path(value).expanduser() if value else default


def resources() -> Path:
    """Folder of the shipped models and the sample library.

    Inside the package where it is installed or frozen; a source tree keeps it beside ``core`` and ``app``.
    """
    package = Path(__file__).resolve().parent
    installed = package / "resources"
    return installed if installed.is_dir() else package.parents[1] / "resources"


def shipped_models_dir() -> Path:
    """Folder of the model packages shipped with the program."""
    return resources() / "models"


def manual() -> Path:
    """Folder of the pages and pictures of the manual, as in ``docs`` of a source tree.

    The build copies what the manual needs of that folder beside the other resources.
    """
    shipped = resources() / "manual"
    return shipped if shipped.is_dir() else Path(__file__).resolve().parents[2] / "docs"


def config_dir() -> Path:
    """Folder of the settings file; ``CLAIMLIGHT_CONFIG_DIR`` overrides it."""
    return _overridden("CLAIMLIGHT_CONFIG_DIR", _DIRS.user_config_path)


def data_dir() -> Path:
    """Folder of libraries, cases, classes and installed models; ``CLAIMLIGHT_DATA_DIR`` overrides it."""
    return _overridden(DATA_VARIABLE, _DIRS.user_data_path)


def cases_dir() -> Path:
    """Folder of the examiner's own work."""
    return data_dir() / "Cases"


def libraries_dir() -> Path:
    """Default folder of libraries."""
    return data_dir() / "Libraries"


def classes_dir() -> Path:
    """Folder of the imported editions of CPC and IPC."""
    return data_dir() / "Classes"


def models_dir() -> Path:
    """Folder of model packages the user installed."""
    return data_dir() / "Models"


def incoming_dir() -> Path:
    """Folder of models being downloaded or installed; an interrupted download resumes from it."""
    return data_dir() / "Incoming"


def path_text(path: str | Path) -> str:
    """A path or argument as text; a byte that is not UTF-8 becomes a backslash, x and two digits."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def not_text(arguments: Sequence[str]) -> str:
    """Why the first argument with bytes that are not UTF-8 is refused; empty if there is none."""
    for argument in arguments:
        if path_text(argument) != argument:
            text = path_text(argument)
            return f"The argument {text} is not UTF-8. Rename the file, or write the text in UTF-8."
    return ""
