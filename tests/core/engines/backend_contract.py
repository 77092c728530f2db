"""What every engine must do, as tests: the checks of `claimlight.engines.checks`.

A test module of an engine has a class that inherits from `BackendContract` and a fixture ``open_backend`` of
the module's scope: a function that opens the engine, each time with the same store.
"""

from __future__ import annotations

import pytest

from claimlight.engines.checks import CHECKS


class BackendContract:
    """The tests; see the module."""

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.says)
    def test_contract(self, prepared, check):
        check.run(prepared)
