"""A judge is trained from files, from an encoder or a judge, and what is learned survives a stop."""

import json
import shutil

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("transformers", reason="needs claimlight[train]")
pytest.importorskip("onnxscript", reason="needs claimlight[train]")

from safetensors.torch import load_file
from tokenizers import Tokenizer

from claimlight.cli.__main__ import run
from claimlight.errors import InputError, ResourceError, TaskCancelled
from claimlight.judging.reading import JudgeReader
from claimlight.lab.charts import training
from claimlight.lab.charts.training import (
    MaterialFiles,
    TrainingPlan,
    average,
    choose_device,
    open_start,
    read_material,
    train,
)
from claimlight.tasks import TaskContext
from claimlight.training.judges.checkpoint import is_judge, load_judge
from claimlight.training.judges.loop import JudgeRecipe
from claimlight.training.judges.scoring import score_pairs
from claimlight.types import Progress
from tests.core.training import architecture_checkpoints as architectures
from tests.core.training import export_checkpoints as encoders
from tests.core.training import judge_checkpoints as tiny

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]
GROUP = {
    "id": "A001",
    "cpc": "F16K",
    "claim": "A damper comprising",
    "features": ["a valve of oil", "a lid of oil"],
    "passages": [
        {"text": "The valve of the claim.", "labels": ["other", "near"]},
        {"text": "The lid of the claim.", "labels": ["near", "other"]},
    ],
}
CHART = {
    "id": "K01",
    "field": "F16K",
    "claim": "A damper comprising a valve; and a lid of oil.",
    "features": [{"label": "F1", "text": "a valve"}, {"label": "F2", "text": "a lid of oil"}],
    "document": {
        "title": "T",
        "abstract": "A",
        "paragraphs": [{"n": f"{n:04}", "text": f"The valve opens a lid {n}."} for n in range(1, 7)],
    },
    "cells": [
        {"feature": "F1", "disclosed": True, "wording": "other", "paragraphs": ["0003"]},
        {"feature": "F2", "disclosed": False, "wording": "near_miss", "near": ["0002"], "paragraphs": []},
    ],
}


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    return tiny.disclosure(tmp_path_factory.mktemp("start") / "judge", longest=100)


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "material"
    folder.mkdir()
    (folder / "groups.jsonl").write_text(json.dumps(GROUP) + "\n", encoding="utf-8")
    (folder / "charts.jsonl").write_text(json.dumps(CHART) + "\n", encoding="utf-8")
    sentences = "premise\thypothesis\tentailed\na valve opens\ta valve\t1\na lid\ta valve\t0\n"
    (folder / "sentences.tsv").write_text(sentences, encoding="utf-8")
    (folder / "terms.tsv").write_text("anchor\ttarget\tscore\nvalve\tlid\t0.25\n", encoding="utf-8")
    return folder


def material(files):
    return MaterialFiles(
        (files / "charts.jsonl",), (files / "groups.jsonl",), (files / "sentences.tsv",),
        (files / "terms.tsv",),
    )  # fmt: skip


def weights(folder):
    return load_file(str(folder / "model.safetensors"))


def test_a_judge_is_trained_on_the_command_line(judge, files, tmp_path, capsys):
    out = tmp_path / "run"
    asked = [
        *("lab", "charts", "train", "--out", str(out), "--start", str(judge)),
        *("--charts", str(files / "charts.jsonl"), "--groups", str(files / "groups.jsonl")),
        *("--entailed", str(files / "sentences.tsv"), "--alike", str(files / "terms.tsv")),
        *("--first-steps", "2", "--steps", "3", "--seed", "7", "--set", "run.refresh=2", "--every", "1"),
    ]
    assert run(asked) == 0
    assert "models export" in capsys.readouterr().err
    assert sorted(path.name for path in out.iterdir()) == ["model"]
    assert is_judge(out / "model")
    one, other = weights(judge), weights(out / "model")
    name = "transformer.embeddings.word_embeddings.weight"
    assert bool((one[name] == other[name]).all())
    assert not bool((one["ruling.weight"] == other["ruling.weight"]).all())
    assert not bool((one["entailed.weight"] == other["entailed.weight"]).all())
    assert run(asked) == 1
    assert "not empty" in capsys.readouterr().err


def test_a_stopped_run_leaves_its_newest_state_to_continue_with(judge, files, tmp_path):
    plan = TrainingPlan(
        str(judge), tmp_path / "run", material(files), JudgeRecipe(first_steps=2, steps=9), every=2
    )
    seen = []

    def stop(event):
        if isinstance(event, Progress):
            seen.append(event)
            if (event.stage, event.done) == ("Cells", 5):
                context.cancel()

    context = TaskContext(stop)
    with pytest.raises(TaskCancelled):
        train(plan, context)
    assert [(event.stage, event.done) for event in seen[:3]] == [
        ("Sentences and terms", 1), ("Sentences and terms", 2), ("Cells", 1),
    ]  # fmt: skip
    assert not (plan.out / "model").exists()
    (state,) = (plan.out / "states").iterdir()
    assert state.name == "cells-00005"
    load_judge(state)
    further = TrainingPlan(
        str(state), tmp_path / "more", material(files), JudgeRecipe(first_steps=0, steps=1, average=0.0)
    )
    made = train(further, TaskContext())
    assert not bool((weights(state)["ruling.weight"] == weights(made)["ruling.weight"]).all())


def test_the_weights_of_judges_are_averaged(judge, files, tmp_path, capsys):
    made = train(
        TrainingPlan(str(judge), tmp_path / "run", material(files), JudgeRecipe(first_steps=0, steps=2)),
        TaskContext(),
    )
    out = tmp_path / "mean"
    asked = ["lab", "charts", "average", str(judge), str(judge), str(made), "--out", str(out)]
    assert run(asked) == 0
    assert "The mean of 3 judges" in capsys.readouterr().err
    one, other, mean = weights(judge), weights(made), weights(out)
    assert mean.keys() == one.keys() == other.keys()
    assert not bool((one["ruling.weight"] == other["ruling.weight"]).all())
    for name, value in mean.items():
        wanted = one[name] if name.startswith(("entailed", "alike")) else (2 * one[name] + other[name]) / 3
        assert np.allclose(value.numpy(), wanted.numpy(), rtol=0, atol=1e-6), name
    assert is_judge(out)
    assert (out / "tokenizer.json").read_text() == (judge / "tokenizer.json").read_text()
    assert run(asked) == 1
    assert "exists already" in capsys.readouterr().err


def test_only_judges_that_are_alike_are_averaged(judge, tmp_path):
    def altered(name, change):
        folder = tmp_path / name
        shutil.copytree(judge, folder)
        change(folder)
        return folder

    def rename_a_token(folder):
        file = folder / "tokenizer.json"
        file.write_text(file.read_text().replace("valve", "valvf"))

    encoder = encoders.bert(tmp_path / "encoder")
    for names, said in (
        ([judge], "two judges or more"),
        ([judge, encoder], "is an encoder"),
        ([judge, tiny.disclosure(tmp_path / "longer", longest=120)], "other than the first"),
        ([judge, altered("named", rename_a_token)], "a tokenizer other"),
        ([judge, altered("free", lambda folder: (folder / "LICENSE").write_text("mine"))], "a licence other"),
    ):
        with pytest.raises(InputError, match=said):
            average([str(name) for name in names], tmp_path / "mean")
    assert not (tmp_path / "mean").exists()


def test_an_encoder_gets_the_heads_of_a_judge(tmp_path):
    checkpoint = encoders.bert(tmp_path / "encoder")
    (checkpoint / "LICENSE").write_text("free", encoding="utf-8")
    (tmp_path / "work").mkdir()
    start = open_start(str(checkpoint), tmp_path / "work", max_length=0, seed=1)
    assert start.max_length == encoders.MAX_LENGTH
    assert start.licence == checkpoint / "LICENSE"
    assert start.module["transformer"].config.hidden_dropout_prob == 0.0
    assert start.module["ruling"].weight.shape == (1, encoders.HIDDEN)
    with pytest.raises(InputError, match=f"takes {encoders.MAX_LENGTH} tokens, not 90"):
        open_start(str(checkpoint), tmp_path / "work", max_length=90, seed=1)


@pytest.mark.slow
def test_the_shipped_encoder_is_the_usual_start(tmp_path):
    start = open_start("", tmp_path, max_length=0, seed=1)
    assert start.max_length == training.WINDOW
    assert start.tokenizer.token_to_id("[MASK]") is not None


def test_files_of_another_form_are_named(files):
    assert len(read_material(MaterialFiles(groups=(files / "groups.jsonl",))).groups) == 1
    for given, said in (
        (MaterialFiles(charts=(files / "groups.jsonl",)), r"groups\.jsonl has another form"),
        (MaterialFiles(alike=(files / "sentences.tsv",)), r"sentences\.tsv has another form"),
        (MaterialFiles(groups=(files / "gone.jsonl",)), r"gone\.jsonl can't be read"),
        (MaterialFiles(charts=(files.parent,)), r"has no \.jsonl file"),
    ):
        with pytest.raises(InputError, match=said):
            read_material(given)


def test_a_teacher_rules_and_a_smaller_judge_learns_from_it(judge, files, tmp_path, capsys):
    unruled = {key: GROUP[key] for key in ("id", "claim", "features")}
    unruled["passages"] = [{"text": passage["text"]} for passage in GROUP["passages"]]
    (tmp_path / "pairs.jsonl").write_text(json.dumps(unruled) + "\n", encoding="utf-8")
    taught = tmp_path / "taught.jsonl"
    teach = ["lab", "charts", "teach", str(tmp_path / "pairs.jsonl"), "--out", str(taught), "--device", "cpu"]
    assert run([*teach, "--teacher", str(judge), "--teacher", str(judge)]) == 0
    assert "4 pairs" in capsys.readouterr().out
    told = json.loads(taught.read_text())
    module, reader = load_judge(judge), JudgeReader(Tokenizer.from_file(str(judge / "tokenizer.json")), 100)
    for passage in told["passages"]:
        asked = [(GROUP["claim"], feature, passage["text"]) for feature in GROUP["features"]]
        assert passage["scores"] == pytest.approx(score_pairs(module, reader, asked), abs=2e-3)
    out = tmp_path / "run"
    asked = ["lab", "charts", "train", "--out", str(out), "--start", str(judge), "--device", "cpu"]
    asked += ["--groups", str(files / "groups.jsonl"), "--taught", str(taught), "--first-steps", "0"]
    assert run([*asked, "--steps", "2", "--layers", "2", "--set", "run.taught_pairs=4"]) == 0
    assert len(load_judge(out / "model")["transformer"].encoder.layer) == 2
    assert run([*asked, "--lowest"]) == 1
    assert "name their number" in capsys.readouterr().err
    assert run([*teach, "--teacher", str(files)]) == 1
    assert "no checkpoint of a judge" in capsys.readouterr().err


def test_a_transformer_without_kinds_of_tokens_can_be_a_judge(files, tmp_path):
    checkpoint = architectures.mpnet(tmp_path / "mpnet", 2)
    plan = TrainingPlan(
        str(checkpoint), tmp_path / "run", material(files), JudgeRecipe(first_steps=1, steps=2), device="cpu"
    )
    assert load_judge(train(plan, TaskContext()))["transformer"].config.model_type == "mpnet"


def test_a_graphics_card_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert choose_device("auto") == "cpu"
    with pytest.raises(ResourceError, match="torch finds none"):
        choose_device("cuda")
