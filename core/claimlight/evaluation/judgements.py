"""Reading judged data: texts (JSON lines), relevance (qrels), families."""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimlight.errors import InputError
from claimlight.files import parse_json

_GRADE = re.compile(r"-?[0-9]{1,9}")
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A document of a corpus, or a query."""

    name: str
    title: str
    body: str
    claims: tuple[str, ...] = ()
    description: str = ""

    @property
    def text(self) -> str:
        """Title and text joined by a newline, without claims and description."""
        return f"{self.title}\n{self.body}".strip()


@dataclass(frozen=True, slots=True)
class Judgements:
    """Relevance judgements."""

    grades: Mapping[str, Mapping[str, int]]
    """Grades of judged documents, by query; 0 and below is not relevant."""

    @property
    def queries(self) -> tuple[str, ...]:
        """Queries with at least one relevant document, in the order of the file; only these are measured."""
        return tuple(name for name in self.grades if self.relevant(name))

    def relevant(self, query: str) -> frozenset[str]:
        """Documents with a grade above 0."""
        return frozenset(name for name, grade in self.grades.get(query, {}).items() if grade > 0)


@dataclass(frozen=True, slots=True)
class JudgedFamilies:
    """Families of documents; groups with a common document are merged."""

    labels: Mapping[str, str]
    """Family of each document with relatives."""

    def label(self, name: str) -> str:
        """Label shared by all members of a family; empty for a document without relatives."""
        return self.labels.get(name, "")


def read_texts(path: Path) -> Iterator[JudgedText]:
    """Read JSON lines, optionally gzipped, with ``_id``, ``text`` and optionally ``title``.

    A full patent also has ``claims`` (a list) and ``description``; its ``text`` is the abstract. Raises
    `InputError` for a malformed line, one without ``_id`` or ``text``, and a duplicate name.
    """
    seen: set[str] = set()
    for number, line in read_numbered_lines(path):
        try:
            row = parse_json(line)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: this is not JSON ({error}).") from error
        text = _parse_text(row)
        if text is None:
            raise InputError(
                f'{path}, line {number}: an object with the texts "_id", "text" and, if there is one, '
                '"title", "claims" and "description" was expected.'
            )
        if text.name in seen:
            raise InputError(f"{path}, line {number}: {text.name} was there before; names must differ.")
        seen.add(text.name)
        yield text


def _parse_text(row: Any) -> JudgedText | None:
    if not isinstance(row, dict):
        return None
    name, title, body = row.get("_id"), row.get("title") or "", row.get("text")
    if not (isinstance(name, str) and name and isinstance(title, str) and isinstance(body, str)):
        return None
    claims, description = row.get("claims") or [], row.get("description") or ""
    if isinstance(claims, str):
        claims = [claims]
    if not (isinstance(claims, list) and all(isinstance(item, str) for item in claims)):
        return None
    return JudgedText(name, title, body, tuple(claims), description) if isinstance(description, str) else None


def read_judgements(path: Path) -> Judgements:
    """Read ``query TAB document TAB grade``, with or without a header line, or TREC qrels.

    TREC qrels are ``query iteration document grade``. Grades are integers.
    """
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for number, line in read_numbered_lines(path):
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) not in (3, 4):
            raise InputError(f"{path}, line {number}: query, document and grade were expected, not {line!r}.")
        query, document, grade = fields[0], fields[-2], fields[-1].strip()
        if not _GRADE.fullmatch(grade):
            if number == 1:
                continue  # the names of the columns
            raise InputError(f"{path}, line {number}: the grade {grade!r} is no whole number.")
        if document in grades[query]:
            raise InputError(f"{path}, line {number}: {document} was judged for {query} before.")
        grades[query][document] = int(grade)
    found = Judgements(dict(grades))
    if not found.queries:
        raise InputError(f"{path} names no relevant document for any query, so nothing can be measured.")
    return found


def read_families(path: Path) -> JudgedFamilies:
    """Read ``group TAB document``; a first line ``group TAB doc`` is a header."""
    parents: dict[str, str] = {}

    def root(label: str) -> str:
        while (above := parents.setdefault(label, label)) != label:
            label = above
        return label

    groups: dict[str, str] = {}
    for number, line in read_numbered_lines(path):
        fields = line.split("\t")
        if len(fields) != 2 or not all(fields):
            raise InputError(f"{path}, line {number}: group and document were expected, not {line!r}.")
        if number == 1 and fields[1].lower().startswith("doc") and fields[0].lower() in ("group", "family"):
            continue
        group, document = fields
        first, second = sorted((root(groups.setdefault(document, group)), root(group)))
        # The lower label is the root, so labels do not depend on the order of the lines.
        parents[second] = first
    return JudgedFamilies({document: root(group) for document, group in groups.items()})


def read_numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a text file, optionally gzipped, with numbers; without line ends and empty lines."""
    number = 0
    try:
        with path.open("rb") as raw:
            packed = raw.read(len(_GZIP)) == _GZIP
        opened = gzip.open if packed else open
        # Some programs write a byte order mark.
        with opened(path, "rt", encoding="utf-8-sig", newline="\n") as stream:
            for line in stream:
                number += 1
                if stripped := line.strip("\r\n"):
                    yield number, stripped
    except (OSError, EOFError) as error:
        raise InputError(f"{path} can't be read: {getattr(error, 'strerror', None) or error}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 after line {number} (byte {error.start}).") from error
