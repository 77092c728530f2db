"""The settings dialog."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from claimlight import paths
from claimlight import settings as settings_module
from claimlight.settings import Declared, Settings, list_declared
from claimlight_workbench import design
from claimlight_workbench.language import tr
from claimlight_workbench.widgets.clearable import make_clearable
from claimlight_workbench.widgets.setting_editor import OF_POINTS, POINTS, make_editor
from claimlight_workbench.widgets.tab_order import OrderedDialog


class SettingsDialog(OrderedDialog):
    """Settings with their help; nothing changes before it is saved."""

    saved = Signal(dict)
    """Changed values by key."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Find a setting"))
        self.search.setAccessibleName(tr("Find a setting"))
        make_clearable(self.search)
        self.rows = {
            item.key: _Row(item, settings_module.get(settings, item.key)) for item in listed_settings()
        }
        self.none = QLabel(tr("No setting listed here matches these words."))
        self.none.setObjectName("muted")
        self.none.hide()
        self.advanced = QLabel(advanced_text())
        self.advanced.setObjectName("muted")
        self.advanced.setWordWrap(True)
        self.advanced.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.hint = QLabel()
        self.hint.setObjectName("muted")
        self.hint.setWordWrap(True)
        self._headings: dict[str, QLabel] = {}
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save
            | QDialogButtonBox.StandardButton.Cancel
            | QDialogButtonBox.StandardButton.RestoreDefaults
        )
        column = QVBoxLayout(self)
        column.addWidget(self.search)
        column.addWidget(self.none)
        column.addWidget(self._scrolled(), 1)
        column.addWidget(self.hint)
        column.addWidget(self.advanced)
        column.addWidget(self.buttons)
        self.resize(680, 640)
        self.search.textChanged.connect(self._filter)
        self.buttons.accepted.connect(self._save)
        self.buttons.rejected.connect(self.reject)
        defaults = self.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        defaults.setText(tr("All defaults"))
        defaults.clicked.connect(self._all_defaults)
        for row in self.rows.values():
            row.watch(self._edited)
        self._edited()

    @property
    def changes(self) -> dict[str, Any]:
        """Values that saving would change, by key."""
        return {key: row.value for key, row in self.rows.items() if row.value != row.before}

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter ends the entry of a value; it must not save all of them.
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.buttons.isAncestorOf(
            self.focusWidget()
        ):
            return
        super().keyPressEvent(event)

    def _scrolled(self) -> QScrollArea:
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setColumnStretch(0, 1)
        grid.setVerticalSpacing(design.HAIR)
        line = 0
        for group, title in GROUPS.items():
            heading = self._headings[group] = QLabel(title)
            heading.setObjectName("heading")
            font = heading.font()
            font.setBold(True)
            heading.setFont(font)
            heading.setContentsMargins(0, design.APART if line else 0, 0, design.HAIR)
            grid.addWidget(heading, line, 0, 1, 3)
            line += 1
            for row in (row for row in self.rows.values() if group_of(row.item) == group):
                grid.addWidget(row.name, line, 0)
                grid.addWidget(row.editor, line, 1)
                grid.addWidget(row.default, line, 2)
                grid.addWidget(row.help, line + 1, 0, 1, 3)
                line += 2
        grid.setRowStretch(line, 1)
        area = QScrollArea()
        area.setAccessibleName(tr("List of settings"))
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        return area

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        shown: set[str] = set()
        for row in self.rows.values():
            has = all(word in row.words for word in words)
            row.set_visible(has)
            shown |= {group_of(row.item)} if has else set()
        for group, heading in self._headings.items():
            heading.setVisible(group in shown)
        self.none.setVisible(not shown)

    def _edited(self) -> None:
        changes = self.changes
        self.buttons.button(QDialogButtonBox.StandardButton.Save).setEnabled(bool(changes))
        self.hint.setText(takes_effect(changes))
        self.hint.setVisible(bool(self.hint.text()))

    def _all_defaults(self) -> None:
        for row in self.rows.values():
            row.reset()

    def _save(self) -> None:
        self.saved.emit(self.changes)
        self.accept()


class _Row:
    """A setting: name, editor, button to restore its default, and help."""

    def __init__(self, item: Declared, value: Any) -> None:
        self.item = item
        texts = (item.label, item.help, *item.names)
        # In English too, as the guide has them.
        self.words = " ".join((item.key, *texts, *map(tr, texts))).casefold()
        self._control = make_editor(item)
        self._control.put(value)
        self.before = self.value
        """The saved value as the editor rounds it, so that an untouched value is not saved again."""
        self.editor = self._control.widget
        self.editor.setAccessibleName(tr(item.label))
        self.editor.setAccessibleDescription(tr(item.help))
        self.editor.setFixedWidth(design.letters(self.editor, 28))
        self.name = QLabel(tr(item.label))
        self.name.setBuddy(self.editor)
        self.name.setToolTip(item.key)
        self.help = QLabel(tr(item.help))
        self.help.setObjectName("muted")
        self.help.setWordWrap(True)
        self.help.setContentsMargins(0, 0, 0, design.NEAR)
        self.default = QToolButton()
        self.default.setText(tr("Default"))
        self.default.setToolTip(tr("Restore {value_text}", value_text=value_text(item, item.default)))
        self.default.setAccessibleName(tr("Default of {label}", label=tr(item.label)))
        self.default.clicked.connect(self.reset)
        self._control.watch(self._mark)
        self._mark()

    @property
    def value(self) -> Any:
        """The value to save."""
        return self._control.get()

    def reset(self) -> None:
        """Restore the default."""
        self._control.put(self.item.default)

    def watch(self, changed: Callable[[], None]) -> None:
        """Call ``changed`` at each change."""
        self._control.watch(changed)

    def set_visible(self, visible: bool) -> None:  # noqa: FBT001 - as Qt spells it
        for widget in (self.name, self.editor, self.default, self.help):
            widget.setVisible(visible)

    def _mark(self) -> None:
        """Show a value that differs from its default in bold."""
        font = self.name.font()
        font.setBold(self.value != self.item.default)
        self.name.setFont(font)
        self.default.setEnabled(self.value != self.item.default)


GROUPS = {
    "search": tr("Search"),
    "encoder": tr("Model"),
    "imports": tr("Import"),
    "hub": tr("Model hub"),
    "plugins": tr("Plug-ins"),
    "window": tr("Window"),
}
"""Groups in the order of the dialog. Colours and size of text are in the *View* menu."""
ELSEWHERE = frozenset({"encoder.package", "window.theme", "window.text_scale"})
"""The *Models* panel chooses the package: licences and indexes depend on it."""
_AT_IMPORT = "imports"


def listed_settings() -> tuple[Declared, ...]:
    """The settings of the dialog, group by group."""
    every = tuple(item for item in list_declared() if not item.advanced and item.key not in ELSEWHERE)
    return tuple(item for group in GROUPS for item in every if group_of(item) == group)


def group_of(item: Declared) -> str:
    """The group of a setting."""
    return item.key.partition(".")[0]


def takes_effect(keys: Iterable[str]) -> str:
    """When changed settings take effect, if not at once."""
    if any(key.partition(".")[0] == _AT_IMPORT for key in keys):
        return tr("The change takes effect at the next import.")
    return ""


def advanced_text() -> str:
    """Where the settings are that the dialog does not list."""
    return tr(
        "Advanced settings are in the file below. In a terminal, “claimlight settings list” "
        "describes them and “claimlight settings set KEY VALUE” changes one.\n{config_dir}",
        config_dir=paths.config_dir() / "settings.json",
    )


def value_text(item: Declared, value: object) -> str:
    """A value as the dialog prints it."""
    if value in item.choices:
        return tr(item.names[item.choices.index(str(value))])
    if item.points:
        return f"{POINTS * float(str(value)):g}{OF_POINTS}"
    if item.type is float:
        return f"{value:g}"
    return str(value) if value != "" else tr("empty")
