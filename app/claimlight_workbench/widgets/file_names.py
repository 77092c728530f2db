"""Names that are proposed for exported files."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QStandardPaths

_UNFIT = re.compile(r'[\\/:*?"<>|\x00-\x1f]+')
"""Characters that file names can't have on some system."""


def propose_file(case: str, name: str, ending: str) -> str:
    """``Documents/CASE-L2.csv``; an empty part is left out."""
    fit = _UNFIT.sub("_", case).strip(" ._")
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return str(Path(folder, "-".join(filter(None, (fit, name))) + f".{ending}"))
