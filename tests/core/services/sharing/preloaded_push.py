"""Imported once by the server of processes: what a push needs, with its compiled loops loaded."""

from __future__ import annotations

import numpy as np
import psycopg  # noqa: F401
from pushing_fakes import push_and_die

from claimlight.index import portable
from claimlight.index.forward import select_entries
from claimlight.index.live import LiveSegment

__all__ = ["push_and_die"]

_NONE = np.empty(0, dtype=np.int64)
select_entries(LiveSegment(portable.decode([], centers=1, dim=1), _NONE), _NONE, None)
