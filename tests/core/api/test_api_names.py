"""What is public, what it costs to import, and that tools which only read the source see the same."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import claimlight
from claimlight import errors


def loaded(code: str) -> set[str]:
    """Modules that a fresh interpreter has after ``code``."""
    told = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(told.stdout.split())


def test_the_import_brings_nothing_but_itself():
    found = loaded("import claimlight")
    assert {name for name in found if name.startswith("claimlight")} == {"claimlight"}
    assert not found & {"numpy", "sqlalchemy", "onnxruntime", "lxml", "numba", "typer", "pandas"}


def test_an_error_or_a_value_brings_no_engine():
    found = loaded("import claimlight; claimlight.AppError, claimlight.Hit, claimlight.Leg")
    assert not found & {"numpy", "sqlalchemy", "onnxruntime", "lxml", "numba"}


def test_every_public_name_is_there():
    for name in claimlight.__all__:
        assert getattr(claimlight, name) is getattr(claimlight, name)
    assert set(claimlight.__all__) <= set(dir(claimlight))
    assert claimlight.__all__ == sorted(set(claimlight.__all__))
    with pytest.raises(AttributeError, match="no attribute 'Librarian'"):
        _ = claimlight.Librarian  # type: ignore[attr-defined]


def test_who_reads_the_source_sees_the_same_names():
    """Imports for type checkers stand beside the table that is followed."""
    body = ast.parse(Path(claimlight.__file__).read_text(encoding="utf-8"))
    (guarded,) = [
        node for node in body.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    seen = {}
    for node in guarded.body:
        assert isinstance(node, ast.ImportFrom)
        seen |= {(item.asname or item.name): (node.module, item.name) for item in node.names}
    assert sorted(seen) == claimlight.__all__
    for name, (module, attribute) in seen.items():
        __import__(module)
        assert getattr(sys.modules[module], attribute) is getattr(claimlight, name)


def test_every_public_error_is_one_for_users():
    for name in ("InputError", "ParseError", "QueryError", "ResourceError"):
        assert getattr(claimlight, name) is getattr(errors, name)
        assert issubclass(getattr(claimlight, name), claimlight.AppError)


def test_every_public_name_says_what_it_is():
    for name in claimlight.__all__:
        found = getattr(claimlight, name)
        assert (found.__doc__ or "").strip(), name
        assert not found.__doc__.startswith(f"{name}("), f"{name} has only what dataclasses write"
    public = [name for name in vars(claimlight.Library) if not name.startswith("_")]
    assert not [name for name in public if not (getattr(claimlight.Library, name).__doc__ or "").strip()]


def test_what_stands_in_a_public_value_is_public():
    inside = {
        name
        for value in map(claimlight.__getattribute__, claimlight.__all__)
        for name in annotated(value)
        if name[0].isupper()
    }
    known = {*claimlight.__all__, "CenterId", "PatentId", "PassageId", "PublicationNumber", "Path"}
    assert inside - known - {"NDArray", "None", "Row", "True", "False"} == set()
    assert {"Lamp", "SystemRecall", "Quarantined"} <= inside


def annotated(value):
    """Names in the annotations of the fields of a value."""
    for field in getattr(value, "__dataclass_fields__", {}).values():
        for node in ast.walk(ast.parse(str(field.type), mode="eval")):
            if isinstance(node, ast.Name):
                yield node.id
