import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimlight import settings
from claimlight.errors import InputError
from claimlight.settings import Settings

KEYS = [item.key for item in settings.list_declared()]


def test_every_setting_says_what_it_is() -> None:
    for item in settings.list_declared():
        assert item.label
        assert item.help.endswith(".")
        assert settings.get(Settings(), item.key) == item.default
        assert settings.change(Settings(), item.key, item.default) == Settings()
    assert len(set(KEYS)) == len(KEYS)


@given(st.floats(0, 6, allow_nan=False), st.integers(10, 100_000))
def test_what_is_saved_is_loaded(tmp_path_factory: pytest.TempPathFactory, alpha: float, depth: int) -> None:
    path = tmp_path_factory.mktemp("settings") / "settings.json"
    wanted = settings.change(
        settings.change(Settings(), "centers.idf_exponent", alpha), "search.depth", depth
    )
    settings.save(wanted, path)
    assert settings.load(path) == settings.Loaded(wanted)


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("search.depth", "many", "is not a whole number"),
        ("search.depth", 1, "expected at least 10"),
        ("centers.stop_share", 0.9, "expected at most 0.5"),
        ("encoder.device", "tpu", "expected one of auto, cpu, cuda"),
        ("no.such", 1, "There is no setting"),
    ],
)
def test_a_wrong_value_is_refused_by_name(key: str, value: object, word: str) -> None:
    with pytest.raises(InputError, match=word):
        settings.change(Settings(), key, value)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"schema": 99}',
        '{"schema": 1, "search.depth": -4}',
        "\x00",
    ],
)
def test_a_bad_file_is_kept_and_defaults_are_used(tmp_path: Path, content: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(content)
    loaded = settings.load(path)
    assert loaded.settings == Settings()
    assert loaded.note
    assert (tmp_path / "settings.json.bad").read_text() == content
    assert not path.exists()


def test_only_what_differs_is_written(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "settings.json"
    settings.save(settings.change(Settings(), "window.theme", "dark"), path)
    assert json.loads(path.read_text()) == {"schema": settings.SCHEMA_VERSION, "window.theme": "dark"}
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_settings_that_are_no_more_are_ignored_and_named(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    body = {"schema": 2, "centers.weighting": "radius", "search.rrf_k": 30.0, "search.depth": 50}
    path.write_text(json.dumps(body))
    loaded = settings.load(path)
    assert loaded.settings == settings.change(Settings(), "search.depth", 50)
    assert "ignored: centers.weighting, search.rrf_k." in loaded.note
    assert json.loads(path.read_text()) == body
    settings.save(loaded.settings, path)
    assert settings.load(path).note == ""


@pytest.mark.parametrize(("share", "strong"), [(0.0, 0.5), (0.7, 0.7)])
def test_a_file_of_version_1_is_read(tmp_path: Path, share: float, strong: float) -> None:
    """The share for COVERS is what a strong match is now; 0 left it to the program."""
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"schema": 1, "search.covers_share": share, "search.depth": 50}))
    loaded = settings.load(path)
    assert loaded.note == ""
    assert (loaded.settings.search.strong_match, loaded.settings.search.depth) == (strong, 50)


def test_a_switch_is_read_from_a_word_and_from_json(tmp_path: Path) -> None:
    for word, value in (("true", True), ("yes", True), ("No", False), ("false", False), (True, True)):
        changed = settings.change(Settings(), "index.low_priority", word)
        assert settings.get(changed, "index.low_priority") is value
        settings.save(changed, tmp_path / "settings.json")
        assert settings.load(tmp_path / "settings.json").settings == changed
    for word in ("maybe", "", 2, None):
        with pytest.raises(InputError, match="true or false"):
            settings.change(Settings(), "index.low_priority", word)
