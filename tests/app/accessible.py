"""What a screen reader sees of a window: its elements by their names, roles and states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QDateTimeEdit,
    QHeaderView,
    QLabel,
    QMainWindow,
    QTableView,
    QTextBrowser,
    QTreeView,
    QWidget,
)

Role = QAccessible.Role
ROWS = {Role.Table, Role.Tree, Role.List}
"""Elements whose children are rows: data, which are named by what they hold."""
ACTED_ON = {
    Role.Button,
    Role.ButtonMenu,
    Role.ButtonDropDown,
    Role.CheckBox,
    Role.ComboBox,
    Role.EditableText,
    Role.PageTab,
    Role.RadioButton,
    Role.Slider,
    Role.SpinBox,
    Role.ProgressBar,
    *ROWS,
}


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the tree."""

    role: QAccessible.Role
    name: str
    value: str
    description: str
    focusable: bool
    visible: bool
    within: tuple[str, ...]
    """Classes of the widgets around it, outermost first."""
    widget: QWidget | None

    @property
    def acted_on(self) -> bool:
        """Whether the user does something with it."""
        return self.focusable or self.role in ACTED_ON

    def __str__(self) -> str:
        return f"{self.role.name} {self.name!r} of {' > '.join(self.within[-4:])}"


def elements(root: QWidget) -> Iterator[Element]:
    """Every element below a widget but those of other windows, and the rows of lists."""
    found = QAccessible.queryAccessibleInterface(root)
    assert found is not None
    yield from _below(found, root, ())


def _below(node: QAccessibleInterface, root: QWidget, within: tuple[str, ...]) -> Iterator[Element]:
    widget = node.object() if isinstance(node.object(), QWidget) else None
    if widget is not None and widget is not root and (widget.isWindow() or parked(widget)):
        return
    state, role = node.state(), node.role()
    within = (*within, type(widget).__name__) if widget is not None else within
    text = QAccessible.Text
    yield Element(
        role,
        _name(node),
        node.text(text.Value),
        node.text(text.Description),
        bool(state.focusable),
        not state.invisible,
        within,
        widget,
    )
    # The list that a combo box opens is its own, and rows are data.
    if role in {*ROWS, Role.ComboBox}:
        return
    for number in range(node.childCount()):
        child = node.child(number)
        if child is not None and child.isValid():
            yield from _below(child, root, within)


def parked(widget: QWidget) -> bool:
    """Whether a part of the main window is where Qt keeps what is not on the screen."""
    return isinstance(widget.parentWidget(), QMainWindow) and widget.visibleRegion().isEmpty()


def _name(node: QAccessibleInterface) -> str:
    """The name as it is announced: on Linux, that of a combo box is the label which it is related to."""
    labels = [
        other.text(QAccessible.Text.Name)
        for other, kind in node.relations()
        if kind & QAccessible.RelationFlag.Label
    ]
    return labels[0] if labels else node.text(QAccessible.Text.Name)


def nameless(root: QWidget) -> list[str]:
    """Elements to act on that have no name, or whose name is what they hold."""
    return [
        str(each)
        for each in elements(root)
        if each.visible
        and each.acted_on
        and (not each.name.strip() or (each.role is Role.ComboBox and each.name == each.value))
    ]


def nameless_columns(root: QWidget) -> list[str]:
    """Columns on the screen whose heading, often a sign or nothing, is announced as nothing."""
    found = []
    for view in root.findChildren(QAbstractItemView):
        header = _header(view)
        if header is None or not view.isVisible() or view.window() is not root.window():
            continue
        node = QAccessible.queryAccessibleInterface(view)
        assert node is not None
        names = [
            child.text(QAccessible.Text.Name)
            for number in range(min(node.childCount(), header.count() + 1))
            if (child := node.child(number)) is not None and child.role() is Role.ColumnHeader
        ]
        found += [
            f"column {place} of {told(view)}"
            for place, name in enumerate(names)
            if not header.isSectionHidden(place) and not header.isHidden() and not name.strip()
        ]
    return found


def _header(view: QAbstractItemView) -> QHeaderView | None:
    if isinstance(view, QTableView):
        return view.horizontalHeader()
    return view.header() if isinstance(view, QTreeView) else None


def doubles(root: QWidget) -> list[str]:
    """Elements to act on of a panel that no name or role tells apart."""
    count = Counter(
        (each.role, each.name)
        for each in elements(root)
        if each.visible and each.acted_on and each.role is not Role.PageTabList
    )
    return [f"{number} of {role.name} {name!r}" for (role, name), number in count.items() if number > 1]


def silent(root: QWidget) -> list[str]:
    """Painted widgets on the screen that don't say in words what they show."""
    return [
        str(each)
        for each in elements(root)
        if each.visible
        and each.widget is not None
        and any("paintEvent" in vars(kind) and _ours(kind) for kind in type(each.widget).__mro__)
        and not isinstance(each.widget, (QAbstractItemView, QLabel))
        and not (each.name and (each.description or ":" in each.name or each.role is not Role.Client))
    ]


def _ours(kind: type) -> bool:
    return kind.__module__.startswith("claimlight_workbench")


def walk_by_tab(start: QWidget, most: int = 200) -> list[QWidget]:
    """What gets the keys by Tab, from a widget until it is there again; a text that keeps Tab is a trap."""
    start.setFocus(Qt.FocusReason.TabFocusReason)
    found = [start]
    for _ in range(most):
        before = QApplication.focusWidget()
        assert before is not None
        QTest.keyClick(before, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        assert now is not None
        # In a page, Tab goes from link to link, in a date from day to month to year.
        within = isinstance(now, (QTextBrowser, QDateTimeEdit))
        assert now is not before or within, f"Tab does not leave {told(before)}"
        if now is start:
            return found
        if now is not before:
            found.append(now)
    raise AssertionError(f"Tab does not return to {told(start)}")


def out_of_order(stops: Sequence[QWidget], root: QWidget) -> list[str]:
    """Steps of Tab within a panel that go up or back in its layout."""
    inside = [each for each in stops if root.isAncestorOf(each)]
    return [
        f"{told(before)} before {told(after)}"
        for before, after in pairwise(inside)
        if not before.isAncestorOf(after) and _goes_back(_place(before, root), _place(after, root))
    ]


def _goes_back(before: QRect, after: QRect) -> bool:
    above = after.bottom() < before.top()
    if above:
        return after.left() <= before.right()
    beside = min(before.bottom(), after.bottom()) - max(before.top(), after.top())
    return beside > min(before.height(), after.height()) / 2 and after.right() < before.left()


def _place(widget: QWidget, root: QWidget) -> QRect:
    return QRect(widget.mapTo(root, QPoint(0, 0)), widget.size())


def told(widget: QWidget) -> str:
    """A widget in the message of a test."""
    return f"{type(widget).__name__} {widget.accessibleName() or getattr(widget, 'text', str)()!r}"
