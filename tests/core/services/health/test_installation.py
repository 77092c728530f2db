"""What `claimlight doctor` says of the two distributions of ONNX Runtime."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

from claimlight.encoders.session import NO_RUNTIME
from claimlight.services.health import installation as health
from claimlight.settings import Settings


def told(monkeypatch: pytest.MonkeyPatch, **installed: str) -> tuple[str, bool]:
    """The line about ONNX Runtime where these distributions are installed."""

    def version(name: str) -> str:
        if name in {"onnxruntime", "onnxruntime-gpu"} and name not in installed:
            raise PackageNotFoundError(name)
        return installed.get(name, "1.0")

    monkeypatch.setattr(health, "version", version)
    (found,) = [item for item in health.examine(Settings()) if item.subject == "onnxruntime"]
    return found.state, found.ok


@pytest.mark.parametrize("name", ["onnxruntime", "onnxruntime-gpu"])
def test_one_runtime_is_well(monkeypatch, name):
    assert told(monkeypatch, **{name: "1.32.0"}) == (f"{name} 1.32.0", True)


def test_two_runtimes_overwrite_each_other(monkeypatch):
    state, ok = told(monkeypatch, **{"onnxruntime": "1.32.0", "onnxruntime-gpu": "1.31.0"})
    assert "onnxruntime 1.32.0 and onnxruntime-gpu 1.31.0 overwrite each other" in state
    assert not ok


def test_without_a_runtime_it_says_what_to_install(monkeypatch):
    assert told(monkeypatch) == (NO_RUNTIME, False)


def test_a_provider_on_the_network_is_no_device(monkeypatch):
    """Every wheel of ONNX Runtime lists it; nobody should think that the program asks it."""
    import onnxruntime

    there = ["CUDAExecutionProvider", "AzureExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: there)
    found = {item.subject: item.state for item in health.examine(Settings())}
    assert found["ONNX providers"] == "CUDAExecutionProvider, CPUExecutionProvider"
