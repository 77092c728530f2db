"""The settings of the judge: which one, who reads on, where it runs, and how much it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from claimlight import settings as settings_module
from claimlight.settings import Declared, list_declared
from claimlight_workbench.language import tr
from claimlight_workbench.screens.models.describe import JudgeChoice, judge_choices, second_choices
from claimlight_workbench.widgets.flow import FlowLayout
from claimlight_workbench.widgets.setting_editor import SettingEditor, make_editor

if TYPE_CHECKING:
    from claimlight.services.models.judges import JudgeInfo
    from claimlight.settings import Settings

PACKAGE = "judge.package"
SECOND = "judge.second"
_OTHERS = ("judge.device", "judge.threads", "judge.read_on")
SHOWN = (PACKAGE, SECOND, *_OTHERS)
"""Keys of the settings that have an editor here."""
_SPACING = 12


class JudgeBox(QWidget):
    """Editors for the settings of the judge; they change with the button, all at once."""

    changed = Signal(dict)
    """Changed values by key."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        declared = {item.key: item for item in list_declared()}
        self.package, self.second = QComboBox(), QComboBox()
        self._choices = {PACKAGE: self.package, SECOND: self.second}
        for key, choice in self._choices.items():
            _describe(choice, declared[key])
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.editors: dict[str, SettingEditor] = {key: make_editor(declared[key]) for key in _OTHERS}
        self.apply_button = QPushButton(tr("Apply"))
        self.apply_button.setAccessibleName(tr("Apply the settings of the judge"))
        self.fault = QLabel()
        self.fault.setObjectName("muted")
        self.fault.setWordWrap(True)
        self._saved: dict[str, Any] = {}
        self._judges: tuple[JudgeInfo, ...] = ()
        row = FlowLayout(spacing=_SPACING)
        for key, choice in self._choices.items():
            row.addWidget(_named(declared[key], choice))
        for key, editor in self.editors.items():
            _describe(editor.widget, declared[key])
            row.addWidget(_named(declared[key], editor.widget))
        row.addWidget(self.apply_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.fault)
        self.package.activated.connect(lambda _: self._offer_second(self.second.currentData()))
        for choice in self._choices.values():
            choice.currentIndexChanged.connect(lambda _: self._edited())
        for editor in self.editors.values():
            editor.watch(self._edited)
        self.apply_button.clicked.connect(lambda: self.changed.emit(self.changes))
        self.setEnabled(False)
        self._edited()

    @property
    def changes(self) -> dict[str, Any]:
        """Values that applying would change, by key."""
        return {key: value for key, value in self._values().items() if value != self._saved.get(key, value)}

    def show_judges(self, judges: tuple[JudgeInfo, ...], settings: Settings) -> None:
        """Show the judges and the saved settings; edits that were not applied are kept."""
        edited = self.changes
        self._saved = {key: settings_module.get(settings, key) for key in SHOWN}
        wanted = self._saved | edited
        self._judges = judges
        _fill(self.package, judge_choices(judges, self._saved[PACKAGE]), self._saved[PACKAGE])
        self.package.setCurrentIndex(max(self.package.findData(wanted[PACKAGE]), 0))
        self._offer_second(wanted[SECOND])
        for key, editor in self.editors.items():
            editor.put(wanted[key])
        self.setEnabled(True)
        self._edited()

    def _offer_second(self, wanted: str) -> None:
        """What an empty setting means depends on the judge that is chosen."""
        saved = self._saved[SECOND]
        _fill(self.second, second_choices(self._judges, saved, self.package.currentData()), saved)
        self.second.setCurrentIndex(max(self.second.findData(wanted), 0))

    def _values(self) -> dict[str, Any]:
        return {
            **{key: box.currentData() for key, box in self._choices.items()},
            **{key: each.get() for key, each in self.editors.items()},
        }

    def _edited(self) -> None:
        self.apply_button.setEnabled(bool(self.changes))
        faults = [box.currentData(Qt.ItemDataRole.ToolTipRole) for box in self._choices.values()]
        self.fault.setText("\n".join(dict.fromkeys(filter(None, faults))))
        self.fault.setVisible(any(faults))


def _fill(box: QComboBox, choices: Sequence[JudgeChoice], saved: str) -> None:
    box.clear()
    for number, choice in enumerate(choices):
        box.addItem(choice.text, choice.value)
        box.setItemData(number, choice.fault, Qt.ItemDataRole.ToolTipRole)
        model = box.model()
        assert isinstance(model, QStandardItemModel)
        # The one in use stays selectable, with its fault below.
        model.item(number).setEnabled(not choice.fault or choice.value == saved)


def _named(item: Declared, editor: QWidget) -> QWidget:
    """Label and editor, which stay together when a line is full."""
    pair = QWidget()
    row = QHBoxLayout(pair)
    row.setContentsMargins(0, 0, 0, 0)
    label = QLabel(tr(item.label))
    label.setBuddy(editor)
    label.setToolTip(tr(item.help))
    row.addWidget(label)
    row.addWidget(editor)
    return pair


def _describe(editor: QWidget, item: Declared) -> None:
    editor.setAccessibleName(tr(item.label))
    editor.setAccessibleDescription(tr(item.help))
    editor.setToolTip(tr(item.help))
