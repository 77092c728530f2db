"""Recipes: what a file may say, what is changed from the command line, and what is wrong with one."""

import json

import pytest

from claimlight.errors import InputError
from claimlight.training.recipe import Marker
from claimlight.training.recipes import recipe_file as recipe_file
from claimlight.training.recipes.recipe_file import list_shipped, load, parse

TASK = {"kind": "pairs", "loss": "info_nce"}


def written(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", list_shipped())
def test_every_shipped_recipe_can_be_read(name):
    recipe = load(name)
    assert recipe.about
    assert recipe.tasks
    assert json.loads(recipe.text)["run"]["seed"] == recipe.run.seed
    assert recipe.export is None or recipe.export.id


def test_what_a_recipe_says_is_what_it_is(tmp_path):
    recipe = load(
        written(
            tmp_path,
            """
            [model]
            markers = ["[claim]", {token = "[drawing]", start = "[claim]"}]
            dropout = 0.0
            layers = [0, 2]
            [[task]]
            kind = "pairs"
            loss = "info_nce"
            params = {first = "abstract"}
            [[task]]
            kind = "pairs"
            loss = "margin_triplet"
            [optimizer]
            betas = [0.8, 0.99]
            """,
        )
    )
    assert recipe.name == "mine"
    assert recipe.model.markers == (Marker("[claim]"), Marker("[drawing]", "[claim]"))
    assert (recipe.model.dropout, recipe.model.layers) == (0.0, (0, 2))
    assert [task.name for task in recipe.tasks] == ["pairs", "pairs-2"]
    assert recipe.tasks[0].params == {"first": "abstract"}
    assert recipe.optimizer.betas == (0.8, 0.99)
    assert recipe.export is None


def test_values_are_changed_by_their_place(tmp_path):
    path = written(tmp_path, '[[task]]\nkind = "pairs"\nloss = "info_nce"\nname = "mine"\n')
    changes = [
        "run.steps=7",
        "optimizer.lr=1e-3",
        "optimizer.floor=.5e-1",
        "task.1.batch=12",
        "task.mine.params.first=abstract",
        'data.languages=["de"]',
        "export.id=other",
    ]
    recipe = load(path, changes)
    assert (recipe.run.steps, recipe.optimizer.lr, recipe.tasks[0].batch) == (7, 1e-3, 12)
    assert recipe.optimizer.floor == 0.05
    assert recipe.tasks[0].params == {"first": "abstract"}
    assert recipe.data.languages == ("de",)
    assert recipe.export is not None
    assert recipe.export.id == "other"
    assert load(path).text != recipe.text == load(path, changes).text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("run.steps", "expected section.key=value"),
        ("steps=1", "expected section.key=value"),
        ("task.batch=3", "name the task, as in task.1.batch"),
        ("task.2.batch=3", "the recipe has 1 tasks, none of them called 2"),
        ("run.steps.more=3", "steps is not a table|steps is no table|run.steps"),
        ("run.steps=many", r"\[run\]: steps = 'many' is invalid; expected a whole number"),
    ],
)
def test_a_change_that_cannot_be_is_said(tmp_path, change, words):
    path = written(tmp_path, '[[task]]\nkind = "pairs"\nloss = "info_nce"\n[run]\nsteps = 5\n')
    with pytest.raises(InputError, match=words):
        load(path, [change])


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({}, r"toy.toml: a recipe needs at least one \[\[task\]\]"),
        ({"task": [{**TASK, "kind": "none"}]}, r"\[\[task\]\] 1: kind = 'none' is invalid; expected one of"),
        ({"task": [{**TASK, "loss": "none"}]}, "loss = 'none' is invalid; expected one of .*info_nce"),
        (
            {"task": [{**TASK, "weigth": 1}]},
            r"\[\[task\]\] 1: weigth is not known here; known keys: kind",
        ),
        ({"task": [TASK], "runs": {}}, "toy.toml: runs is not known here"),
        ({"task": [TASK], "run": 3}, r"run must be a table, \[run\]"),
        ({"task": [TASK], "run": {"precision": "fp8"}}, "one of fp32, bf16, fp16"),
        ({"task": [TASK], "run": {"steps": True}}, "steps = True is invalid; expected a whole number"),
        ({"task": [TASK], "run": {"seed": -1}}, "at least 0"),
        ({"task": [TASK], "model": {"pooling": "max"}}, "pooling = 'max' is invalid"),
        ({"task": [TASK], "model": {"markers": [3]}}, "a token, or a table of token and start"),
        ({"task": [TASK], "model": {"dropout": 1.0}}, "dropout = 1.0 is invalid; expected at most 0.99"),
        ({"task": [TASK], "optimizer": {"betas": [1.0, 0.9]}}, "two numbers"),
        ({"task": [TASK], "optimizer": {"lr": float("nan")}}, "a number"),
        ({"task": [TASK], "data": {"held_out": 0.95}}, "at most 0.9"),
        ({"task": [TASK], "export": {}}, "the name of the model package"),
        (
            {"task": [TASK], "export": {"id": "a", "prompts": {"query": 1}}},
            "prompts.query = 1 is invalid; expected a text",
        ),
    ],
)
def test_a_fault_is_named_with_its_place(raw, words):
    with pytest.raises(InputError, match=words):
        parse(raw, "toy.toml")


def test_a_file_that_is_none_is_said(tmp_path):
    with pytest.raises(InputError, match="not valid TOML"):
        load(written(tmp_path, "[run"))
    with pytest.raises(InputError, match=r"neither a file nor one of .*pairs"):
        load("nothing")
    assert (
        recipe_file.format_canonical(parse({"task": [TASK]}, "a.toml"))
        == parse({"task": [TASK]}, "a.toml").text
    )


def test_what_came_later_is_said_only_where_it_is_used():
    tables = {"task": [TASK], "export": {"id": "m"}, "ngrams": {}}
    before = json.loads(parse(tables, "a.toml").text)
    assert "languages" not in before["export"]
    tables |= {"export": {"id": "m", "languages": ["de"]}}
    assert json.loads(parse(tables, "a.toml").text)["export"]["languages"] == ["de"]


def test_keys_that_are_no_more_are_ignored_and_named():
    new = parse({"task": [TASK], "ngrams": {}}, "a.toml")
    assert new.notes == ()
    old = parse({"task": [TASK], "model": {"whitening": 0.5}, "ngrams": {"joined": 512}}, "a.toml")
    assert old.notes == ("a.toml: model.whitening, ngrams.joined is no longer supported and ignored.",)
    assert old.text == new.text
    assert json.loads(new.text)["model"]["whitening"] is None, "as a recipe from before has it"


@pytest.mark.parametrize(
    "tables", [{"export": {"id": "m", "languages": ["eng"]}}, {"data": {"languages": ["EN"]}}]
)
def test_a_language_that_no_package_could_say_is_refused_before_the_training(tables):
    with pytest.raises(InputError, match=r"languages = .* is invalid; expected a list of codes of ISO 639-1"):
        parse({"task": [TASK], **tables}, "a.toml")
