"""Editors of settings, by their declarations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QLocale
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QWidget

from claimlight.settings import Declared
from claimlight_workbench.language import tr

POINTS, OF_POINTS = 100, tr(" of 100")
"""Shares are shown from 0 to 100, as match strengths are everywhere."""
_DECIMALS = 6
_WIDEST = 1e12


@dataclass(frozen=True, slots=True)
class SettingEditor:
    """An editor, and how it is read and written."""

    widget: QWidget
    get: Callable[[], Any]
    put: Callable[[Any], None]
    watch: Callable[[Callable[[], None]], object]


def make_editor(item: Declared) -> SettingEditor:
    """A list where values are named, a number field for numbers, a check box, a line for the rest."""
    if item.choices:
        box = _Choices()
        for name, choice in zip(item.names, item.choices, strict=True):
            box.addItem(tr(name), choice)
        return SettingEditor(
            box,
            box.currentData,
            lambda value: box.setCurrentIndex(box.findData(value)),
            lambda told: box.currentIndexChanged.connect(lambda _: told()),
        )
    if item.type in (int, float):
        number, shown = _Number(), POINTS if item.points else 1
        number.setDecimals(0 if item.type is int else _DECIMALS)
        number.setRange(
            -_WIDEST if item.minimum is None else item.minimum * shown,
            _WIDEST if item.maximum is None else item.maximum * shown,
        )
        number.setSingleStep(1 if item.type is int or item.points else 0.05)
        number.setSuffix(OF_POINTS if item.points else "")
        return SettingEditor(
            number,
            lambda: item.type(round(number.value() / shown, _DECIMALS)),
            lambda value: number.setValue(float(value) * shown),
            lambda told: number.valueChanged.connect(lambda _: told()),
        )
    if item.type is bool:
        check = QCheckBox()
        return SettingEditor(
            check,
            check.isChecked,
            lambda value: check.setChecked(bool(value)),
            lambda told: check.toggled.connect(lambda _: told()),
        )
    line = QLineEdit()
    return SettingEditor(
        line,
        lambda: line.text().strip(),
        lambda value: line.setText(str(value)),
        lambda told: line.textChanged.connect(lambda _: told()),
    )


class _Choices(QComboBox):
    """Leaves the mouse wheel to the page."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _Number(QDoubleSpinBox):
    """Shows no trailing zeros; leaves the mouse wheel to the page."""

    def textFromValue(self, value: float) -> str:
        # As the field reads what is typed: by its locale, without thousands.
        locale = self.locale()
        locale.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator)
        shown, point = locale.toString(value, "f", self.decimals()), locale.decimalPoint()
        return shown.rstrip("0").rstrip(point) if point in shown else shown

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
