"""The generated pages of the reference say what the program says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"


def written() -> dict[str, str]:
    """The pages as `docs/reference/build.py` would write them now."""
    spec = importlib.util.spec_from_file_location("reference_build", FOLDER / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.pages())


@pytest.mark.parametrize("name", ["cli.md", "lab.md", "python.md", "settings.md"])
def test_the_page_is_what_the_program_says(name):
    found = (FOLDER / name).read_text(encoding="utf-8")
    assert found == written()[name], "run `make reference`"
