"""Writes the catalogs of the window: ``make languages``.

`find_texts` reads the texts of the window from its code and the vocabulary of the core that it shows. Each
``<code>.po`` beside this file keeps the translations that fit and gets the new texts, untranslated; those
that are gone go. From it ``<code>/LC_MESSAGES/claimlight.mo`` is compiled, which the window reads.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORE = ROOT / "core" / "claimlight"
WINDOW = ROOT / "app" / "claimlight_workbench"
LANGUAGES = ("de", "fr")
_CALLS = {"tr": 1, "trn": 2}
"""How many texts a call begins with."""
_SAID = (
    "services/health/words.py",
    "services/search/causes.py",
    "services/search/cell_words.py",
    "services/search/class_filter.py",
    "services/search/date_words.py",
    "services/search/feedback.py",
    "services/search/languages.py",
    "services/search/pair_words.py",
    "services/search/search_state.py",
    "services/search/verdict_words.py",
    "services/stopping/words.py",
    "types/languages.py",
    "types/relations.py",
)
"""Modules of the core whose sentences the window shows, and has translated by `tell`."""
_COMPOSED = (
    "{number} claim charts ({source}, part {part})",
    "{number} claim charts ({source}, part {part}), which took no part in the calibration",
    "{number} claim charts ({source}, part {part}), each left out of the fit",
    "{number} claim charts ({source}, part {part}), each left out of the fit with its author",
    "{number} of {documents} documents are indexed by title, abstract and claims only so far; keywords were "
    "searched in the whole text",
    "{number} of {documents} documents is indexed by title, abstract and claims only so far; keywords were "
    "searched in the whole text",
    "{number} of {documents} document is indexed by title, abstract and claims only so far; keywords were "
    "searched in the whole text",
    "{number} of {documents} documents are not indexed yet and were searched by keywords only",
    "{number} of {documents} documents is not indexed yet and was searched by keywords only",
    "{number} of {documents} document is not indexed yet and was searched by keywords only",
    "The shared library has no index yet: only query lines find documents in it. To make one: "
    "`claimlight push`",
    "No ranker could search: {reason} Query lines without semantic operators still work",
    "No ranker could search, and only query lines find documents",
    "The shared library was searched without {names}: {reason}",
    "What the date limit hides was counted without {names}: {reason}",
    "The engine at {place} did not answer within {seconds} seconds",
    "The engine at {place} can't be reached: {reason}",
    "The engine at {place} broke off: {reason}",
    "The engine at {place} refused the credentials",
    "The engine at {place} refused a request: {reason}",
    "The engine at {place} has a certificate that can't be verified: {reason}",
    "The engine at {place} gave an answer that is not Qdrant's: {reason}",
    "The engine at {place} gave {found} of at least {there} hits",
    "The engine at {place} has no index {name}",
    "The engine at {place} is too busy: {reason}",
    "it asks to wait {seconds} s",
    "The index {name} was made with another model or other settings",
    "The PostgreSQL server at {place} did not answer within {seconds} seconds",
    "The PostgreSQL server at {place} can't be reached. Check the network, and whether the server runs",
    "The PostgreSQL server at {place} has no index {name}",
    "The PostgreSQL server at {place} has no index of this name",
    "The PostgreSQL server at {place} does not allow the user to use the index. `claimlight push --readers` "
    "gives the right",
    "The PostgreSQL server at {place} refused the user name or the password",
    "The PostgreSQL server at {place} has no TLS, or its certificate is not trusted: {reason}",
    "The PostgreSQL server at {place} refused: {reason}",
    "postgresql://{place} can't be reached: {reason}. Check the address, the network and whether the "
    "server is running",
    "postgresql://{place} did not answer within {seconds} seconds. Check the address, the network "
    "and whether the server is running",
    "The address of a shared library is postgresql://USER@HOST/DATABASE, with ?engine=… if an engine "
    "holds its index",
    "The address has a password in it, where others could read it: in lists of processes, in "
    "settings, in reports",
    "Leave it out",
    "The window and `claimlight library login ADDRESS` ask for it and keep it in the keyring; "
    "scripts set CLAIMLIGHT_DATABASE_PASSWORD",
    "The address names no database: postgresql://USER@HOST/DATABASE",
    "sslmode of the address is one of {modes}",
    "Others would send queries and password without encryption if the server asks for it",
    "The address of the library has a # in it; write %23 where a name has one",
    "The address has %00 in it",
    "The engine has no address of a known kind: expected milvus://HOST:PORT, milvuss://… with TLS, "
    "qdrant://HOST:PORT or qdrants://… with TLS",
    "The address of the engine has a user or password in it, which others could read there",
    "Leave it out; `claimlight library login ADDRESS --token` asks for the token and keeps it in the keyring",
    "The address of the engine ends after its port, or with ?NAME=VALUE",
    "dense= in the address of the engine is one of {known}",
    "authorities= in the address of the engine is for milvuss:// and qdrants://: without TLS no "
    "certificate is checked",
    "The file {file} of authorities= has no certificate (PEM) in it",
    "The file {file} of authorities= can't be read: {reason}",
    "Name the certificates of the office's authority there",
    "Leave it out, and use `claimlight library login ADDRESS` or the environment",
    "Known are: {known}",
    "Names have letters, digits, hyphens and dots; IPv6 addresses are in brackets",
    "no server is listening there",
    "there is no host of this name",
    "the network is unreachable",
    "the connection was cut off",
    "postgresql://{place} does not exist: the server has no database of this name",
    "postgresql://{place} holds no Claimlight library. `claimlight push --create` makes one",
    "postgresql://{place} refused the user or the password. {advice}",
    "postgresql://{place} asks for a password. {advice}",
    "Set CLAIMLIGHT_DATABASE_PASSWORD, or keep the password in the keyring",
    "postgresql://{place} refused the user. Ask its administrator for access to the database",
    "postgresql://{place} does not allow the user to do this. `claimlight push --readers` lets a "
    "user search; only the owner can push. {outcome}",
    "Nothing was changed",
    "{claim}: {document} is the only document marked Y; Y needs a second document",
    "no cited document was published before {priority}, the earliest date of the application",
    "{document} is marked {letters} without X, Y or A",
    "a search report has one of them beside {letter}",
    "{document} is marked {letters}, but it is not among the documents that the application cites",
    "{document} is marked {letters} without a confirmed passage",
    "{document} is marked E,Y, but an earlier application that was published later counts for novelty only",
    "{document} is marked {letters} but was published on {day}, on or after the earliest date of the claim",
    "Its date status is",
    "{document} is marked {letters}, but a date that decides on its status is missing",
    "{document} is marked Y but counts for novelty only, not for inventive step",
    "{document} is marked {letters}, but its date status is",
    "{document} is marked {letters} but was published on {day}, before the relevant date",
    "T is for a later document that explains the invention",
    "{document} is marked irrelevant (0)",
    "{n} confirmed passage left out",
    "{n} confirmed passages left out",
    "The application has neither a filing date nor a priority date: no document has a date status",
    "The priority of {priority} is not verified: the relevant date is the filing date, {relevant}",
    "The library of the case is not open: bibliographic data and date statuses are missing",
    "The case has no recorded search",
    "Claim {number} is independent and no document has a category for it",
    "{document} is not in the library: its title, parties and dates are missing",
    "{document} has confirmed passages but no category",
    "{passage} has another text in the library than was confirmed. The report quotes the confirmed text",
    (
        "{document} is marked {letters} for claim {claim} of an earlier version of the claims, which "
        "has other words now or is gone"
    ),
    "Claim {number}: passages are confirmed for an earlier wording of a feature, “{words}”",
    "Claim {number}",
    "The application",
    "This document was imported before the names of drawings were read. Import its file again: {path}",
    "The file of this document names no pictures: {path}",
    (
        "The file of this document is not where it was, and {what} were not kept: {path}. If it is "
        "elsewhere now, import it from there, or: claimlight library drawings --from FOLDER"
    ),
    (
        "{what} can't be found beside the file: {path}. Put the pictures there, or in another folder "
        "with the file, and import the file again, or: claimlight library drawings --from FOLDER"
    ),
    (
        "{what} can't be found in the archive: {path}. Put the pictures there, or in another folder "
        "with the file, and import the file again, or: claimlight library drawings --from FOLDER"
    ),
    "as filed",
    "figure {label}",
    "figures {label}",
    "{n} document left out of pairs",
    "{n} documents left out of pairs",
    "{n} document shown in pairs, though not to be combined",
    "{n} documents shown in pairs, though not to be combined",
    "{n} document counts",
    "{n} documents count",
    "{n} novelty only (Art. 54(3) EPC)",
    "{n} not prior art",
    "{n} not prior art (later)",
    "{n} full prior art",
    "{n} dates missing",
    "probability or match strength",
    "X, Y, A, P, E or O",
    "{n} document lacks a date that decides",
    "{n} documents lack a date that decides",
    "word by word in {label}",
    "{scope} and the rest of the library",
    (
        "About {round} relevant documents are left among {unread} unread (95 % interval: {low} to {high}), "
        "as {positive} of the {plural} of the sample is relevant"
    ),
    (
        "About {round} relevant documents are left among {unread} unread (95 % interval: {low} to {high}), "
        "as {positive} of the {plural} of the sample are relevant"
    ),
    "semantic search",
    "keywords and semantic search",
    "keywords and concepts",
    "semantic search and concepts",
    "keywords, semantic search and concepts",
    "The shared library was searched without keywords: {reason}",
    "The shared library was searched without concepts: {reason}",
    "What the date limit hides was counted without keywords: {reason}",
    "What the date limit hides was counted without concepts: {reason}",
    "{join} and {further} more",
    "1 document is in {language}",
    "{first} documents are in {language}",
    "{n} in {language}",
    (
        "ONNX Runtime, which runs the models, is not installed: install claimlight[cpu], or claimlight[gpu] "
        "for a graphics card"
    ),
    "The graphics card was requested, but this installation has no CUDA support",
    "the encoder runs on the processor",
    "the judge runs on the processor",
    "To use the card, install claimlight[gpu]",
    "The graphics card can't be used (driver or CUDA libraries are missing)",
    "The graphics card failed ({error})",
    "the encoder continues on the processor",
    "the judge continues on the processor",
    "abstract",
    "cited by applicant",
    "cited by examiner",
    "cited by other",
    "cited by third party",
    "documents of this library that it cites",
    "documents that cite it or another publication of its application",
    "documents with the same priorities, itself among them",
    "without its own family",
    (
        "similarity {least} or more (mean of the library {mean} + {deviations} × its standard deviation "
        "{spread}), the nearest document in any case, {depth} documents at most"
    ),
    "Application",
    "Application with search report",
    "Application without search report",
    "Application, first publication",
    "Application, corrected publication",
    "Application, republication",
    "Application (Offenlegungsschrift)",
    "Examined application",
    "Examined application (Auslegeschrift)",
    "Unexamined application",
    "Corrected first page of the application",
    "Corrected first page of the international application",
    "Corrected first page of the patent",
    "Corrected reprint of the application",
    "Corrected reprint of the international application",
    "Corrected reprint of the patent",
    "International application with search report",
    "International application without search report",
    "International search report, later publication",
    "Amended claims or statement, later publication",
    "Republication of an international application",
    "Patent",
    "Patent (before 2001)",
    "Patent (former law)",
    "Patent after limitation",
    "Patent as amended in opposition",
    "Patent after publication of the application",
    "Patent without earlier publication of the application",
    "Patent, first publication",
    "Patent, second publication",
    "Patent, third publication",
    "Design patent",
    "Plant patent (before 2001)",
    "Reissue",
    "Reexamination certificate",
    "Statutory invention registration",
    "Search report",
    "Supplementary search report",
    "Supplementary protection certificate",
    "Translation of a European patent",
    "Corrected translation of a European patent",
    "Translation of an international application",
    "Translation of the claims of a European application",
    "Utility model",
    "Utility model application",
    "Registered utility model",
)
"""Sentences that these modules compose of words."""
_ADDRESSED = tuple(
    text.replace("{what}", what)
    for what in ("library", "engine")
    for text in (
        "The address of the {what} has spaces or control characters in it",
        "The address of the {what} has a host that can't be read",
        "What follows the ? of the address of the {what} is no list of NAME=VALUE joined by &",
        "The address of the {what} has a secret in it ({name}), where others could read it",
        "The address of the {what} has a parameter that is not known",
        "The address of the {what} has {name} twice",
        "The address of the {what} has {name} without a value",
        "The address of the {what} names no host",
        "The address of the {what} names several hosts; give one",
        "The address of the {what} has no IPv6 address in its brackets",
        "The host of the {what} is neither a name nor an IP address",
        "The port of the {what} is not a number from 1 to {most}",
    )
)
"""What is wrong with an address; other languages decline what it is the address of."""
_VALUES = ("types/statistics.py", "types/strength.py")
"""Modules whose enumerations it shows."""
_ORDINARY = frozenset(
    (
        "and",
        "are",
        "call",
        "called",
        "cells",
        "cpc",
        "document",
        "mean",
        "near",
        "the document",
        "precision",
        "cleared",
        "silenced",
        "lacks",
        "lack",
        "count",
    )
)
"""Parts of sentences, and names of settings and figures, that words of a claim could be taken for."""
_VAGUE = frozenset(("{join} and {last}",))
"""Of few letters, and needed: it joins languages."""
_WORDS = re.compile(r"[^\W\d_]{3,}")
_SEPARATORS = " ,;:.·"
_WIDTH = 110
# Dates would change the files whenever they are written.
_DATE = datetime(2026, 1, 1, tzinfo=UTC)

CORE_MARK = "core\x04"
Key = tuple[str, ...]
"""A text, or what is said of one and of many, or `CORE_MARK` and a sentence of the core."""


def find_texts() -> dict[Key, list[str]]:
    """Every text of the window, with the files that have it."""
    found: dict[Key, list[str]] = {}
    for path in sorted(WINDOW.rglob("*.py")):
        place = path.relative_to(WINDOW).as_posix()
        for key in texts_of(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(key, []).append(place)
    for text in core_texts():
        found.setdefault((text,), []).append("core")
    for path in (*_SAID, *_VALUES):
        for text in sentences_of(
            ast.parse((CORE / path).read_text(encoding="utf-8")), values=path in _VALUES
        ):
            found.setdefault((CORE_MARK, text), []).append(f"core/{path}")
    for text in (*_COMPOSED, *_ADDRESSED):
        found.setdefault((CORE_MARK, text), []).append("core")
    return {key: sorted(set(places)) for key, places in found.items()}


def texts_of(tree: ast.AST) -> Iterator[Key]:
    """The texts that a module has translated."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            texts = [
                each.value for each in node.args[: _CALLS[node.func.id]] if isinstance(each, ast.Constant)
            ]
            if len(texts) == _CALLS[node.func.id] and all(isinstance(each, str) and each for each in texts):
                yield tuple(texts)


def sentences_of(tree: ast.AST, *, values: bool) -> Iterator[str]:
    """The texts of a module of the core, without the separators around them; f-strings with named fields.

    ``values``: those of its enumerations only.
    """
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            fits = isinstance(child, (ast.Constant, ast.JoinedStr)) and not isinstance(
                node, (ast.Expr, ast.JoinedStr, ast.Subscript, ast.Compare, ast.arg)
            )
            if isinstance(node, ast.ClassDef) and values:
                for each in node.body:
                    if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant):
                        yield from filter(None, [_template(each.value)])
                break
            if not fits or values or (isinstance(node, ast.Dict) and child in node.keys):
                continue
            text = _template(child).strip(_SEPARATORS)
            bare = re.sub(r"\{\w*\}", "", text)
            # With few letters between its fields a sentence would be taken for others.
            vague = text.count("{") > 1 and len(re.findall(r"[^\W\d_]", bare)) < 5 and text not in _VAGUE
            if (
                _WORDS.search(bare)
                and not vague
                and "\\" not in bare
                and (text not in _ORDINARY or _is_plural(node))
            ):
                yield from _counted(node, text)


def _counted(parent: ast.AST, text: str) -> Iterator[str]:
    """A text, or as `plural` writes it for one and for many."""
    if isinstance(parent, ast.Call) and _is_plural(parent):
        yield f"{{n}} {text}"
        if len(parent.args) == 2:
            yield f"{{n}} {text}s"
    else:
        yield text


def _is_plural(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "plural"


def _template(node: ast.AST) -> str:
    """The text of a literal; a field is named by the last name in it."""
    if isinstance(node, ast.Constant):
        names = iter("abcdefgh")
        text = node.value if isinstance(node.value, str) else ""
        return re.sub(r"\{\}", lambda _: f"{{{next(names)}}}", text)
    text, names = "", set[str]()
    for part in getattr(node, "values", ()):
        if isinstance(part, ast.Constant):
            text += str(part.value)
            continue
        found = [each.attr if isinstance(each, ast.Attribute) else each.id for each in _names(part.value)]
        name = plain = re.sub(r"\W", "", (found or ["value"])[0]).lower().strip("_")
        count = 1
        while name in names:
            count += 1
            name = f"{plain}_{count}"
        names.add(name)
        text += f"{{{name}}}"
    return text


def _names(node: ast.AST) -> list[ast.Attribute | ast.Name]:
    return [each for each in ast.walk(node) if isinstance(each, (ast.Attribute, ast.Name))]


def core_texts() -> Iterator[str]:
    """The vocabulary of the core that the window shows: settings, verdicts, dates, query language."""
    from claimlight.services.sets import query_help
    from claimlight.settings import list_declared
    from claimlight_workbench.screens.models.judge_box import SHOWN
    from claimlight_workbench.screens.settings.view import ELSEWHERE

    for item in list_declared():
        if item.key in SHOWN or (not item.advanced and item.key not in ELSEWHERE):
            yield from (text for text in (item.label, item.help, *item.names) if text)
    for rows in (
        query_help.EXAMPLE_ROWS,
        query_help.OPERATOR_ROWS,
        query_help.CALL_ROWS,
        query_help.FIELD_ROWS,
    ):
        yield from (row.help for row in rows)


def read_catalog(code: str) -> Catalog:
    """The catalog of a language as it is; empty if there is none."""
    path = HERE / f"{code}.po"
    if not path.exists():
        return Catalog(code)
    with path.open("rb") as file:
        return read_po(file, locale=code)


def merged(code: str, texts: dict[Key, list[str]]) -> Catalog:
    """A catalog with exactly these texts, and the translations that there are."""
    before = read_catalog(code)
    catalog = Catalog(
        code,
        project="Claimlight",
        version="",
        fuzzy=False,
        charset="utf-8",
        creation_date=_DATE,
        revision_date=_DATE,
        last_translator="",
        language_team="",
        header_comment=f"# The window in {catalog_name(code)}. `make languages` writes this file.",
    )
    for key, places in sorted(texts.items(), key=lambda item: (item[1][0], item[0])):
        context = "core" if key[0] == CORE_MARK else None
        text = key[-1] if context or len(key) == 1 else key
        old = before.get(text, context=context)
        fits = old is not None and isinstance(old.id, tuple) == isinstance(text, tuple)
        catalog.add(
            text,
            (old.string if old is not None and fits else "") or _empty(text, catalog),
            context=context,
            locations=[(place, None) for place in places],
        )
    return catalog


def _empty(text: str | Key, catalog: Catalog) -> str | Key:
    return "" if isinstance(text, str) else ("",) * catalog.num_plurals


def key_of(message: Message) -> Key:
    """The key of an entry of a catalog."""
    if message.context:
        return (CORE_MARK, str(message.id))
    return tuple(message.id) if isinstance(message.id, tuple) else (message.id,)


def catalog_name(code: str) -> str:
    """``German``."""
    return str(Catalog(code).locale.english_name)


def po_bytes(catalog: Catalog) -> bytes:
    """What the ``.po`` file holds."""
    file = io.BytesIO()
    write_po(file, catalog, width=_WIDTH, include_lineno=False, ignore_obsolete=True)
    return file.getvalue()


def mo_bytes(catalog: Catalog) -> bytes:
    """What the ``.mo`` file holds: translated texts only."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def compiled_path(code: str) -> Path:
    """Where the window reads the catalog."""
    return HERE / code / "LC_MESSAGES" / "claimlight.mo"


def main() -> None:
    """Write all catalogs."""
    texts = find_texts()
    for code in LANGUAGES:
        catalog = merged(code, texts)
        (HERE / f"{code}.po").write_bytes(po_bytes(catalog))
        compiled_path(code).parent.mkdir(parents=True, exist_ok=True)
        compiled_path(code).write_bytes(mo_bytes(catalog))
        lacking = sum(not each.string or not any(each.string) for each in catalog if each.id)
        print(f"{code}: {len(texts):,} texts, {lacking:,} without a translation")


if __name__ == "__main__":
    sys.exit(main())
