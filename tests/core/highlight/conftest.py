"""The loops are loaded once, so that no single test is charged for it."""

import numpy as np
import pytest


@pytest.fixture(scope="session", autouse=True)
def _compiled():
    from claimlight.index.forward_kernels import find_meetings
    from claimlight.index.generation import warm_evidence

    none = np.empty(0, np.int32)
    find_meetings(
        np.zeros(1, np.int64),
        none,
        np.empty(0, np.uint8),
        np.zeros(1, np.int32),
        np.zeros((0, 256)),
        np.empty(0),
    )
    warm_evidence(np.zeros(1, np.int64), none, np.empty(0, np.uint8), np.ones((1, 256)), np.empty(0))
