"""Tables that the code itself can say, inside pages that people write.

A page has `<!-- generated: NAME -->` in front of such a table and `<!-- end -->` behind it; `build.py` writes
what is between them, and ``tests/test_reference.py`` fails where it is out of date.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from claimlight.cli.front import EVENT_NAMES
from claimlight.errors import QueryError
from claimlight.formats.containers import archives, splitter
from claimlight.formats.datasets.columns import COMMON_NAMES
from claimlight.formats.registry import FORMATS
from claimlight.formats.xml import parsing
from claimlight.judging.presets import read_presets as read_judge_presets
from claimlight.retrieval.boolean.canonical import format_canonical
from claimlight.retrieval.boolean.fields import FIELDS
from claimlight.retrieval.boolean.operators import EXAMPLES, OPERATORS, RELATED, SEMANTIC
from claimlight.retrieval.boolean.parser import parse
from claimlight.services.models.model_export import list_presets

DOCS = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(<!-- generated: ([\w/.-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_SCHEMAS = (
    "search",
    "set",
    "matrix",
    "document",
    "relations",
    "diagnostics",
    "progress",
    "claims",
    "classes",
    "classify",
    "export",
    "charts",
    "judge-adaptation",
    "index-estimate",
    "push",
    "acceptance",
    "strategy",
)


def table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]] | list[tuple[str, ...]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [head, tuple("---" for _ in head), *rows]
    cells = ([" ".join(cell.split()).replace("|", "\\|") for cell in line] for line in lines)
    return (
        "\n".join(f"| {' | '.join(line)} |" for line in cells)
        .replace("| --- ", "|---")
        .replace("---|", "---|")
    )


def decisions() -> str:
    """Every decision by its title and status."""
    rows = []
    for page in sorted((DOCS / "adr").glob("0*.md")):
        text = page.read_text(encoding="utf-8")
        number, _, title = text.splitlines()[0].removeprefix("# ").partition(". ")
        status = re.search(r"\*\*Status\.\*\* (\w+(?: by \[[^]]*\]\([^)]*\))?)", text)
        rows.append((number, f"[{title}]({page.name})", status[1] if status else ""))
    return table(("", "decision", "status"), rows)


def formats() -> str:
    """Every dialect by its declaration."""
    rows = [
        (
            f"`{form.name}`",
            form.office or "any",
            form.kind,
            form.about,
            ", ".join(f"`{root}`" for root in sorted(form.roots)) or "–",
        )
        for form in FORMATS
    ]
    return table(("format", "office or project", "kind", "documents", "root elements"), rows)


def columns() -> str:
    """Fields of a column mapping, and the names that need none."""
    rows = [
        (f"`{field.value}`", ", ".join(f"`{name}`" for name in names.split()))
        for field, names in COMMON_NAMES.items()
    ]
    return table(("field", "names that are recognised (case, blanks and punctuation ignored)"), rows)


def limits() -> str:
    """Bounds of what a file may unpack to."""
    rows = [
        ("one document", f"{_size(splitter.MAX_DOCUMENT)}, {parsing.MAX_ELEMENTS:,} elements"),
        ("nesting of elements", f"{parsing.MAX_HUGE_DEPTH}"),
        ("members of an archive", f"{archives.MAX_MEMBERS:,}"),
        ("unpacked size of an archive or compressed file", _size(archives.MAX_TOTAL)),
        ("an archive inside an archive", f"{_size(archives.MAX_NESTED)} packed, one level deep"),
        (
            "unpacked size divided by packed size, of each member and of the file",
            f"{archives.MAX_RATIO} (checked above {_size(archives.RATIO_GRACE)})",
        ),
    ]
    return table(("limit", "value"), rows)


def _size(value: int) -> str:
    return f"{value >> 30} GiB" if value >= 1 << 30 else f"{value >> 20} MiB"


def presets() -> str:
    """Published models whose way of reading texts is known."""
    rows = []
    for preset in list_presets():
        shown = [f"`{preset.templates['abstract']}`" if "abstract" in preset.templates else "plain"]
        if preset.markers:
            shown.append(f"markers {' '.join(f'`{marker}`' for marker in preset.markers)}")
        if preset.tasks:
            shown.append("prompts by task")
        else:
            shown += [f"{name} prompt `{text}`" for name, text in preset.prompts.items()]
        kind = "" if preset.kind == "dense" else f", {preset.kind}"
        rows.append(
            (
                f"`{preset.name}`",
                preset.source,
                f"{preset.architecture} {preset.layers}{kind}",
                str(preset.dim),
                str(preset.max_length),
                preset.pooling,
                "; ".join(shown),
                preset.licence + ("" if preset.commercial else " **N**"),
            )
        )
    head = ("preset", "from", "architecture, layers", "dimensions", "tokens", "pooling", "texts", "licence")
    return table(head, rows)


def judge_presets() -> str:
    """Published judges whose way of reading pairs is known."""
    rows = [
        (
            f"`{preset.name}`",
            preset.source,
            preset.kind.value,
            f"{preset.architecture} {preset.layers}",
            str(preset.max_length),
            " ".join(preset.languages) or "many",
            preset.licence + ("" if preset.commercial else " **N**"),
        )
        for preset in read_judge_presets().values()
    ]
    return table(("preset", "from", "kind", "architecture, layers", "tokens", "languages", "licence"), rows)


def query_fields() -> str:
    """Fields of the query language."""
    rows = [
        (f"`.{item.field.value}.`", ", ".join(f"`.{other}.`" for other in item.others), item.help)
        for item in FIELDS
    ]
    return table(("field", "also", "holds"), rows)


def query_examples() -> str:
    """Lines that the help of the query line shows."""
    return table(("line", "finds"), [(f"`{line}`", finds) for line, finds in EXAMPLES])


def query_operators() -> str:
    """Operators with the help that completion shows."""
    return table(("operator", "finds"), [(f"`{name}`", help_) for name, help_ in OPERATORS])


def query_semantic() -> str:
    """Semantic operators with the help that completion shows."""
    return table(("operator", "finds"), [(f"`{name}…`", help_) for name, help_ in SEMANTIC])


def query_related() -> str:
    """Operators on citations and families with the help that completion shows."""
    return table(("operator", "finds"), [(f"`{name}…`", help_) for name, help_ in RELATED])


def query_precedence() -> str:
    """From the tightest operator to the loosest, as the parser itself joins three words by two of them."""
    names = [name for name, _ in OPERATORS if " " not in name]
    levels: dict[int, list[str]] = {}
    for name in names:
        levels.setdefault(sum(_binds_tighter(name, other) for other in names), []).append(f"`{name}`")
    return ", then ".join(" and ".join(levels[level]) for level in sorted(levels, reverse=True)) + "."


def _binds_tighter(one: str, other: str) -> bool:
    """Whether ``one`` takes the word it shares with ``other`` in `a OTHER b ONE c`."""
    try:
        grouped = format_canonical(parse(f"(a {other} b) {one} c"))
    except QueryError:
        return True  # what joins documents has no place inside nearness, so the line is not read like that
    return format_canonical(parse(f"a {other} b {one} c")) != grouped


def events() -> str:
    """Keys, types and meaning of the events that are values of the code."""
    parts = []
    for kind, name in EVENT_NAMES.items():
        meanings = field_texts(kind)
        rows = [
            (f"`{item.name}`", _json_type(str(item.type)), meanings.get(item.name, ""))
            for item in fields(kind)
        ]
        first = inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0].replace("``", "`")
        parts.append(f"**`{name}`** {' '.join(first.split())}\n\n" + table(("key", "type", "meaning"), rows))
    return "\n\n".join(parts)


def _json_type(annotation: str) -> str:
    """A type of a field as its JSON has it."""
    named = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
    named |= {"date": "day", "datetime": "moment", "Path": "string"}
    if " | " in annotation:
        return " or ".join(_json_type(part) for part in annotation.split(" | "))
    if several := re.fullmatch(r"tuple\[(.+), \.\.\.\]", annotation):
        return f"list of {_json_type(several[1])}"
    if pair := re.fullmatch(r"tuple\[(.+)\]", annotation):
        return f"[{', '.join(_json_type(part) for part in pair[1].split(', '))}]"
    return named.get(annotation, f"`{annotation}`")


def field_texts(kind: type) -> dict[str, str]:
    """The docstrings below the fields of a class, or below the members of a choice."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    texts: dict[str, str] = {}
    for first, second in zip(body.body, body.body[1:], strict=False):
        targets = first.targets if isinstance(first, ast.Assign) else []
        targets = [first.target] if isinstance(first, ast.AnnAssign) else targets
        if isinstance(second, ast.Expr) and targets and isinstance(target := targets[0], ast.Name):
            text = inspect.cleandoc(ast.literal_eval(second.value)).replace("``", "`")
            texts[target.id] = " ".join(text.split())
    return texts


def schema(name: str) -> str:
    """Keys, types and meaning of every object of a schema."""
    whole: dict[str, Any] = json.loads((DOCS / "schemas" / f"{name}.schema.json").read_text("utf-8"))
    parts = []
    if whole.get("properties"):
        parts.append(_object(whole))
    for key, item in whole.get("$defs", {}).items():
        if item.get("properties"):
            parts.append(
                f"**`{key}`** {item.get('description', item.get('title', ''))}".rstrip()
                + "\n\n"
                + _object(item)
            )
    simple = [
        f"* `{key}`: {_type(item)}{'. ' if item.get('description') else ''}{item.get('description', '')}"
        for key, item in whole.get("$defs", {}).items()
        if not item.get("properties")
    ]
    return "\n\n".join((*parts, "\n".join(simple)))


def _object(item: dict[str, Any]) -> str:
    needed = set(item.get("required", ()))
    rows = []
    for key, value in item["properties"].items():
        meaning = str(value.get("description", ""))
        if key not in needed:
            meaning = f"{meaning} (may be missing)".strip()
        rows.append((f"`{key}`", _type(value), meaning))
        inner = value.get("items", value)
        for own, its in inner.get("properties", {}).items():
            rows.append((f"`{key}.{own}`", _type(its), str(its.get("description", ""))))
    return table(("key", "type", "meaning"), rows)


def _type(value: dict[str, Any]) -> str:
    if "$ref" in value:
        return str(value["$ref"]).rpartition("/")[2]
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return ", ".join(f"`{json.dumps(each)}`" for each in value["enum"])
    for joined in ("anyOf", "oneOf"):
        if joined in value:
            return " or ".join(_type(each) for each in value[joined])
    kind = value.get("type", "any")
    text = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"list of {_type(value['items'])}" if "items" in value and "array" in text else text


def window_keys() -> str:
    """Every command of the window with its keys, by menu."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    script = str(Path(__file__).with_name("window_commands.py"))
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, script], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"window_commands.py: {done.stderr}")
    rows: list[tuple[str, str, str]] = json.loads(done.stdout.strip().splitlines()[-1])
    parts = []
    for menu in dict.fromkeys(menu for menu, _, _ in rows):
        keyed = [(text, f"`{keys}`") for owner, text, keys in rows if owner == menu and keys]
        others = [text for owner, text, keys in rows if owner == menu and not keys]
        more = f"\n\nWithout a key: {', '.join(others)}." if others else ""
        parts.append(f"**Menu {menu}**\n\n{table(('command', 'keys'), keyed)}{more}")
    return "\n\n".join(parts)


BLOCKS: dict[str, Callable[[], str]] = {
    "decisions": decisions,
    "formats": formats,
    "columns": columns,
    "limits": limits,
    "presets": presets,
    "judge presets": judge_presets,
    "query-fields": query_fields,
    "query-examples": query_examples,
    "query-operators": query_operators,
    "query-semantic": query_semantic,
    "query-related": query_related,
    "query-precedence": query_precedence,
    "events": events,
    "window-keys": window_keys,
    **{f"schema-{name}": lambda name=name: schema(name) for name in _SCHEMAS},
}


def pages_with_blocks() -> dict[Path, str]:
    """Every page of the documentation that has such blocks, and the text it should have."""
    found = {}
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if BLOCK.search(text):
            found[page] = BLOCK.sub(lambda block: f"{block[1]}\n{BLOCKS[block[2]]()}\n\n{block[3]}", text)
    return found
