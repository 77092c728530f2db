"""``lab charts nearness``: fitted for the encoder of a package, and used by its charts."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs claimlight[train]")

from claimlight.cli.__main__ import run
from claimlight.encoders import ModelPackage
from claimlight.judging.nearness import NEARNESS_FILE
from claimlight.services.models.encoding_stack import open_encoding_stack
from claimlight.settings import Settings, change
from claimlight.training.judges.nearness import NearnessRecipe
from tests.core.lab.charts.chart_fakes import charts, write

pytestmark = pytest.mark.train


@pytest.fixture
def bench(tmp_path):
    write(tmp_path / "B" / "choose" / "a.jsonl", charts()[:1])
    write(tmp_path / "B" / "fit" / "b.jsonl", charts()[1:])
    return tmp_path / "B"


def test_the_package_keeps_it_and_is_the_same_encoder_to_indexes(tmp_path, bench, capsys):
    folder = tmp_path / "encoder"
    shutil.copytree(ModelPackage.shipped().folder, folder)
    (folder / NEARNESS_FILE).unlink(missing_ok=True)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["files"].pop(NEARNESS_FILE, None)
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    before = ModelPackage.load(folder).manifest
    settings = change(Settings(), "encoder.package", str(folder))
    bare = open_encoding_stack(settings)
    assert bare.nearness is None
    command = ["lab", "charts", "nearness", str(bench), "--package", str(folder)]
    assert run([*command, "--dry-run"]) == 0
    assert not ModelPackage.load(folder).manifest.has(NEARNESS_FILE)
    capsys.readouterr()
    assert run([*command, "--json"]) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [item["system"] for item in said["right"]] == [
        "cosine",
        "contrast of cosines",
        "contrast of nearness",
    ]
    assert all(0.0 <= share <= 1.0 for item in said["right"] for share in item["shares"])
    assert all(item["shares"] == sorted(item["shares"]) for item in said["right"])
    after = ModelPackage.load(folder).manifest
    assert after.has(NEARNESS_FILE)
    assert after.fingerprint == before.fingerprint
    fitted = open_encoding_stack(settings)
    found = fitted.nearness
    assert found.encoder == after.fingerprint
    assert found.left.shape == found.right.shape == (after.dim, NearnessRecipe().rank)
    assert np.abs(found.right).max() > 0, "it began with zeros"
    assert fitted.recipe(settings) == bare.recipe(settings)


def test_it_is_not_measured_on_what_it_is_fitted_on(bench, capsys):
    assert run(["lab", "charts", "nearness", str(bench), "--package", "any", "--part", "fit"]) == 1
    assert "measure on other charts" in capsys.readouterr().err
