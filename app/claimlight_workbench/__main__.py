"""Entry point of ``claimlight-workbench`` and of ``python -m claimlight_workbench``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from claimlight_workbench import language
from claimlight_workbench.joining import find_door

_OPTION = "--language"


def main() -> None:
    """Start the workbench, or have the window that is there already open what was asked for."""
    door = find_door(sys.argv[1:])
    if door is not None and door.pass_on():
        return
    language.use(_find_language(sys.argv[1:]))
    # Only now: the texts of the screens are translated when their modules are imported.
    from claimlight_workbench import bootstrap

    sys.exit(bootstrap.run(sys.argv[1:], door=door))


def _find_language(arguments: Sequence[str]) -> str:
    """By the option, else by the setting; `bootstrap` reports what is wrong with either."""
    from PySide6.QtCore import QLocale

    from claimlight import settings

    wanted = settings.load().settings.window.language
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == _OPTION:
            wanted = value or "".join(arguments[place + 1 : place + 2])
    return language.choose(wanted, QLocale.system().uiLanguages())


if __name__ == "__main__":
    main()
