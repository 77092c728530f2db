"""Commands run in this process."""

from __future__ import annotations

import pytest

from claimlight.cli.__main__ import run


@pytest.fixture
def ask(capsys):
    """Run a command of `claimlight cases`; what it printed as text."""

    def asked(*arguments, code=0):
        capsys.readouterr()
        found = run(["cases", *arguments])
        told = capsys.readouterr()
        assert found == code, told.err
        return " ".join((told.out + told.err).split())

    return asked
