"""Reading a recipe: TOML, changes from the command line, and validation of every key before training."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from claimlight import codec
from claimlight.errors import InputError
from claimlight.registry import Registry
from claimlight.training.losses import LOSSES
from claimlight.training.recipe import (
    DataRecipe,
    ExportRecipe,
    ModelRecipe,
    NgramRecipe,
    OptimizerRecipe,
    RunRecipe,
    TaskRecipe,
    TrainingRecipe,
)
from claimlight.training.tasks import TASKS

RECIPES: Registry[str, Path] = Registry(
    {path.stem: path for path in sorted(Path(__file__).parent.glob("*.toml"))},
    "claimlight.lab.training.recipes:RECIPES",
)
_TABLES = ("recipe", "model", "data", "task", "optimizer", "run", "export", "ngrams")
_T = TypeVar("_T")
_POINT_FIRST = re.compile(r"[+-]?\.\d+([eE][+-]?\d+)?")
_REMOVED = {"model": ("whitening",), "ngrams": ("joined",)}
"""Keys of earlier versions, by table; ignored with a note."""


@dataclass(frozen=True, slots=True)
class _Head:
    """The table ``[recipe]``."""

    name: str = ""
    about: str = ""


def list_shipped() -> tuple[str, ...]:
    """Names of the shipped recipes."""
    return tuple(sorted(RECIPES))


def load(recipe: str | Path, changes: Sequence[str] = ()) -> TrainingRecipe:
    """Read a recipe file or a shipped recipe, with changes ``section.key=value`` applied.

    Keys of a task are ``task.NUMBER.key``, from 1, or ``task.NAME.key``; values are TOML, otherwise strings.
    Raises `InputError` with file, key and allowed values.
    """
    path = _find_file(recipe)
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not valid TOML: {error}.") from error
    for change in changes:
        apply_change(raw, change)
    return parse(raw, path.name)


def parse(raw: Mapping[str, Any], where: str) -> TrainingRecipe:
    """Parse a recipe; ``where`` names it in messages."""
    unknown = sorted(raw.keys() - _TABLES)
    if unknown:
        known = ", ".join(_TABLES)
        raise InputError(f"{where}: {', '.join(unknown)} is not known here; known keys: {known}.")
    entries = raw.get("task", [])
    if not isinstance(entries, list) or not entries or not all(isinstance(item, dict) for item in entries):
        raise InputError(f"{where}: a recipe needs at least one [[task]].")
    head = _read_table(_Head, raw, "recipe", where)
    ngrams = _read_table(NgramRecipe, raw, "ngrams", where) if "ngrams" in raw else None
    if ngrams is not None:
        _check_known("kind", ngrams.kind, TASKS, f"{where}, [ngrams]")
    recipe = TrainingRecipe(
        name=head.name or Path(where).stem,
        about=head.about,
        model=_read_table(ModelRecipe, raw, "model", where),
        data=_read_table(DataRecipe, raw, "data", where),
        tasks=_make_names_unique(
            [_read_task(entry, f"{where}, [[task]] {n}") for n, entry in enumerate(entries, start=1)]
        ),
        optimizer=_read_table(OptimizerRecipe, raw, "optimizer", where),
        run=_read_table(RunRecipe, raw, "run", where),
        export=_read_table(ExportRecipe, raw, "export", where, id="") if "export" in raw else None,
        ngrams=ngrams,
        notes=_describe_ignored(raw, where),
        text="",
    )
    return replace(recipe, text=format_canonical(recipe))


def format_canonical(recipe: TrainingRecipe) -> str:
    """All values as JSON with sorted keys; equal for recipes that are the same."""
    values = asdict(recipe)
    del values["text"], values["notes"]
    # Recipes of earlier versions must keep their canonical form: removed keys are written with their default,
    # and later keys only if they are used.
    values["model"]["whitening"] = None
    if recipe.ngrams is None:
        del values["ngrams"]
    if recipe.export is not None and not recipe.export.languages:
        del values["export"]["languages"]
    # ``default=str``: TOML values, and so parameters, may be dates and times.
    return json.dumps(values, sort_keys=True, ensure_ascii=False, default=str)


def _describe_ignored(raw: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """A note about keys of earlier versions."""
    keys = [f"{table}.{key}" for table, gone in _REMOVED.items() for key in gone if key in raw.get(table, {})]
    return (f"{where}: {', '.join(keys)} is no longer supported and ignored.",) if keys else ()


def _find_file(recipe: str | Path) -> Path:
    path = Path(recipe)
    if path.is_file():
        return path
    if str(recipe) in RECIPES:
        return RECIPES[str(recipe)]
    raise InputError(f"There is no recipe {recipe}: neither a file nor one of {', '.join(list_shipped())}.")


def apply_change(raw: dict[str, Any], change: str) -> None:
    """Set ``section.key=value`` in the tables of a recipe; `InputError` if it can't be read."""
    key, equals, text = change.partition("=")
    names = key.strip().split(".")
    if not equals or not all(names) or len(names) < 2:
        raise InputError(f"--set {change}: expected section.key=value, such as run.steps=200.")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        # Neither a bare word nor a number that begins with its point is a TOML value.
        value = float(text) if _POINT_FIRST.fullmatch(text.strip()) else text.strip()
    here: Any = raw
    while len(names) > 1:
        name = names.pop(0)
        here = _find_task(here, name, change) if isinstance(here, list) else here.setdefault(name, {})
        if not isinstance(here, (dict, list)):
            raise InputError(f"--set {change}: {name} is not a table of the recipe.")
    if not isinstance(here, dict):
        raise InputError(f"--set {change}: name the task, as in task.1.{names[0]}.")
    here[names[0]] = value


def _find_task(entries: list[Any], name: str, change: str) -> Any:
    if name.isdigit() and 1 <= int(name) <= len(entries):
        return entries[int(name) - 1]
    for entry in entries:
        if name in (entry.get("name"), entry.get("kind")):
            return entry
    raise InputError(f"--set {change}: the recipe has {len(entries)} tasks, none of them called {name}.")


def _read_table(kind: type[_T], raw: Mapping[str, Any], name: str, where: str, **given: Any) -> _T:
    """A table of the recipe as its dataclass; ``given`` is read where the table says nothing."""
    found = raw.get(name, {})
    if not isinstance(found, dict):
        raise InputError(f"{where}: {name} must be a table, [{name}].")
    return _read_values(kind, {**given, **found}, f"{where}, [{name}]", ignored=_REMOVED.get(name, ()))


def _read_values(kind: type[_T], found: Mapping[str, Any], where: str, *, ignored: Sequence[str] = ()) -> _T:
    try:
        return codec.read(kind, found, known_only=True, ignored=ignored)
    except codec.MisfitError as error:
        raise InputError(f"{where}: {error}.") from error


def _read_task(entry: Mapping[str, Any], where: str) -> TaskRecipe:
    found = _read_values(TaskRecipe, {"kind": "", "loss": "", "name": entry.get("kind", ""), **entry}, where)
    _check_known("kind", found.kind, TASKS, where)
    _check_known("loss", found.loss, LOSSES, where)
    return found


def _check_known(key: str, name: str, known: Collection[str], where: str) -> None:
    # Listing all names imports the laboratory, which a product recipe must not need.
    if name in known:
        return
    try:
        codec.check(name, codec.Rule(choices=tuple(sorted(known))), key)
    except codec.MisfitError as error:
        raise InputError(f"{where}: {error}.") from error


def _make_names_unique(tasks: list[TaskRecipe]) -> tuple[TaskRecipe, ...]:
    """Make task names unique: the second of a name gets the suffix ``-2``."""
    seen: dict[str, int] = {}
    found = []
    for task in tasks:
        seen[task.name] = seen.get(task.name, 0) + 1
        number = seen[task.name]
        found.append(replace(task, name=f"{task.name}-{number}") if number > 1 else task)
    return tuple(found)
