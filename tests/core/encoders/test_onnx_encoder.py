"""The encoder: the same vectors in any company, in order, usable or refused, on the device it says."""

import os
import random
import threading

import numpy as np
import onnxruntime
import pytest

from claimlight.encoders import EncoderInput, ModelPackage, OnnxEncoder, open_encoder
from claimlight.encoders.session import OutOfMemory, Session
from claimlight.errors import ResourceError, TaskCancelled
from claimlight.settings import EncoderSettings
from claimlight.tasks import TaskContext
from claimlight.types import Section
from tests.core.encoders.encoder_fakes import FakeSession, changed, variant

WORDS = [
    "a",
    "damper",
    "comprising",
    "the",
    "piston",
    "valve",
    "opens",
    "frame",
    "oil",
    "\U0001d6fc",
    "cafe\u0301",
]
LENGTHS = (0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 23, 31, 32, 33, 47, 63, 64, 65, 100, 127, 129, 200, 255, 300, 520)


def inputs(texts):
    return [EncoderInput(text, Section.CLAIMS) for text in texts]


def encode(encoder, texts):
    return list(encoder.encode(inputs(texts), TaskContext()))


def same(one, other):
    return (
        np.array_equal(one.tokens, other.tokens)
        and np.array_equal(one.pooled, other.pooled)
        and np.array_equal(one.offsets, other.offsets)
    )


@pytest.fixture(scope="module")
def texts():
    chance = random.Random(1)
    return [" ".join(chance.choice(WORDS) for _ in range(length)) for length in LENGTHS]


@pytest.fixture(scope="module")
def alone(encoder, texts):
    return [encode(encoder, [text])[0] for text in texts]


@pytest.mark.slow
@pytest.mark.parametrize("batch_tokens", [64, 700, 4096, 1 << 20])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_text_has_the_same_bits_in_any_batch(package, texts, alone, batch_tokens, threads):
    encoder = open_encoder(package, EncoderSettings(device="cpu", threads=threads, batch_tokens=batch_tokens))
    order = list(range(len(texts)))
    random.Random(batch_tokens).shuffle(order)
    found = encode(encoder, [texts[number] for number in order])
    for number, item in zip(order, found, strict=True):
        assert same(item, alone[number]), f"{LENGTHS[number]} words"


def test_shapes_norms_and_order(package, encoder, texts, alone):
    for text, item in zip(texts, alone, strict=True):
        assert item.tokens.shape == (item.length, package.manifest.token_dim)
        assert item.pooled.shape == (encoder.dim,)
        assert item.offsets.shape == (item.length, 2)
        assert item.tokens.dtype == item.pooled.dtype == np.float32
        assert abs(float(np.linalg.norm(item.pooled.astype(np.float64))) - 1.0) < 1e-6
        assert item.length >= len(text.split())
    assert [item.length for item in encode(encoder, texts[::-1])] == [item.length for item in alone[::-1]]


def test_meaning_survives(encoder):
    damper, absorber, kettle = encode(
        encoder, ["a viscous damper", "a hydraulic shock absorber", "a kettle with a spout"]
    )
    assert damper.pooled @ absorber.pooled > damper.pooled @ kettle.pooled + 0.1


def test_an_empty_text_is_no_fault(encoder):
    empty, full = encode(encoder, ["", "a lid"])
    assert empty.length == 0
    assert empty.offsets.shape == (0, 2)
    assert full.length == 2


def test_composed_and_decomposed_letters_are_the_same_words(encoder):
    composed, decomposed = encode(encoder, ["un caf\u00e9", "un cafe\u0301"])
    assert np.array_equal(composed.tokens, decomposed.tokens)
    assert composed.pooled @ decomposed.pooled > 0.999999


def test_the_end_of_a_long_text_counts(encoder):
    begin = "a damper of oil " * 120
    one, other = encode(encoder, [begin + "and a telescope lens", begin + "and a brake pedal"])
    assert one.length > 2 * 256
    assert not np.array_equal(one.pooled, other.pooled)
    assert 0.5 < one.pooled @ other.pooled < 0.9999


def test_the_vector_of_a_long_text_is_the_weighted_mean_of_its_windows(package):
    encoder = OnnxEncoder(changed(package, max_length=8), EncoderSettings(), session=FakeSession())
    (whole,) = encode(encoder, ["valve spring frame oil piston cylinder liquid brake"])
    parts = encode(encoder, ["valve spring frame oil", "piston cylinder liquid brake"])
    mean = sum(part.length * part.pooled for part in parts)
    np.testing.assert_allclose(whole.pooled, mean / np.linalg.norm(mean), atol=1e-6)
    assert np.array_equal(whole.tokens, np.concatenate([part.tokens for part in parts]))


def test_pooling_is_the_manifests(tmp_path):
    package = ModelPackage.load(variant(tmp_path / "p"))
    for pooling in ("mean", "cls"):
        encoder = OnnxEncoder(changed(package, pooling=pooling), EncoderSettings(), session=FakeSession())
        (found,) = encode(encoder, ["valve"])
        ids = np.array([[101, 10764, 102]])
        vectors = FakeSession().run(ids, np.ones_like(ids))[0]
        assert np.array_equal(found.tokens, vectors[1:2])
        wanted = vectors[0] if pooling == "cls" else vectors.mean(axis=0)
        np.testing.assert_allclose(found.pooled, wanted / np.linalg.norm(wanted), atol=1e-6)


# ---- what must be refused ----------------------------------------------------------------------------------


class Broken(FakeSession):
    """Gives one bad value for every text that holds the word "oil" (3514)."""

    def __init__(self, value, everywhere=False):
        super().__init__()
        self.value = value
        self.everywhere = everywhere

    def run(self, ids, mask):
        vectors = super().run(ids, mask)
        for row in np.flatnonzero((ids == 3514).any(axis=1)):
            vectors[row, 1, 5] = self.value
            if self.everywhere:
                vectors[row] = self.value
        return vectors


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("everywhere", [False, True])
def test_vectors_that_are_no_numbers_are_refused_with_their_text(package, value, everywhere):
    encoder = OnnxEncoder(package, EncoderSettings(), session=Broken(value, everywhere))
    found = encoder.encode(inputs(["a valve", "an oil pump", "a lid"]), TaskContext())
    assert next(found).length == 2
    with pytest.raises(ResourceError, match="no usable vector for the text beginning 'an oil pump'"):
        next(found)


def test_zero_vectors_are_refused(package):
    encoder = OnnxEncoder(package, EncoderSettings(), session=Broken(0.0, everywhere=True))
    with pytest.raises(ResourceError, match="beginning 'oil'"):
        encode(encoder, ["oil"])


def test_another_dimension_than_the_manifests_is_refused(package):
    encoder = OnnxEncoder(package, EncoderSettings(), session=FakeSession(dim=100))
    with pytest.raises(ResourceError, match="100 dimensions, its manifest says 384"):
        encode(encoder, ["a lid"])


class Tight(FakeSession):
    """Has memory for a few rows."""

    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def run(self, ids, mask):
        if len(ids) > self.rows:
            raise OutOfMemory
        return super().run(ids, mask)


def test_too_little_memory_means_smaller_batches(package, texts):
    roomy, tight = FakeSession(), Tight(2)
    settings = EncoderSettings(batch_tokens=1 << 20)
    wanted = encode(OnnxEncoder(package, settings, session=roomy), texts)
    found = encode(OnnxEncoder(package, settings, session=tight), texts)
    assert all(same(a, b) for a, b in zip(wanted, found, strict=True))
    assert max(rows for rows, _ in roomy.batches) > 2 >= max(rows for rows, _ in tight.batches)
    with pytest.raises(ResourceError, match="not enough memory to encode 3 tokens"):
        encode(OnnxEncoder(package, settings, session=Tight(0)), ["valve"])


def test_a_stopped_task_stops_encoding(encoder):
    context = TaskContext()
    context.cancel()
    with pytest.raises(TaskCancelled):
        next(iter(encoder.encode(inputs(["a lid"]), context)))


# ---- devices -----------------------------------------------------------------------------------------------


needs_no_gpu = pytest.mark.skipif(
    "CUDAExecutionProvider" in onnxruntime.get_available_providers(), reason="this installation has CUDA"
)


@needs_no_gpu
def test_a_graphics_card_that_is_not_there_is_said(package, alone, texts):
    encoder = open_encoder(package, EncoderSettings(device="cuda", threads=2))
    assert encoder.device == "cpu"
    assert "graphics card was requested" in encoder.note
    assert "[gpu]" in encoder.note
    assert same(encode(encoder, [texts[5]])[0], alone[5])


@needs_no_gpu
@pytest.mark.parametrize("device", ["cuda", "auto"])
def test_a_driver_that_fails_is_said(package, monkeypatch, device):
    """The runtime falls back to the processor without a word; the note has it."""
    known = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: known)
    encoder = open_encoder(package, EncoderSettings(device=device, threads=2))
    assert encoder.device == "cpu"
    assert "driver or CUDA libraries are missing" in encoder.note


def test_as_asked_needs_no_note(encoder, package):
    assert (encoder.device, encoder.note) == ("cpu", "")
    assert encoder.fingerprint == package.manifest.fingerprint


class DyingCard(Session):
    """A graphics card that is lost at its second call."""

    calls = 0

    def _opened(self, device):
        self.device = "cuda"
        return self._created(["CPUExecutionProvider"])

    def _tokens(self, session, inputs):
        if self.device == "cuda":
            self.calls += 1
            if self.calls > 1:
                raise RuntimeError("CUDA failure 719: unspecified launch failure\nmore")
        return super()._tokens(session, inputs)


def test_a_card_lost_in_mid_run_is_replaced_and_said(package, texts, alone, monkeypatch):
    monkeypatch.setattr("claimlight.encoders.runtime.GPU_BATCH_TOKENS", 256)
    session = DyingCard(package.read("encoder.onnx"), device="cuda", threads=2)
    encoder = OnnxEncoder(package, EncoderSettings(batch_tokens=256), session=session)
    assert encoder.device == "cuda"
    found = encode(encoder, texts)
    assert all(same(a, b) for a, b in zip(found, alone, strict=True))
    assert encoder.device == "cpu"
    assert "CUDA failure 719: unspecified launch failure)" in encoder.note


class FailingRun(Session):
    def _tokens(self, session, inputs):
        raise RuntimeError("Failed to allocate memory for requested buffer of size 1")


def test_memory_errors_of_the_runtime_are_known(package):
    session = FailingRun(package.read("encoder.onnx"), device="cpu", threads=1)
    two = np.array([[101, 102], [101, 102]])
    with pytest.raises(OutOfMemory):
        session.run(two, np.ones_like(two))


def test_a_failure_of_the_runtime_is_the_worlds(package):
    session = Session(package.read("encoder.onnx"), device="cpu", threads=1)
    beyond = np.array([[101, 10**6, 102]])
    with pytest.raises(ResourceError, match="the encoder failed"):
        session.run(beyond, np.ones_like(beyond))


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_are_those_of_the_setting(package, threads):
    session = Session(package.read("encoder.onnx"), device="cpu", threads=threads)
    options = session._session.get_session_options()
    assert options.intra_op_num_threads == threads
    assert options.inter_op_num_threads == 1


def test_no_threads_set_means_all_cores(package):
    session = Session(package.read("encoder.onnx"), device="cpu")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert session._session.get_session_options().intra_op_num_threads == cores


class Counting(FakeSession):
    """Waits for as many batches at a time as there should be, and counts them."""

    def __init__(self, expected):
        super().__init__()
        self.together = threading.Barrier(expected, timeout=30)
        self.lock = threading.Lock()
        self.running = self.most = 0

    def run(self, ids, mask):
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self.together.wait()
        with self.lock:
            self.running -= 1
        return super().run(ids, mask)


@pytest.mark.parametrize("threads", [1, 3])
def test_as_many_batches_at_a_time_as_threads_are_set(package, threads):
    session = Counting(threads)
    settings = EncoderSettings(threads=threads, batch_tokens=64)
    # A batch each: as many as fill every round, or the last would wait for others that never come.
    found = encode(OnnxEncoder(package, settings, session=session), ["valve " * 60] * (4 * threads))
    assert session.most == threads
    assert len(session.batches) == len(found) == 4 * threads


def test_a_bad_batch_ends_the_call_without_the_rest(package):
    class Bad(FakeSession):
        def run(self, ids, mask):
            super().run(ids, mask)
            raise ResourceError("broken")

    session = Bad()
    encoder = OnnxEncoder(package, EncoderSettings(threads=2, batch_tokens=64), session=session)
    with pytest.raises(ResourceError, match="broken"):
        encode(encoder, ["valve " * 60] * 200)
    assert len(session.batches) < 200


def test_a_small_call_leaves_no_thread_without_a_batch(package):
    session = FakeSession()
    encoder = OnnxEncoder(package, EncoderSettings(threads=4, batch_tokens=1 << 20), session=session)
    encode(encoder, ["valve " * 60] * 16)
    assert len(session.batches) == 16
    encode(encoder, ["valve"])
    assert session.batches[16:] == [(1, 3)]


def test_a_card_gets_one_batch_at_a_time(package):
    session = Counting(1)
    session.device = "cuda"
    encode(OnnxEncoder(package, EncoderSettings(threads=4), session=session), ["valve " * 200] * 200)
    assert session.most == 1 < len(session.batches)


def test_the_network_provider_of_the_stock_wheel_is_never_used(package):
    session = Session(package.read("encoder.onnx"), device="auto")
    assert session._session.get_providers()[-1] == "CPUExecutionProvider"
    assert "AzureExecutionProvider" not in session._session.get_providers()
