"""Colours of the window, dark and light, and the arithmetic that keeps text readable.

A highlight is the colour of its feature laid over the page with an opacity that grows with the
contribution; `Theme.max_tint` bounds it so that text on the strongest highlight still meets WCAG AA.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from claimlight_workbench import text_size

MIN_TINT = 0.1
"""Opacity of the weakest highlight: it must remain visible."""


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colours; every value is ``#rrggbb``."""

    name: str
    dark: bool
    window: str
    base: str
    raised: str
    """Strips, chips at rest and alternate rows."""
    text: str
    muted: str
    line: str
    accent: str
    accent_text: str
    selection: str
    warning: str
    good: str
    chip_text: str
    outline: str
    """Line around what a query line matched."""
    found: str
    """Page colour under what the user looks for with *Find*."""
    max_tint: float
    """Opacity of the strongest highlight."""
    features: tuple[str, ...]


LIGHT = Theme(
    name="light",
    dark=False,
    window="#eef0f2",
    base="#ffffff",
    raised="#f5f6f8",
    text="#1b1f24",
    muted="#58616b",
    line="#d3d8de",
    accent="#1d5fa8",
    accent_text="#ffffff",
    selection="#d6e5f5",
    warning="#8a4b00",
    good="#1e6b35",
    chip_text="#ffffff",
    outline="#1b1f24",
    found="#ffe27a",
    max_tint=0.5,
    features=(
        "#1f6fb2",
        "#b45309",
        "#2e7d32",
        "#8e44ad",
        "#0b7a75",
        "#c0392b",
        "#7a6a00",
        "#4b4fc4",
        "#c2257a",
        "#7b4b2a",
        "#50606b",
        "#4f7a12",
    ),
)

DARK = Theme(
    name="dark",
    dark=True,
    window="#1d2126",
    base="#15181c",
    raised="#23282e",
    text="#e4e7eb",
    muted="#a0a9b3",
    line="#363d45",
    accent="#7db8f0",
    accent_text="#10151a",
    selection="#2a4059",
    warning="#f0b35e",
    good="#7fd394",
    chip_text="#10151a",
    outline="#ffffff",
    found="#6b5500",
    max_tint=0.4,
    features=(
        "#6cb6f5",
        "#f5a35c",
        "#7bd389",
        "#d19cf2",
        "#3fd0c4",
        "#ff8378",
        "#e6d04f",
        "#a0a6ff",
        "#ff86c4",
        "#cf9f80",
        "#b4c0c9",
        "#b3d957",
    ),
)


_applied: list[Theme] = []
"""The theme last applied."""


def find_theme(name: str) -> Theme:
    """The theme of a setting: ``light``, ``dark``, or ``system`` for the desktop's preference."""
    if name == "dark":
        return DARK
    if name == "light":
        return LIGHT
    scheme = QGuiApplication.styleHints().colorScheme()
    return DARK if scheme == Qt.ColorScheme.Dark else LIGHT


@lru_cache(maxsize=1024)
def feature_index(label: str) -> int:
    """0-based number of a feature from its label: 3 for ``F4``; -1 outside all features."""
    digits = label.lstrip("Ff")
    return int(digits) - 1 if digits.isdigit() else -1


def feature_colour(theme: Theme, label: str) -> str:
    """The colour of a feature; colours repeat after the twelfth, labels stay unique."""
    index = feature_index(label)
    return theme.muted if index < 0 else theme.features[index % len(theme.features)]


def tint(theme: Theme, label: str, strength: float) -> str:
    """Page colour under a highlight; ``strength`` is 0 to 1 and becomes opacity linearly."""
    bounded = min(1.0, max(0.0, strength))
    return blend(feature_colour(theme, label), theme.base, MIN_TINT + (theme.max_tint - MIN_TINT) * bounded)


def weight_tint(theme: Theme, strength: float) -> str:
    """Page colour under words that speak for a class; ``strength`` is 0 to 1, as in `tint`."""
    bounded = min(1.0, max(0.0, strength))
    return blend(theme.accent, theme.base, MIN_TINT + (theme.max_tint - MIN_TINT) * bounded)


@lru_cache(maxsize=4096)
def blend(over: str, under: str, opacity: float) -> str:
    """``over`` laid on ``under``."""
    pairs = zip(_channels(over), _channels(under), strict=True)
    return "#" + "".join(f"{round(a * opacity + b * (1 - opacity)):02x}" for a, b in pairs)


def apply(application: QApplication, theme: Theme) -> None:
    """Give the whole application the theme's palette and style sheet."""
    # Native styles take only some of their colours from the palette, Fusion all of them.
    style = QStyleFactory.create("Fusion")
    if style is not None and application.style().objectName().lower() != "fusion":
        application.setStyle(style)
    _applied.clear()
    _applied.append(theme)
    application.setPalette(palette(theme))
    application.setStyleSheet(style_sheet(theme) + text_size.rule())


def current(application: QApplication) -> Theme:
    """The theme last applied."""
    dark = application.palette().color(QPalette.ColorRole.Base).lightness() < 128
    return DARK if dark else LIGHT


def active() -> Theme:
    """The theme of the running application; cached, as every painted box and chip asks for it."""
    return _applied[0] if _applied else current(cast(QApplication, QApplication.instance()))


def palette(theme: Theme) -> QPalette:
    """The Qt palette of a theme."""
    role = QPalette.ColorRole
    result = QPalette()
    for key, value in (
        (role.Window, theme.window),
        (role.WindowText, theme.text),
        (role.Base, theme.base),
        (role.AlternateBase, theme.raised),
        (role.Text, theme.text),
        (role.PlaceholderText, theme.muted),
        (role.Button, theme.raised),
        (role.ButtonText, theme.text),
        (role.BrightText, theme.text),
        (role.ToolTipBase, theme.raised),
        (role.ToolTipText, theme.text),
        (role.Highlight, theme.selection),
        (role.HighlightedText, theme.text),
        (role.Link, theme.accent),
        (role.Mid, theme.line),
        (role.Midlight, theme.line),
        (role.Light, theme.raised),
        (role.Dark, theme.line),
        (role.Shadow, theme.line),
        (role.Accent, theme.accent),
    ):
        result.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, key, QColor(theme.muted))
    return result


def style_sheet(theme: Theme) -> str:
    """What the palette can't set: borders, headers, strips; and that no text is read as HTML.

    Titles and names come from files. Qt takes text that looks like HTML for HTML, in labels, boxes and tool
    tips, and an ``<img>`` in it opens files. The two rules at the top hold for every one of them.
    """
    return f"""
    QLabel {{ qproperty-textFormat: PlainText; }}
    QToolTip {{ qproperty-textFormat: PlainText; }}
    QToolTip {{ border: 1px solid {theme.line}; padding: 4px; }}
    QMainWindow::separator {{ background: {theme.window}; width: 5px; height: 5px; }}
    QMainWindow::separator:hover {{ background: {theme.accent}; }}
    QDockWidget {{ font-weight: 600; }}
    QDockWidget::title {{ padding: 5px 8px; background: {theme.window}; }}
    QTableView, QTextEdit, QPlainTextEdit, QListView, QTreeView {{
        border: 1px solid {theme.line}; border-radius: 3px; background: {theme.base}; }}
    QTableView:focus, QTextEdit:focus, QPlainTextEdit:focus, QListView:focus {{
        border: 1px solid {theme.accent}; }}
    QTreeView::item {{ padding: 3px 2px; }}
    QHeaderView::section {{ background: {theme.raised}; color: {theme.muted}; border: none;
        border-bottom: 1px solid {theme.line}; padding: 4px 6px; font-weight: 600; }}
    QToolButton#feature {{ border: none; border-radius: 3px; padding: 1px 2px; }}
    QToolButton#feature:checked {{ border: 2px solid {theme.outline}; padding: 0px 1px; font-weight: bold; }}
    QToolButton#feature:hover {{ background: {theme.selection}; }}
    QToolButton#feature:focus {{ border: 1px solid {theme.accent}; padding: 0px 1px; }}
    QToolBar {{ border: none; border-bottom: 1px solid {theme.line}; padding: 4px; }}
    QStatusBar {{ border-top: 1px solid {theme.line}; }}
    QStatusBar::item {{ border: none; }}
    QProgressBar {{ border: 1px solid {theme.line}; border-radius: 3px; text-align: center;
        background: {theme.base}; min-height: 14px; }}
    QProgressBar::chunk {{ background: {theme.selection}; }}
    QCheckBox::indicator:unchecked {{ width: 12px; height: 12px; border: 1px solid {theme.muted};
        border-radius: 2px; background: {theme.base}; }}
    QPushButton#primary {{ background: {theme.accent}; color: {theme.accent_text}; font-weight: 600;
        border: 1px solid {theme.accent}; border-radius: 3px; padding: 5px 18px; }}
    QPushButton#primary:disabled {{ background: {theme.raised}; color: {theme.muted};
        border-color: {theme.line}; }}
    QPushButton#primary:focus {{ border: 2px solid {theme.text}; padding: 4px 17px; }}
    QLabel#title {{ font-weight: 600; }}
    QLabel#fact {{ padding: 0px 8px; }}
    QToolButton#fact {{ border: none; border-radius: 3px; padding: 0px 8px; }}
    QToolButton#fact:hover {{ background: {theme.selection}; }}
    QToolButton#fact:focus {{ border: 1px solid {theme.accent}; padding: 0px 7px; }}
    QLabel#muted {{ color: {theme.muted}; }}
    QLabel#warning {{ color: {theme.warning}; }}
    QLabel#badge {{ color: {theme.good}; border: 1px solid {theme.good}; border-radius: 3px;
        padding: 0px 6px; font-weight: 600; }}
    QPlainTextEdit[wrong="true"] {{ border: 1px solid {theme.warning}; }}
    QFrame#popup {{ background: {theme.raised}; border: 1px solid {theme.accent}; border-radius: 3px; }}
    QToolButton#words {{ border: 1px solid {theme.line}; border-radius: 3px; padding: 0px 5px;
        color: {theme.muted}; }}
    QToolButton#words:checked {{ border: 1px solid {theme.outline}; color: {theme.text}; }}
    QToolButton#words:focus {{ border: 2px solid {theme.accent}; }}
    QToolButton#symbol {{ border: 1px solid {theme.line}; border-radius: 3px; padding: 0px 4px; }}
    QToolButton#symbol:hover {{ background: {theme.selection}; }}
    QToolButton#symbol:focus {{ border: 1px solid {theme.accent}; background: {theme.selection}; }}
    QTabBar#pages::tab {{ background: transparent; border: none; padding: 3px 10px;
        color: {theme.muted}; }}
    QTabBar#pages::tab:selected {{ color: {theme.text}; border-bottom: 2px solid {theme.accent}; }}
    QTabBar#pages::tab:hover {{ color: {theme.text}; }}
    QTabBar#pages:focus {{ border: 1px solid {theme.accent}; border-radius: 3px; }}
    QFrame#strip {{ background: {theme.raised}; border: 1px solid {theme.line}; border-radius: 3px; }}
    """


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
