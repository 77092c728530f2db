"""``models …`` as a user and as a machine meet it."""

import json

import pytest

from claimlight.cli.__main__ import run
from claimlight.encoders.package import find_shipped_folder
from claimlight.encoders.package_files import FileRecord
from claimlight.judging import manifest as judge_manifests
from claimlight.judging.calibration import Bounds, Calibration
from claimlight.judging.manifest import JudgeKind, JudgeManifest
from claimlight.services.models import model_export, train_extra
from claimlight.types import Reliability, ReliabilityBin, WordingFigures
from tests.core.encoders.encoder_fakes import SHIPPED_VERSION, variant


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def said(capsys):
    captured = capsys.readouterr()
    return " ".join((captured.out + captured.err).split())


def test_list(capsys):
    assert run(["models", "list"]) == 0
    text = said(capsys)
    assert f"{find_shipped_folder().name} general-small {SHIPPED_VERSION} (in use)" in text
    assert "384 dimensions, windows of 256 tokens, int8" in text
    assert "Apache-2.0, from sentence-transformers/all-MiniLM-L6-v2; reads English; shipped" in text
    assert run(["models", "list", "--json"]) == 0
    (body,) = lines(capsys.readouterr().out)
    assert [item["in_use"] for item in body["models"]] == [True]


def test_list_shows_a_fault_and_a_missing_choice(tmp_path, capsys):
    folder = variant(tmp_path / "[bold]p")
    assert run(["settings", "set", "encoder.package", str(folder)]) == 0
    (folder / "manifest.json").write_text("[]", encoding="utf-8")
    assert run(["models", "list"]) == 0
    text = said(capsys)
    assert "[bold]p" in text
    assert "FAULT" in text
    assert run(["settings", "set", "encoder.package", "gone"]) == 0
    assert run(["models", "list"]) == 0
    assert "encoder.package does not exist" in said(capsys)


def test_check(tmp_path, capsys):
    assert run(["models", "check"]) == 0
    assert "ok files" in said(capsys)
    folder = variant(tmp_path / "p")
    assert run(["--events", "jsonl", "models", "check", str(folder)]) == 0
    *progress, last = lines(capsys.readouterr().out)
    assert {item["event"] for item in progress} == {"progress"}
    assert (last["event"], last["ok"], last["device"]) == ("model_check", True, "cpu")
    (folder / "NOTICE").write_text("other", encoding="utf-8")
    assert run(["models", "check", str(folder)]) == 1
    assert "FAULT files" in said(capsys)
    assert run(["models", "check", str(folder), "--json"]) == 1
    assert not lines(capsys.readouterr().out)[0]["ok"]


def test_check_of_nothing_is_an_error(capsys):
    assert run(["models", "check", "nothing"]) == 1
    assert "there is no model package 'nothing'" in said(capsys)


def test_export_without_the_extra(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(train_extra, "find_spec", lambda _: None)
    command = ["models", "export", str(tmp_path), "--out", str(tmp_path / "o"), "--name", "m"]
    assert run(command) == 1
    assert "install claimlight[train]" in said(capsys)
    assert run(["--events", "jsonl", *command]) == 1
    assert lines(capsys.readouterr().out)[-1]["kind"] == "ResourceError"


@pytest.fixture
def exported(monkeypatch):
    """What the command asks for; nothing is made."""
    seen = []

    def record(wanted, context):
        seen.append(wanted)
        return model_export.ExportReport(
            folder=str(wanted.out), model="m 1", dim=8, max_length=16, pooling="cls", precision="int8",
            licence="MIT", fingerprint="m-1-0", bytes=1_500_000, parity=(("fp32_tokens_cosine_min", 1.0),),
        )  # fmt: skip

    monkeypatch.setattr(model_export, "export", record)
    return seen


def test_export_hands_everything_on(tmp_path, exported, capsys):
    command = ["models", "export", str(tmp_path), "--out", str(tmp_path / "o"), "--name", "m"]
    more = [
        *("--licence", "MIT", "--precision", "fp32", "--pooling", "cls", "--max-length", "99"),
        *("--template", "claims=[claim] {text}", "--template", "abstract={title}={body}"),
        *("--query-prompt", "query: ", "--marker", "[claim]", "--non-commercial", "--source", "here"),
    ]
    assert run([*command, *more]) == 0
    assert "m 1: 8 dimensions, windows of 16 tokens, cls pooling, int8, 1.5 MB" in said(capsys)
    assert run(["--events", "jsonl", *command, "--preset", "paecter"]) == 0
    assert lines(capsys.readouterr().out)[-1]["event"] == "model_export"
    full, bare = exported
    assert full.templates == {"claims": "[claim] {text}", "abstract": "{title}={body}"}
    assert full.prompts == {"query": "query: "}
    assert (full.pooling, full.precision, full.max_length, full.commercial) == ("cls", "fp32", 99, False)
    assert (full.markers, full.licence, full.source) == (("[claim]",), "MIT", "here")
    assert (bare.preset, bare.commercial, bare.precision) == ("paecter", None, "int8")


def test_a_template_without_a_section_is_a_wrong_command_line(tmp_path, exported, capsys):
    command = ["models", "export", str(tmp_path), "--out", str(tmp_path / "o"), "--name", "m"]
    assert run([*command, "--template", "x"]) == 2
    assert "SECTION=TEXT" in said(capsys)
    assert exported == []


def test_show_says_what_the_verdicts_of_a_judge_are_worth(tmp_path, capsys):
    found = Reliability((ReliabilityBin(0.8, 0.9, 20, 0.84, 18),), (WordingFigures("near_miss", 2, 5, 13),))
    files = tuple(FileRecord(name, "0" * 64, 1) for name in ("judge.onnx", "tokenizer.json"))
    read = Calibration(2.0, 1.0, -1.0, Bounds(0.8, 0.3), fitted_on="4 charts")
    manifest = JudgeManifest(
        "made", "1", JudgeKind.DISCLOSURE, "MIT", "here", 64, "fp32", languages=("en",), calibration=read,
        measured={"precision": 0.88}, reliability=found, measured_on="4 charts", files=files,
    )  # fmt: skip
    judge_manifests.write(manifest, tmp_path / "manifest.json")
    assert run(["models", "show", str(tmp_path)]) == 0
    text = said(capsys)
    assert "made 1; reads English. Disclosed from 80, candidate from 30." in text
    assert "The probabilities were fitted on 4 charts." in text
    assert "does not disclose, near miss 20 10 % 25 % 65 %" in text
    assert "80 to 90 20 84 90 % 70 to 97" in text
    assert run(["settings", "set", "judge.package", str(tmp_path)]) == 0
    assert run(["models", "show", "--json"]) == 0
    (body,) = lines(capsys.readouterr().out)[-1:]
    assert body["reliability"]["wordings"] == [
        {"wording": "near_miss", "disclosed": 2, "candidate": 5, "nothing": 13}
    ]
    assert run(["models", "show", str(find_shipped_folder())]) == 1
    assert "its model is not a judge" in said(capsys)
