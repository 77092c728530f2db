"""The graph that ships is the one its script writes."""

import runpy

import pytest

from claimlight.paths import resources


@pytest.mark.train
def test_the_graph_is_that_of_its_script():
    onnx = pytest.importorskip("onnx")
    folder = resources() / "graphs"
    made = runpy.run_path(str(folder / "build.py"))["graph"]()
    assert onnx.load(folder / "activate.onnx") == made
