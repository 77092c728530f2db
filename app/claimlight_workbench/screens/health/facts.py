"""What only the window knows of a computer: its screens, and the scripts that its fonts have."""

from __future__ import annotations

from PySide6.QtCore import qVersion
from PySide6.QtGui import QFontDatabase, QGuiApplication

from claimlight.types.health import ScreenFacts, WindowFacts

_Systems = QFontDatabase.WritingSystem
_SCRIPTS = {
    "ar": (_Systems.Arabic,),
    "bg": (_Systems.Cyrillic,),
    "el": (_Systems.Greek,),
    "fa": (_Systems.Arabic,),
    "he": (_Systems.Hebrew,),
    "hi": (_Systems.Devanagari,),
    "ja": (_Systems.Japanese,),
    "ko": (_Systems.Korean,),
    "ru": (_Systems.Cyrillic,),
    "th": (_Systems.Thai,),
    "uk": (_Systems.Cyrillic,),
    "zh": (_Systems.SimplifiedChinese, _Systems.TraditionalChinese),
}
"""Languages that a patent may be in, and the scripts of which one is needed."""


def read_screens(text_scale: float) -> WindowFacts:
    """Everything but the fonts, which `find_unreadable` takes longer to find."""
    screens = tuple(
        ScreenFacts(each.size().width(), each.size().height(), each.devicePixelRatio())
        for each in QGuiApplication.screens()
    )
    return WindowFacts(
        screens, qt=str(qVersion()), platform=QGuiApplication.platformName(), text_scale=text_scale
    )


def find_unreadable() -> tuple[str, ...]:
    """Languages whose script no installed font has; looks into every font, so it is called in a worker."""
    there = set(QFontDatabase.writingSystems())
    return tuple(name for name, scripts in _SCRIPTS.items() if there.isdisjoint(scripts))
