"""The engine: reading, indexing, searching, training; with no window and no network of its own.

What stands here runs before any other module of it, whichever is imported first and by whom: the program,
its worker processes (they inherit the environment), a notebook. onnxruntime 1.29 and newer look up and
connect to their maker's events host some seconds after the import, unless the environment forbids it at that
moment; its own function for it comes too late.
"""

from __future__ import annotations

import os
import sys
import warnings

SILENT = {"ORT_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}
"""Environment that stops libraries from reporting on who uses them, whatever it said before."""
OFFLINE = {"HF_HUB_OFFLINE": "1"}
"""Environment in which a library reads models from folders alone; who sets it otherwise is left his way.

`claimlight.services.hub`, which fetches what the user asks for, does not go by it.
"""

if "onnxruntime" in sys.modules and os.environ.get("ORT_DISABLE_TELEMETRY") != "1":
    warnings.warn(
        "onnxruntime was imported before Claimlight, so it may be reporting to its maker from this process: "
        "import Claimlight first, or set ORT_DISABLE_TELEMETRY=1.",
        stacklevel=2,
    )
os.environ.update(SILENT)
for _name, _value in OFFLINE.items():
    os.environ.setdefault(_name, _value)
