"""One declaration for each command: it makes the menu entry, the key and the line on the key sheet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

DIGITS = range(1, 10)
GROUP = "group"
"""Property of an action: the menu it stands in, which is its group on the key sheet."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command; several keys may mean it."""

    menu: str
    text: str
    act: Callable[[], object]
    keys: tuple[str, ...] = ()
    checkable: bool = False
    separated: bool = False
    """A line stands above it in the menu."""


def install(window: QMainWindow, commands: list[Command]) -> dict[str, QAction]:
    """Make menus and actions; the result is by text."""
    menus: dict[str, QMenu] = {}
    actions: dict[str, QAction] = {}
    for command in commands:
        action = QAction(command.text, window)
        action.setShortcuts([QKeySequence(each) for each in command.keys])
        action.setCheckable(command.checkable)
        action.setProperty(GROUP, command.menu.partition("/")[0].replace("&", ""))
        action.triggered.connect(lambda _=False, act=command.act: act())
        window.addAction(action)
        actions[command.text] = action
        *path, _ = (*command.menu.split("/"), "")
        menu = _menu(window, menus, tuple(path))
        if command.separated:
            menu.addSeparator()
        menu.addAction(action)
    return actions


def place_menu(menu: QMenu, *, before: QAction) -> None:
    """Put a menu into the one that an action stands in, in front of it and of the line above it."""
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
