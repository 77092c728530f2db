"""Writes the pages of this folder that the code itself can say: the command line and the settings.

    python docs/reference/build.py

``tests/test_reference.py`` fails where a page is not what this would write.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import typer
from typer.main import get_command

from claimlight.cli.__main__ import app
from claimlight.cli.value_names import name_values
from claimlight.lab.cli.group import lab_app
from claimlight.settings import Settings

HERE = Path(__file__).resolve().parent
_CLI_HEAD = """# Every command and option

Written from the program by `python docs/reference/build.py`.
[The command line](../cli.md) says how they are used together; `claimlight COMMAND --help` prints the same.
"""
_LAB_HEAD = """# Every command of the laboratory

Written from the program by `python docs/reference/build.py`.
[The laboratory](../lab/index.md) says what they measure; `claimlight lab COMMAND --help` prints the same.
"""
_SETTINGS_HEAD = """# Every setting

Written from the program by `python docs/reference/build.py`.
`claimlight settings list` shows the values in use, `claimlight settings set KEY VALUE` changes one.
"""


def pages() -> dict[str, str]:
    """Name and text of every generated page."""
    return {
        "cli.md": _command_page(app, _CLI_HEAD, "claimlight"),
        "lab.md": _command_page(lab_app, _LAB_HEAD, "claimlight lab"),
        "settings.md": _settings_page(),
    }


def _command_page(commands: typer.Typer, head: str, path: str) -> str:
    root: Any = get_command(commands)
    context = typer.Context(root, info_name=path)
    parts = [head]
    sections: dict[str, list[str]] = {}
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        name_values(command)
        panel = str(getattr(command, "rich_help_panel", "") or "Program")
        sections.setdefault(panel, []).extend(_command(command, f"{path} {name}"))
    for panel, texts in sections.items():
        parts.append(f"## {panel}\n")
        parts.extend(texts)
    return "\n".join(parts).rstrip() + "\n"


def _command(command: Any, path: str) -> Iterator[str]:
    """A command, or all commands of a group."""
    if command.hidden:
        return
    inner = getattr(command, "commands", None)
    if inner is not None:
        for name, item in inner.items():
            yield from _command(item, f"{path} {name}")
        if not getattr(command, "invoke_without_command", False):
            return
    yield f"### `{path}`\n"
    yield _flat(command.help or command.callback.__doc__ or "") + "\n"
    rows = [row for option in command.params if (row := _row(option))]
    if rows:
        yield "| argument or option | meaning |\n|---|---|"
        yield "\n".join(rows) + "\n"


def _row(option: Any) -> str:
    if getattr(option, "hidden", False):
        return ""
    names = [*option.opts, *option.secondary_opts]
    if option.param_type_name == "argument":
        name = str(option.metavar or option.name.upper())
        shown = f"`{name}`" if option.nargs != -1 or name.endswith("…") else f"`{name}…`"
    else:
        value = f" {option.metavar}" if option.metavar else ""
        shown = ", ".join(f"`{name}{value}`" for name in sorted(names, key=len))
    told = _flat(option.help or "")
    default = option.default
    if default not in (None, False, True, "", (), []) and not callable(default):
        told += f" Default: `{getattr(default, 'value', default)}`."
    if option.required:
        told += " Required."
    return f"| {_cell(shown)} | {_cell(told.strip())} |"


def _settings_page() -> str:
    parts = [_SETTINGS_HEAD]
    hints = get_type_hints(Settings)
    for group in fields(Settings):
        kind = hints[group.name]
        if not hasattr(kind, "__dataclass_fields__"):
            continue
        parts.append(f"## {group.name}\n\n{_flat(kind.__doc__ or '')}\n")
        parts.append("| key | default | meaning |\n|---|---|---|")
        for item in fields(kind):
            told = item.metadata
            limits = _limits(told)
            meaning = f"{told['label']}. {told['help']}{f' {limits}.' if limits else ''}"
            value = item.default if item.default != "" else "(empty)"
            parts.append(f"| `{group.name}.{item.name}` | `{value}` | {_cell(_flat(meaning))} |")
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _limits(told: Any) -> str:
    if "choices" in told:
        return "One of " + ", ".join(f"`{choice}`" for choice in told["choices"])
    if "minimum" in told and "maximum" in told:
        return f"{told['minimum']} to {told['maximum']}"
    return f"At least {told['minimum']}" if "minimum" in told else ""


def _flat(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
    sys.stderr.write(f"{len(pages())} pages written to {HERE}\n")


if __name__ == "__main__":
    main()
