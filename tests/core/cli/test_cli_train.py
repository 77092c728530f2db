"""``claimlight train``: recipes by name, a run, its events, its package, and going on with it."""

import json

import pytest

from claimlight.cli.__main__ import run
from claimlight.services.training.recipes import read_recipe_list

train = [
    pytest.mark.train,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # torch's and transformers' own
]
RECIPE = """
[recipe]
about = "Toy"
[model]
max_length = 24
dropout = 0.0
[[task]]
kind = "pairs"
loss = "info_nce"
batch = 8
[optimizer]
lr = 1e-3
[run]
steps = 30
checkpoint_every = 2
[export]
id = "toy"
precision = "fp32"
"""


def lines(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_shipped_recipes_are_listed(capsys):
    assert run(["train", "--list", "--json"]) == 0
    (told,) = lines(capsys)
    assert [item["name"] for item in told["recipes"]] == [item.name for item in read_recipe_list()]
    pairs = next(item for item in told["recipes"] if item["name"] == "pairs")
    assert pairs["about"].startswith("Titles against abstracts")
    assert run(["train", "--list"]) == 0
    assert "patentmap-claim" in capsys.readouterr().out


def test_what_is_missing_is_said(tmp_path, capsys):
    assert run(["train", "pairs", "--out", str(tmp_path / "run")]) == 2
    assert "--library" in capsys.readouterr().err


@pytest.fixture(scope="module")
def toys(tmp_path_factory):
    for name in ("torch", "transformers", "accelerate", "onnxscript"):
        pytest.importorskip(name, reason="needs claimlight[train]")
    import torch

    from tests.core.training import toy
    from tests.fakes import library

    torch.set_num_threads(1)  # such small models only wait for more
    base = tmp_path_factory.mktemp("train")
    library(base / "library", toy.patents(40)).close()
    toy.checkpoint(base / "checkpoint")
    (base / "toy.toml").write_text(RECIPE, encoding="utf-8")
    return base


def command(toys, out, *more):
    return run(
        [
            *("--events", "jsonl", "train", str(toys / "toy.toml"), "--library", str(toys / "library")),
            *("--checkpoint", str(toys / "checkpoint"), "--out", str(out), "--device", "cpu", *more),
        ]
    )


class TestTrain:
    pytestmark = train

    def test_a_recipe_becomes_a_package_that_encodes(self, toys, tmp_path, capsys):
        from claimlight.encoders import EncoderInput, ModelPackage, open_encoder
        from claimlight.settings import EncoderSettings
        from claimlight.tasks import TaskContext
        from claimlight.types import Section

        assert command(toys, tmp_path / "run", "--set", "export.licence=MIT") == 0
        told = lines(capsys)
        steps = [line for line in told if line["event"] == "train"]
        assert [line["step"] for line in steps] == list(range(1, 31))
        report = told[-1]
        assert (report["event"], report["steps"], report["examples"]) == ("train_report", 30, 240)
        assert report["last_loss"] < 0.8 * report["first_loss"]
        package = ModelPackage.load(tmp_path / "run" / "package")
        assert (package.manifest.id, package.manifest.licence, package.manifest.max_length) == (
            "toy",
            "MIT",
            24,
        )
        assert package.manifest.languages == ("en",)
        encoder = open_encoder(package, EncoderSettings(device="cpu", threads=1))
        (one,) = encoder.encode([EncoderInput("a valve", Section.ABSTRACT)], TaskContext())
        assert one.pooled @ one.pooled == pytest.approx(1.0, abs=1e-5)

    def test_a_run_goes_on_with_resume_and_only_with_it(self, toys, tmp_path, capsys):
        out = tmp_path / "run"
        assert command(toys, out, "--no-export", "--set", "run.steps=4") == 0
        assert command(toys, out, "--no-export", "--set", "run.steps=4") == 1
        assert "--resume" in lines(capsys)[-1]["message"]
        assert command(toys, out, "--no-export", "--set", "run.steps=4", "--resume") == 0
        assert lines(capsys)[-1]["resumed_from"] == 4

    def test_a_licence_is_asked_for_before_the_work(self, toys, tmp_path, capsys):
        assert command(toys, tmp_path / "run") == 1
        assert "export.licence" in lines(capsys)[-1]["message"]
        assert not (tmp_path / "run").exists()

    def test_documents_can_be_left_out(self, toys, tmp_path, capsys):
        listed = tmp_path / "left-out.txt"
        listed.write_text("".join(f"EP{1_000_000 + n}A1\n" for n in range(32)), encoding="utf-8")
        settings = ("--no-export", "--set", "run.steps=0", "--set", "run.epochs=2", "--threads", "1")
        assert command(toys, tmp_path / "run", *settings, "--exclude", str(listed)) == 0
        assert lines(capsys)[-1]["examples"] == 2 * 8

    def test_centers_come_from_the_library(self, toys, tmp_path, capsys):
        from claimlight.index import center_vocabulary

        settings = ("--set", "export.licence=MIT", "--set", "run.steps=1", "--set", "export.centers=10")
        assert command(toys, tmp_path / "run", *settings) == 0
        capsys.readouterr()
        assert len(center_vocabulary.load(tmp_path / "run" / "package")) == 10


def test_steps_are_shown_with_the_time_that_is_left():
    """A run resumed at step 40: what is left is told by the steps done since."""
    from io import StringIO

    from rich.console import Console

    from claimlight.cli.front import Front
    from claimlight.types import TaskLoss, TrainEvent

    shown = StringIO()
    front = Front(err=Console(file=shown, force_terminal=True, width=200))

    def event(step, seconds, validation=None):
        return TrainEvent(
            step=step, steps=100, loss=1.5, tasks=(TaskLoss("pairs", 1.5),), learning_rate=1e-4, examples=1,
            tokens_per_second=1234.0, memory_bytes=1, seconds=seconds, validation=validation,
        )  # fmt: skip

    with front.working() as context:
        context.report(event(41, 5.0))
        context.report(event(51, 15.0, 0.75))
    text = shown.getvalue()
    assert "51 of 100 steps, 1.0/s, 0:00:49 left loss 1.5000, held out 0.7500, 1,234 tokens/s" in text


def test_another_process_of_the_same_training_is_silent(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("RANK", "1")
    arguments = ["train", "none", "--library", str(tmp_path), "--out", str(tmp_path / "run")]
    assert run(["--events", "jsonl", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "Error" in err
