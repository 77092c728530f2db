"""Runs the notebook of this folder and writes its outputs into it.

    python docs/guide/notebook.py

Cells run one after the other in one namespace, without Jupyter; what a cell prints and the value of its last
line are its outputs. ``tests/test_notebook.py`` runs it too. A cell with the tag ``varies`` shows figures
that differ in the last digits from processor to processor, folders, or what is installed; the outputs of all
others must come out as stored.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).with_name("notebook.ipynb")
VARIES = "varies"


def read(path: Path = NOTEBOOK) -> dict[str, Any]:
    """The notebook as JSON has it."""
    body: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return body


def source(cell: dict[str, Any]) -> str:
    """The text of a cell, whichever way it is stored."""
    text = cell["source"]
    return text if isinstance(text, str) else "".join(text)


def run(cells: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The outputs of each code cell, in order; what a cell raises is raised."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [
        _outputs(source(cell), names, number)
        for number, cell in enumerate((cell for cell in cells if cell["cell_type"] == "code"), 1)
    ]


def _outputs(text: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    body = ast.parse(text)
    last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(body, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        found.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        found.append(
            {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        )
    return found


def main() -> None:
    notebook = read()
    made = iter(run(notebook["cells"]))
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"], cell["outputs"] = number, next(made)
    NOTEBOOK.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    sys.stderr.write(f"{number} cells were run\n")


if __name__ == "__main__":
    main()
