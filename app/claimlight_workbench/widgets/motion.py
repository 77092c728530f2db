"""Whether to do without motion: by the setting, or as the desktop asks programs to (Windows)."""

from __future__ import annotations

import ctypes

_SPI_GETCLIENTAREAANIMATION = 0x1042
_chosen: list[bool] = []


def set_reduced(reduced: bool) -> None:  # noqa: FBT001 - a setting
    """Set what the user has chosen."""
    _chosen[:] = [reduced]


def is_reduced() -> bool:
    """Whether nothing may fade or move by itself."""
    return any(_chosen) or _is_reduced_by_system()


def _is_reduced_by_system() -> bool:
    """Windows says so; Qt has no such hint for other desktops."""
    libraries = getattr(ctypes, "windll", None)
    if libraries is None:
        return False
    animated = ctypes.c_int(1)
    libraries.user32.SystemParametersInfoW(_SPI_GETCLIENTAREAANIMATION, 0, ctypes.byref(animated), 0)
    return not animated.value
