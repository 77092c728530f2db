"""The page on Python and the notebook are run: their examples work, and the notebook's outputs come out."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import claimlight

DOCS = Path(__file__).resolve().parents[1] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def runner():
    spec = importlib.util.spec_from_file_location("notebook_runner", DOCS / "guide" / "notebook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_examples_of_the_page_run(capsys):
    names: dict[str, object] = {}
    blocks = BLOCK.findall((DOCS / "guide" / "python.md").read_text(encoding="utf-8"))
    assert len(blocks) > 10
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"block {number} of python.md", "exec"), names)
    told = capsys.readouterr().out
    assert told.startswith("68 True Sample\n1 imported, 0 quarantined\n1 indexed\n")
    assert told.rstrip().splitlines()[-1].startswith("InputError EP1A1 is not in the library")


def test_every_function_and_method_has_an_example():
    text = (DOCS / "guide" / "python.md").read_text(encoding="utf-8")
    functions = [name for name in claimlight.__all__ if inspect.isfunction(getattr(claimlight, name))]
    assert len(functions) == 12
    methods = [name for name, item in vars(claimlight.Library).items() if inspect.isfunction(item)]
    tables = ["to_records", "to_pandas", "to_arrow", "evidence_records"]
    wanted = [f"claimlight.{name}(" for name in functions]
    wanted += [f".{name}(" for name in (*methods, *tables) if not name.startswith("_") and name != "to_arrow"]
    assert [call for call in wanted if call not in text] == []


def test_the_notebook_is_a_notebook(runner):
    """As the format has it (nbformat 4.5): what Jupyter refuses otherwise."""
    notebook = runner.read()
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    identities = [cell["id"] for cell in cells]
    assert len(set(identities)) == len(identities) > 30
    for cell in cells:
        code = cell["cell_type"] == "code"
        keys = {"cell_type", "id", "metadata", "source"} | ({"execution_count", "outputs"} if code else set())
        assert set(cell) == keys
        assert cell["cell_type"] in {"code", "markdown"}
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"])
        for output in cell.get("outputs", ()):
            assert output["output_type"] in {"stream", "execute_result"}
    assert notebook["metadata"]["language_info"]["name"] == "python"


def test_the_notebook_runs_and_its_outputs_come_out(runner):
    """Those of cells that vary from processor to processor are only there; all others are equal."""
    notebook = runner.read()
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    made = runner.run(notebook["cells"])
    assert len(made) == len(cells)
    exact = 0
    for cell, outputs in zip(cells, made, strict=True):
        assert [item["output_type"] for item in outputs] == [item["output_type"] for item in cell["outputs"]]
        if runner.VARIES not in cell["metadata"].get("tags", ()):
            assert outputs == cell["outputs"], runner.source(cell)
            exact += 1
    assert exact >= 15


def test_the_runner_shows_what_jupyter_shows(runner):
    def cell(text):
        return {"cell_type": "code", "source": text}

    shown = runner.run(
        [cell("x = 2\nprint(x)\nx + 1"), cell("x"), cell("y = x"), cell("if x:\n    print('a')")]
    )
    assert [[item["output_type"] for item in outputs] for outputs in shown] == [
        ["stream", "execute_result"],
        ["execute_result"],
        [],
        ["stream"],
    ]
    assert shown[0][0]["text"] == ["2\n"]
    assert shown[0][1]["data"] == {"text/plain": ["3"]}
    with pytest.raises(ZeroDivisionError):
        runner.run([cell("1 / 0")])
