"""The keys that the user has given to commands, in place of those the program comes with.

They are in a file of their own beside the settings, so that they survive the loss of a session. Only
commands whose keys were changed are in it; those the program no longer has stay there and mean nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeySequence

from claimlight import paths
from claimlight.errors import ResourceError
from claimlight.files import parse_json, write_atomically
from claimlight_workbench.language import tr
from claimlight_workbench.widgets.key_sheet import name_of

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QAction

_PORTABLE = QKeySequence.SequenceFormat.PortableText


def keys_path() -> Path:
    """Path of the file of changed keys."""
    return paths.config_dir() / "keys.json"


class Keys(QObject):
    """The keys of all commands; a key belongs to one command."""

    failed = Signal(object)
    """The `ResourceError` where changed keys can't be read or kept; they count until the window is closed."""

    def __init__(self, actions: Iterable[QAction], path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._actions = {name_of(action): action for action in actions}
        self._defaults = {name: tuple(action.shortcuts()) for name, action in self._actions.items()}
        self._changed: dict[str, list[str]] = {}

    def load(self) -> None:
        """Give the commands the keys that the user chose; a damaged file is reported and left as it is."""
        try:
            self._changed = _read(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            self.failed.emit(
                ResourceError(
                    tr("Your keys can't be read from {path}: {error}.", path=self._path, error=error)
                )
            )
            return
        for name, keys in self._changed.items():
            if name in self._actions:
                self._actions[name].setShortcuts([QKeySequence.fromString(key, _PORTABLE) for key in keys])

    def default(self, action: QAction) -> tuple[QKeySequence, ...]:
        """The keys that the program comes with."""
        return self._defaults[name_of(action)]

    def holder(self, key: QKeySequence, action: QAction) -> QAction | None:
        """The other command that has this key."""
        return next(
            (other for other in self._actions.values() if other is not action and key in other.shortcuts()),
            None,
        )

    def change(self, action: QAction, keys: Iterable[QKeySequence]) -> None:
        """Give a command these keys, and take them from the commands that had them."""
        chosen = list(dict.fromkeys(keys))
        for key in chosen:
            if (other := self.holder(key, action)) is not None:
                self._set(other, [each for each in other.shortcuts() if each != key])
        self._set(action, chosen)
        self._keep()

    def restore_all(self) -> None:
        """Give every command the keys that the program comes with."""
        for name, action in self._actions.items():
            action.setShortcuts(list(self._defaults[name]))
        self._changed = {}
        self._keep()

    def _set(self, action: QAction, keys: list[QKeySequence]) -> None:
        name = name_of(action)
        action.setShortcuts(keys)
        if tuple(keys) == self._defaults[name]:
            self._changed.pop(name, None)
        else:
            self._changed[name] = [key.toString(_PORTABLE) for key in keys]

    def _keep(self) -> None:
        body = json.dumps(self._changed, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, body)
        except OSError as error:
            self.failed.emit(
                ResourceError(
                    tr(
                        "Your keys can't be kept in {path}: {strerror}.",
                        path=self._path,
                        strerror=error.strerror,
                    )
                )
            )


def _read(text: str) -> dict[str, list[str]]:
    raw = parse_json(text)
    if not isinstance(raw, Mapping):
        raise ValueError("it does not hold commands and their keys")  # noqa: TRY004 - a file, no argument
    for name, keys in raw.items():
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            raise ValueError(f"{name!r} does not have a list of keys")
    return {str(name): list(keys) for name, keys in raw.items()}
