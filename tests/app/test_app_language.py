"""The window in its languages: every text goes through `tr`, and every catalog fits the texts."""

from __future__ import annotations

import ast
import gettext
import importlib.util
import re
import string
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from psycopg import OperationalError
from psycopg.errors import InsufficientPrivilege, InvalidCatalogName, InvalidPassword, UndefinedTable
from PySide6.QtWidgets import QMainWindow

from claimlight.engines.postgres.sessions import Sessions
from claimlight.engines.reasons import tell_reason, tell_shortfall
from claimlight.errors import EngineError, InputError
from claimlight.services.search.index_notes import (
    NO_SHARED_INDEX_NOW,
    describe_claims_only,
    describe_gone,
    describe_uncounted,
    describe_waiting,
)
from claimlight.services.sharing.addresses import SharedAddress
from claimlight.store.postgres.connecting import UnknownHostError
from claimlight.store.postgres.explaining import explain
from claimlight.types import Ranker
from claimlight_workbench import language
from claimlight_workbench.language import english, inside, number, tell, tr, trn
from claimlight_workbench.main_window.commands import Command, install
from claimlight_workbench.models.links import LinkBoard
from claimlight_workbench.screens.query.panel import ClaimPanel
from claimlight_workbench.widgets.key_sheet import CommandPalette, name_of, words_of
from tests.core.services.sharing.test_addresses import FAULTY

pytestmark = pytest.mark.styled

ROOT = Path(__file__).resolve().parents[2]
WINDOW = ROOT / "app" / "claimlight_workbench"

_REFUSALS = (InsufficientPrivilege, InvalidCatalogName, InvalidPassword, UndefinedTable)
_TRANSLATING = {"tr", "trn"}
_SHOWING = {
    "Command", "QAction", "QCheckBox", "QLabel", "QPushButton", "addAction", "addButton", "addItem", "addRow",
    "addTab", "say", "setAccessibleDescription", "setAccessibleName", "setHeaderLabels", "setPlaceholderText",
    "setStatusTip", "setSuffix", "setText", "setTitle", "setToolTip", "setWindowTitle", "showMessage",
}  # fmt: skip
"""Calls whose texts are shown whatever they look like."""
_SILENT = {
    "ValueError", "TypeError", "RuntimeError", "add_argument", "ArgumentParser", "compile", "cast", "getattr",
    "parser.error", "setObjectName", "setStyleSheet", "setDisplayFormat", "strftime", "removesuffix", "split",
    "error", "get", "sub", "horizontalAdvance", "removeprefix", "partition", "startswith",
}  # fmt: skip
"""Calls whose texts no user sees, or only in a terminal."""
_SILENT_FILES = {"theme.py", "text_size.py", "bootstrap.py"}
"""Style sheets, and the command line, which is English."""
_SILENT_NAMES = {"sample"}
_SAME = {"Claimlight"}
_MARKUP = re.compile(r"<[^>]*>|&\w+;|\{[^}]*\}")
_WORDS = re.compile(r"[^\W\d_]{2,} [^\W\d_]{2,}")
_WORD = re.compile(r"[^\W\d_]{2,}")
# Keys as they are printed, and operators of query lines.
_KEYS = re.compile(r"(?:(?:Ctrl|Shift|Alt)\+)+(?:\S|\w+|\{\})|Backspace|Esc")
_QUERY = re.compile(r"\b(?:AND|OR|NOT|SAME|CITED|CITING|FAMILY)\b")


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    """`resources/languages/build.py` as a module."""
    spec = importlib.util.spec_from_file_location("languages_build", ROOT / "resources/languages/build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def german() -> Iterator[None]:
    """German, with a catalog of its own."""

    class Catalog(gettext.NullTranslations):
        def gettext(self, message: str) -> str:
            known = {"Open library…": "Bibliothek öffnen…", "{name} of {n:,}": "{name} von {n:,}"}
            return known.get(message, message)

        def ngettext(self, one: str, many: str, n: int) -> str:
            return "{n:,} Dokument" if n == 1 else "{n:,} Dokumente"

    language.use("de")
    language._now.catalog = Catalog()
    yield
    language.use("en")


def test_a_text_is_translated_with_its_fields_and_knows_its_english(german):
    assert tr("{name} of {n:,}", name=tr("Open library…"), n=12345) == "Bibliothek öffnen… von 12.345"
    assert english(tr("{name} of {n:,}", name=tr("Open library…"), n=12345)) == "Open library… of 12,345"
    assert (trn("{n:,} document", "{n:,} documents", 1), trn("{n:,} document", "{n:,} documents", 2000)) == (
        "1 Dokument",
        "2.000 Dokumente",
    )
    assert tr("A text without a translation, with {braces}") == "A text without a translation, with {braces}"
    assert tr("") == ""
    assert (number(1234.5, ",.1f"), inside("Klasse")) == ("1.234,5", "Klasse")


def test_the_language_is_that_of_the_setting_or_the_first_known_of_the_system():
    assert language.choose("fr", ["de-AT"]) == "fr"
    assert language.choose("system", ["ja-JP", "de_AT", "fr-FR"]) == "de"
    assert language.choose("system", ["ja-JP"]) == language.choose("nonsense", []) == "en"


def test_sentences_of_the_core_are_translated_where_they_are_shown(builder):
    language.use("de")
    try:
        assert tell("strong match") == "starke Übereinstimmung"
        assert tell("match strength 44 (medium match), best passage claim 1") == (
            "Übereinstimmungsgrad 44 (mittlere Übereinstimmung), beste Textstelle Anspruch 1"
        )
        assert tell(
            "No pair likely discloses more features than the best single document; a feature counts from a "
            "probability of 50, without a verdict from a match strength of 60"
        ).endswith("ab einer Wahrscheinlichkeit von 50, ohne Bewertung ab einem Übereinstimmungsgrad von 60")
        assert tell("disclosed (probability 91), best passage [0042]; missing: spring, valve") == (
            "offenbart (Wahrscheinlichkeit 91), beste Textstelle [0042]; fehlt: spring, valve"
        )
        assert tell("1,234 documents hidden by the date limit (date status unknown)").startswith(
            "1.234 Dokumente durch den Stichtag"
        )
        assert tell("What no catalog knows, 3.5") == "What no catalog knows, 3,5"
    finally:
        language.use("en")
    assert tell("strong match") == "strong match"


_FAULTS = ("can't be reached", "broke off")
_SAID = ("Connection refused", "No route to host", "Name or service not known", "Socket closed")


_ENGINE_REFUSALS = (
    UndefinedTable(),
    InsufficientPrivilege(),
    InvalidPassword("authentication failed"),
    OperationalError("server certificate expired"),
    OperationalError("no route"),
    OperationalError("FATAL: 57P03"),
)


def _engine_says(fault: Exception) -> str:
    """The message for an error of psycopg."""
    with pytest.raises(EngineError) as caught, Sessions("postgresql://db:2/p")._sentences(5.0):
        raise fault
    return str(caught.value)


def test_numbers_of_documents_are_in_the_case_that_german_needs(german):
    assert tell(describe_waiting(41, 68)).startswith("41 von 68 Dokumenten sind")
    assert tell(describe_claims_only(1, 2_000)).startswith("1 von 2.000 Dokumenten ist")
    assert tell(describe_waiting(1, 1)).startswith("1 von 1 Dokument ist")


@pytest.mark.parametrize("code", [pytest.param("de", id="German"), pytest.param("fr", id="French")])
def test_what_a_library_on_servers_says_is_in_one_language(code):
    """Each sentence of the core is made by its own function; no English word is left between the fields."""
    name, refused = "postgresql://db:1/p", "The engine at db:2 did not answer within 5 seconds."
    every = [Ranker.BM25, Ranker.DENSE, Ranker.CENTERS]
    sentences = [
        describe_claims_only(426, 509),
        describe_claims_only(1, 2),
        describe_waiting(7, 9),
        describe_waiting(1, 1),
        describe_gone(every, refused, every=True),
        describe_gone(every[1:], refused, every=False),
        describe_uncounted(every, refused),
        describe_gone(every[2:], tell_shortfall("db:2", 3, 2_000), every=False),
        f"{NO_SHARED_INDEX_NOW}: {refused}",
        explain(UnknownHostError(), name, ""),
        *(f"The engine at db:2 {what}: {tell_reason(said)}." for what in _FAULTS for said in _SAID),
        "The engine at db:2 refused the credentials.",
        *(explain(error(), name, "Nothing was changed.") for error in _REFUSALS),
        *(_engine_says(error) for error in _ENGINE_REFUSALS),
    ]
    language.use(code)
    try:
        for sentence in sentences:
            told = tell(sentence)
            assert told != sentence
            assert not re.search(
                r"\b(and|the|is|are|was|were|only|not|of|this|user|keywords|search)\b", told
            ), told
            assert "db:" in told or "postgresql" not in sentence
    finally:
        language.use(language.ENGLISH)


@pytest.mark.parametrize("code", [pytest.param("de", id="German"), pytest.param("fr", id="French")])
def test_what_is_wrong_with_an_address_is_said_in_one_language(code):
    language.use(code)
    try:
        for address in (*(text for text, _ in FAULTY), "postgresql://a:b@db/p", "postgresql://db/p?token=x"):
            with pytest.raises(InputError) as refused:
                SharedAddress.parse(address)
            told = tell(str(refused.value))
            assert told != str(refused.value), address
            assert not re.search(r"\b(address|and|are|has|is|of|the|with)\b", told), told
    finally:
        language.use(language.ENGLISH)


def test_fields_that_meet_in_a_sentence_are_translated_too():
    sample = (
        "S1: 3 of 20 documents read, drawn at random from 90 unread of L3 and the rest of the library on "
        "2026-01-02."
    )
    left = (
        "About 9 relevant documents are left among 90 unread (95 % interval: 5 to 20), as 1 of the 20 "
        "documents of the sample is relevant."
    )
    language.use("de")
    try:
        assert tell(sample).startswith(
            "S1: 20 Dokumente, davon 3 gelesen, zufällig gezogen aus 90 ungelesenen"
        )
        assert "von L3 und dem Rest der Bibliothek am" in tell(sample)
        assert tell(left).endswith("relevant: 1 der 20 Dokumente der Stichprobe.")
        assert (
            tell("3 documents lack a date that decides") == "Bei 3 Dokumenten fehlt ein entscheidendes Datum"
        )
        assert tell("candidate (probability 40), word by word in [7]") == (
            "Kandidat (Wahrscheinlichkeit 40), wörtlich in [7]"
        )
        assert tell("missing: keywords, concepts") == "fehlt: keywords, concepts", "words of a claim"
    finally:
        language.use("en")


_COUNTED = {
    "3 documents lack a date that decides: check whether they count for inventive step": (
        "3 documents sans date déterminante : vérifier s'ils comptent pour l'activité inventive"
    ),
    "confirmed by you, 2 passages rejected by you": "confirmé par vous, vous avez rejeté 2 passages",
    "1 document left out of pairs: not prior art": (
        "1 document écarté des paires : hors état de la technique"
    ),
    "2 documents are in German, 1 in French": "2 documents sont en allemand, 1 en français",
    "EP1A1, EP2B1 and 2 more": "EP1A1, EP2B1 et 2 de plus",
    "combined probability or match strength": "probabilité ou degré de correspondance en combinaison",
    "1 family was found and is excluded: the family of EP1A1": (
        "1 famille trouvée et exclue : la famille de EP1A1"
    ),
}
"""Sentences of the core with numbers, and what a French window says."""


@pytest.mark.parametrize("said", _COUNTED)
def test_a_number_is_taken_with_its_noun_and_not_with_the_words_before_it(said):
    language.use("fr")
    try:
        assert tell(said).replace("\u00a0", " ") == _COUNTED[said]
    finally:
        language.use("en")


def test_no_sentence_is_half_translated_for_an_and_in_it(german):
    assert tell("Look at the network and whether this runs") == "Look at the network and whether this runs"
    assert tell("keywords, semantic search and concepts").count(" und ") == 1


def test_commands_are_known_by_their_english_names_in_every_language(german, qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = install(window, [Command(tr("&Go"), tr("Open library…"), lambda: None, ("Ctrl+O",))])
    action = actions["Open library…"]
    assert (action.text(), words_of(action)) == ("Bibliothek öffnen…", "Bibliothek öffnen")
    assert name_of(action) == "Open library"
    palette = CommandPalette([action], window)
    for typed in ("biblio", "library"):
        palette.line.setText(typed)
        assert palette.list.count() == 1, typed


def test_every_text_of_the_window_is_translated():
    assert [f"{place}: {text!r}" for place, text in _bare_texts()] == []


@pytest.mark.parametrize("code", [code for code in language.LANGUAGES if code != "en"])
def test_the_catalog_has_the_texts_of_the_window_with_their_fields(builder, code):
    catalog = builder.read_catalog(code)
    held = {builder.key_of(each): each for each in catalog if each.id}
    assert set(held) == set(builder.find_texts()), "run `make languages`"
    for key, message in held.items():
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        wanted = sorted(_fields(key[-1]))
        assert all(texts), f"not translated: {key}"
        for text in texts:
            # A sentence of the core may leave a verb out that it gets by a field.
            assert sorted(_fields(text)) == wanted or (
                key[0] == builder.CORE_MARK and set(_fields(text)) < set(wanted)
            ), key
            assert text.count("&") == key[-1].count("&"), key


@pytest.mark.parametrize("code", [code for code in language.LANGUAGES if code != "en"])
def test_the_compiled_catalog_is_that_of_its_source(builder, code):
    with builder.compiled_path(code).open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for message in builder.read_catalog(code):
        if message.context:
            assert compiled.pgettext(message.context, message.id) == (message.string or message.id)
        elif message.id and isinstance(message.id, tuple):
            found = tuple(compiled.ngettext(*message.id, n) for n in (1, 2))
            assert found == (message.string[0], message.string[-1]), message.id
        elif message.id:
            assert compiled.gettext(message.id) == (message.string or message.id), "run `make languages`"


def _fields(text: str) -> list[str]:
    parsed = string.Formatter().parse(text)
    return [f"{name}!{kind}:{form}" for _, name, form, kind in parsed if (name or "").isidentifier()]


def _bare_texts() -> Iterator[tuple[str, str]]:
    """Texts that look as if a user saw them and are not within a call of `tr`."""
    for path in sorted(WINDOW.rglob("*.py")):
        if path.name in _SILENT_FILES:
            continue
        place = path.relative_to(WINDOW).as_posix()
        for node, text in _literals(ast.parse(path.read_text(encoding="utf-8"))):
            if text not in _SAME and not _KEYS.fullmatch(text) and not _QUERY.search(text):
                yield f"{place}:{node.lineno}", text


def _literals(node: ast.AST, *, shown: bool = False) -> Iterator[tuple[ast.expr, str]]:
    """Literals below a node that are texts; ``shown``: any word is one."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in _TRANSLATING or name in _SILENT:
            for each in (*node.args[_TRANSLATING_TEXTS.get(name, 0) :], *node.keywords):
                if not isinstance(each, ast.Constant) and name in _TRANSLATING:
                    yield from _literals(each)
            return
        yield from _literals(node.func)
        for each in node.args:
            yield from _literals(each, shown=name in _SHOWING)
        for keyword in node.keywords:
            if keyword.arg not in _SILENT_NAMES:
                yield from _literals(keyword.value)
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, (ast.AnnAssign, ast.arg)):
        yield from _literals(node.value) if isinstance(node, ast.AnnAssign) and node.value else ()
        return
    if isinstance(node, ast.ClassDef) and any("Enum" in ast.unparse(base) for base in node.bases):
        yield from (
            found for each in node.body if isinstance(each, ast.FunctionDef) for found in _literals(each)
        )
        return
    if isinstance(node, ast.Dict):
        for value in node.values:
            yield from _literals(value)
        return
    if isinstance(node, (ast.Compare, ast.Subscript)):
        yield from _literals(node.left if isinstance(node, ast.Compare) else node.value)
        return
    if isinstance(node, ast.FunctionDef):
        for each in (node.args, *node.body, *node.decorator_list):
            yield from _literals(each)
        return
    if isinstance(node, ast.JoinedStr):
        text = "".join(each.value if isinstance(each, ast.Constant) else "{}" for each in node.values)
        if _is_text(text, shown=shown):
            yield node, text
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                yield from _literals(each.value)
        return
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and _is_text(node.value, shown=shown):
            yield node, node.value
        return
    passed = shown and isinstance(node, (ast.IfExp, ast.BoolOp, ast.BinOp, ast.List, ast.Tuple))
    for child in ast.iter_child_nodes(node):
        yield from _literals(child, shown=passed)


_TRANSLATING_TEXTS = {"tr": 1, "trn": 2}


def _is_text(text: str, *, shown: bool) -> bool:
    bare = _MARKUP.sub("", text)
    return bool((_WORD if shown else _WORDS).search(bare))


@pytest.mark.parametrize("code", language.LANGUAGES)
def test_the_claim_leaves_room_for_the_results_in_every_language(qtbot, code):
    """On a small screen a wider claim would take the date status from the list."""
    language.use(code)
    try:
        panel = ClaimPanel(LinkBoard())
        qtbot.addWidget(panel)
        assert panel.minimumSizeHint().width() < panel.fontMetrics().averageCharWidth() * 46
    finally:
        language.use("en")
