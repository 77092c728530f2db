"""What is loaded before the window is up."""

from __future__ import annotations

import os
import subprocess
import sys

ENGINE = (
    "sqlalchemy",
    "lxml",
    "onnxruntime",
    "numba",
    "claimlight.store",
    "claimlight.formats",
    "claimlight.index",
    "claimlight.retrieval",
    "claimlight.encoders",
)
BUILD = """
import sys
from PySide6.QtWidgets import QApplication
from claimlight_workbench import bootstrap
application = QApplication([])
window, _ = bootstrap.build(application, bootstrap.Options())
window.show()
application.processEvents()
print("\\n".join(sys.modules))
"""


def test_the_window_is_up_before_the_engine_is_loaded(tmp_path):
    """Databases, parsers and indexes take as long to load as all of the window; a worker loads them."""
    home = {f"XDG_{name}_HOME": str(tmp_path) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    home["QT_QPA_PLATFORM"] = "offscreen"
    done = subprocess.run(
        [sys.executable, "-c", BUILD],
        env=os.environ | home,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    loaded = set(done.stdout.split())
    assert "claimlight_workbench.main_window.window" in loaded
    assert loaded.isdisjoint(ENGINE)
