"""One declaration for each command: it creates menu entry, key and line in the list of shortcuts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from claimlight_workbench.language import english
from claimlight_workbench.widgets.key_sheet import GROUP, set_name

DIGITS = range(1, 10)
OF_FOLDER = "of_folder"
"""Property of actions, as in `Command`."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command; several keys may trigger it."""

    menu: str
    text: str
    act: Callable[[], object]
    keys: tuple[str, ...] = ()
    checkable: bool = False
    separated: bool = False
    """A separator is above it in the menu."""
    of_folder: bool = False
    """It works on the folder of a library, not on a shared one."""


def install(window: QMainWindow, commands: list[Command]) -> dict[str, QAction]:
    """Create menus and actions; returns the actions by their English text."""
    menus: dict[str, QMenu] = {}
    actions: dict[str, QAction] = {}
    for command in commands:
        action = QAction(command.text, window)
        action.setShortcuts([QKeySequence(each) for each in command.keys])
        action.setCheckable(command.checkable)
        action.setProperty(OF_FOLDER, command.of_folder)
        action.setProperty(GROUP, command.menu.partition("/")[0].replace("&", ""))
        # `triggered` says whether the action is checked, which no command wants to know.
        action.triggered.connect(lambda _=False, act=command.act: act())
        window.addAction(action)
        set_name(action, command.text)
        actions[english(command.text)] = action
        *path, _ = (*command.menu.split("/"), "")
        menu = _menu(window, menus, tuple(path))
        if command.separated:
            menu.addSeparator()
        menu.addAction(action)
    return actions


def place_menu(menu: QMenu, *, before: QAction) -> None:
    """Put a menu into that of an action, before the action and its separator."""
    for owner in before.associatedObjects():
        if isinstance(owner, QMenu):
            place = owner.actions().index(before)
            line = (
                owner.actions()[place - 1] if place and owner.actions()[place - 1].isSeparator() else before
            )
            owner.insertMenu(line, menu)


def _menu(window: QMainWindow, menus: dict[str, QMenu], path: tuple[str, ...]) -> QMenu:
    name = "/".join(path)
    if name not in menus:
        if len(path) == 1:
            menus[name] = window.menuBar().addMenu(path[0])
        else:
            menus[name] = _menu(window, menus, path[:-1]).addMenu(path[-1])
    return menus[name]
