"""Phrases that the documentation, the messages and the docstrings do without; `make check` runs it.

    python docs/developers/wording.py [PATH…]

Each pattern names what to write instead. It reads Markdown, docstrings and the other texts of the program;
names, code in Markdown and tests are not read. The reasons are in writing.md.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    "core",
    "app",
    "docs",
    "bench",
    "installer",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
)
INSTEAD = {
    r"\b(?:is|are|be|was|were|been|being) told\b|\btells\b|\btelling\b": "reports, shows; distinguishes",
    r"\b(?:is|are|be|was|were) said\b": "is reported, is stated",
    r"\b(?:stands?|stood|standing) (?:in|on|at|there|behind|before|beside|by|next|under|first|alone)\b": "is",
    r"\bl(?:ie|ies|ay|ying) (?:in|on|at|beside|there|under|before|behind)\b": "is",
    r"\banew\b|\bafresh\b": "again",
    r"\bso many\b": "the number of",
    r"\bas such\b|\bat hand\b|\bon view\b|\bon show\b": "leave out; available; shown",
    r"\bwhere there (?:is|are) none\b|\bthat is none\b": "if there is none",
    r"\bfor the ear\b|\bby the mouse\b|\bin company\b": "for screen readers; pointer",
    r"\bset aside\b": "quarantined",
    r"\bon record\b": "in the history",
    r"\bmade ready\b": "prepared",
    r"\bby hand\b": "manually",
    r"\b(?:goes|go|gone|going) on (?:with|from|where|there)\b|\bgoes on\b": "continues, resumes",
    r"\bsaid of\b|\bsays of\b|\btold of\b": "reported about",
    r"\bgiven? back\b|\bgives? back\b|\btaken? back\b|\btakes? back\b": "returned, closed; undone",
    r"\bpassed over\b": "skipped, ignored",
    r"\b(?:search(?:ed|es)?|found|indexed|operators?) (?:by|of) meaning\b": "semantic, semantically",
    r"\b(?:can(?:'t|not)? |to )be had\b": "is (not) available",
    r"\bonce more\b|\bin vain\b|\bforthwith\b": "again; leave out",
}
_ABOUT_WORDS = (Path(__file__).resolve(), Path(__file__).with_name("writing.md").resolve())
FRAGMENT = re.compile(r"^Of (?:the|a|an|each|all|its|their|every|these|those|this|one|both|what|which)\b")
_CODE = re.compile(r"```.*?```|^ {4,}\S.*$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_PATTERNS = [(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in INSTEAD.items()]


def findings(path: Path) -> Iterator[str]:
    """``path:line: phrase -> instead`` for each phrase found."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        blanked = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code.group()), text)
        texts = [(1, blanked, False)]
    else:
        texts = list(_texts(ast.parse(text)))
    for line, words, docstring in texts:
        if docstring and (first := FRAGMENT.match(words)):
            yield f"{path.relative_to(ROOT)}:{line}: {first.group()} … -> begin with the noun"
        for pattern, instead in _PATTERNS:
            for match in pattern.finditer(words):
                at = line + words.count("\n", 0, match.start())
                yield f"{path.relative_to(ROOT)}:{at}: {match.group()} -> {instead}"


def _texts(tree: ast.Module) -> Iterator[tuple[int, str, bool]]:
    """Line, text and whether it is a docstring (of a module, class, function or field)."""
    alone = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value, node in alone


def files(place: Path) -> Iterator[Path]:
    """Markdown and Python below a folder, or the file itself; not the pages that name such phrases."""
    found = [place] if place.is_file() else sorted([*place.rglob("*.md"), *place.rglob("*.py")])
    yield from (path for path in found if path not in _ABOUT_WORDS)


def main(arguments: list[str]) -> int:
    """Print what was found; 1 if anything was."""
    places = [Path(name).resolve() for name in arguments] or [ROOT / name for name in PLACES]
    lines = [line for place in places for path in files(place) for line in findings(path)]
    print("\n".join(lines) if lines else "wording: nothing found")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
