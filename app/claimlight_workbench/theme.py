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

from claimlight_workbench import design, text_size

MIN_TINT = 0.1
"""Opacity of the weakest highlight: it must remain visible."""
_CHIP = 0.18
_UNPROVEN = 0.26


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
    window="#f3f4f6",
    base="#ffffff",
    raised="#f7f8f9",
    text="#1b1f24",
    muted="#5c6570",
    line="#dde1e6",
    accent="#1d5fa8",
    accent_text="#ffffff",
    selection="#d6e5f5",
    warning="#8a4b00",
    good="#1e6b35",
    chip_text="#ffffff",
    outline="#1b1f24",
    found="#ffe27a",
    max_tint=0.42,
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
    window="#1f2328",
    base="#181b20",
    raised="#24292f",
    text="#e4e7eb",
    muted="#a0a9b3",
    line="#343a42",
    accent="#7db8f0",
    accent_text="#10151a",
    selection="#2a4059",
    warning="#f0b35e",
    good="#7fd394",
    chip_text="#10151a",
    outline="#ffffff",
    found="#6b5500",
    max_tint=0.36,
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


def chip_ground(theme: Theme, label: str) -> str:
    """Ground of a chip: a light tint of the colour of its feature, on which text is readable."""
    return blend(feature_colour(theme, label), theme.base, _CHIP)


def unproven(theme: Theme) -> str:
    """Ground of what is a candidate or a match strength: grey, as colour is for what is disclosed."""
    return blend(theme.muted, theme.base, _UNPROVEN)


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
    corner = f"border-radius: {design.CORNER}px"
    thin = f"{design.LINE}px solid"
    bare = f"border: {thin} transparent; {corner};"
    flat = f"{bare} padding: {design.HAIR}px {design.TIGHT}px; background: transparent;"
    page = f"padding: {design.TIGHT}px {design.NEAR}px"
    return f"""
    QLabel {{ qproperty-textFormat: PlainText; }}
    QToolTip {{ qproperty-textFormat: PlainText; }}
    QToolTip {{ border: {thin} {theme.line}; padding: {design.TIGHT}px; }}
    QMainWindow::separator {{ background: {theme.window}; width: {design.TIGHT}px;
        height: {design.TIGHT}px; }}
    QMainWindow::separator:hover {{ background: {theme.accent}; }}
    QDockWidget::title {{ {page}; background: {theme.window}; }}
    QTableView, QTextEdit, QPlainTextEdit, QListView, QTreeView {{ {bare} background: {theme.base}; }}
    QTableView:focus, QTextEdit:focus, QPlainTextEdit:focus, QListView:focus, QTreeView:focus {{
        border: {thin} {theme.accent}; }}
    QTreeView::item {{ padding: {design.HAIR}px; }}
    QHeaderView::section {{ background: {theme.base}; color: {theme.muted}; border: none;
        border-bottom: {thin} {theme.line}; {page}; }}
    QTableCornerButton::section {{ background: {theme.base}; border: none;
        border-bottom: {thin} {theme.line}; }}
    QTabBar::tab {{ background: transparent; border: none; {page}; color: {theme.muted};
        border-bottom: {design.FOCUS}px solid transparent; }}
    QTabBar::tab:selected {{ color: {theme.text}; border-bottom: {design.FOCUS}px solid {theme.accent}; }}
    QTabBar::tab:hover {{ color: {theme.text}; }}
    QTabBar::tab:focus {{ color: {theme.accent}; }}
    QScrollBar {{ background: transparent; border: none; }}
    QScrollBar:vertical {{ width: {design.APART}px; }}
    QScrollBar:horizontal {{ height: {design.APART}px; }}
    QScrollBar::handle {{ background: {theme.line}; {corner}; margin: {design.HAIR}px; }}
    QScrollBar::handle:vertical {{ min-height: {design.VAST}px; }}
    QScrollBar::handle:horizontal {{ min-width: {design.VAST}px; }}
    QScrollBar::handle:hover {{ background: {theme.muted}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QPushButton {{ border: {thin} {theme.line}; {corner}; padding: {design.TIGHT}px {design.APART}px;
        background: {theme.base}; color: {theme.text}; }}
    QPushButton:hover {{ background: {theme.selection}; }}
    QPushButton:focus {{ border: {thin} {theme.accent}; }}
    QPushButton:disabled {{ background: {theme.window}; color: {theme.muted}; }}
    QToolButton {{ border: {thin} {theme.line}; {corner}; padding: {design.HAIR}px {design.NEAR}px;
        background: {theme.base}; }}
    QToolButton:disabled {{ color: {theme.muted}; background: {theme.window}; }}
    QToolButton:hover {{ background: {theme.selection}; }}
    QToolButton:focus {{ border: {thin} {theme.accent}; }}
    QToolButton[autoRaise="true"] {{ {flat} }}
    QToolButton[autoRaise="true"]:hover, QToolButton[autoRaise="true"]:checked {{
        background: {theme.selection}; }}
    QToolButton[autoRaise="true"]:focus {{ border: {thin} {theme.accent}; }}
    QToolButton[autoRaise="true"]::menu-indicator {{ image: none; }}
    QToolButton#feature {{ {flat} padding: {design.HAIR}px 0; }}
    QToolButton#feature:checked {{ background: {theme.selection}; font-weight: bold; }}
    QToolButton#feature:hover {{ background: {theme.selection}; }}
    QToolButton#feature:focus {{ border: {thin} {theme.accent}; }}
    QToolBar {{ border: none; padding: {design.TIGHT}px; }}
    QToolBar#line-bar {{ border-bottom: {thin} {theme.line}; }}
    QStatusBar {{ border-top: {thin} {theme.line}; color: {theme.muted}; }}
    QStatusBar::item {{ border: none; }}
    QProgressBar {{ border: none; {corner}; text-align: center; background: {theme.line};
        min-height: {design.APART}px; }}
    QProgressBar::chunk {{ background: {theme.selection}; {corner}; }}
    QCheckBox::indicator:unchecked {{ width: {design.APART}px; height: {design.APART}px;
        border: {thin} {theme.muted}; border-radius: {design.HAIR}px; background: {theme.base}; }}
    QRadioButton::indicator:unchecked {{ width: {design.APART}px; height: {design.APART}px;
        border: {thin} {theme.muted}; border-radius: {design.APART // 2}px; background: {theme.base}; }}
    QRadioButton::indicator:checked {{ width: {design.APART}px; height: {design.APART}px;
        border: {thin} {theme.muted}; border-radius: {design.APART // 2}px;
        background: qradialgradient(cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5,
        stop: 0.55 {theme.accent}, stop: 0.65 {theme.base}); }}
    QPushButton#primary {{ background: {theme.accent}; color: {theme.accent_text}; font-weight: 600;
        border: {thin} {theme.accent}; padding: {design.TIGHT}px {design.APART}px; }}
    QPushButton#primary:disabled {{ background: {theme.window}; color: {theme.muted};
        border-color: {theme.line}; }}
    QPushButton#primary:focus {{ border: {design.FOCUS}px solid {theme.text}; }}
    QLabel#title {{ font-weight: 600; }}
    QLabel#fact {{ padding: 0 {design.NEAR}px; }}
    QToolButton#fact {{ {flat} padding: 0 {design.NEAR}px; }}
    QToolButton#fact:hover {{ background: {theme.selection}; }}
    QToolButton#fact:focus {{ border: {thin} {theme.accent}; }}
    QLabel#muted {{ color: {theme.muted}; }}
    QLabel#warning {{ color: {theme.warning}; }}
    QLabel#badge {{ color: {theme.good}; padding: 0 {design.NEAR}px; font-weight: 600; }}
    QPlainTextEdit[wrong="true"] {{ border: {thin} {theme.warning}; }}
    QFrame#popup {{ background: {theme.raised}; border: {thin} {theme.accent}; {corner}; }}
    QToolButton#words, QToolButton#symbol {{ {flat} color: {theme.muted}; }}
    QToolButton#words:checked {{ background: {theme.selection}; color: {theme.text}; }}
    QToolButton#words:hover, QToolButton#symbol:hover {{ background: {theme.selection};
        color: {theme.text}; }}
    QToolButton#words:focus, QToolButton#symbol:focus {{ border: {thin} {theme.accent}; }}
    QFrame#strip {{ background: {theme.raised}; border: none; {corner}; }}
    """


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
