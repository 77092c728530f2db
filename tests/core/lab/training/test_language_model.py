"""A causal language model out of a folder, on a tiny one with random weights."""

import json
from collections import Counter

import pytest

from claimlight.errors import InputError
from claimlight.lab.training.views.language_model import LanguageModel
from claimlight.lab.training.views.paraphrase import Paraphraser, Rewriting
from claimlight.tasks import TaskContext
from tests.core.lab.training import toy_language as toy

torch = pytest.importorskip("torch", reason="needs claimlight[train]")
pytest.importorskip("transformers", reason="needs claimlight[train]")
pytestmark = [
    pytest.mark.train,
    # torch and transformers warn of their own future
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]
TEXTS = [
    "the valve opens with a damper of oil",
    "a lid",
    "the lamp is in a box near the hinge , under the lid , over the valve .",
    "oil",
]


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "chat"])
def folder(request, tmp_path_factory):
    return toy.model(tmp_path_factory.mktemp("language"), chat=request.param)


def load(folder, **changes) -> LanguageModel:
    values = {"instruction": "a lid :", "temperature": 0.9, "top_p": 0.95, "most_tokens": 24, "device": "cpu"}
    return LanguageModel.load(folder, **(values | changes))


def test_an_answer_depends_on_text_and_seed_alone(folder):
    model = load(folder)
    together = model.answers(TEXTS, seeds=[1, 2, 3, 4])
    assert model.answers(TEXTS[::-1], seeds=[4, 3, 2, 1]) == together[::-1]
    assert [
        model.answers([text], seeds=[seed])[0] for text, seed in zip(TEXTS, (1, 2, 3, 4), strict=True)
    ] == together
    assert model.answers(TEXTS, seeds=[1, 2, 3, 5])[:3] == together[:3]
    assert len({model.answers(TEXTS[:1], seeds=[seed])[0] for seed in range(12)}) >= 4


def test_without_temperature_the_likeliest_answer_is_given(folder):
    model = load(folder, temperature=0)
    assert model.answers(TEXTS[:2], seeds=[1, 2]) == model.answers(TEXTS[:2], seeds=[8, 9])


def test_tokens_are_drawn_as_often_as_the_model_says(folder):
    """First tokens of many answers against the model's own probabilities at that temperature."""
    model = load(folder, most_tokens=1, temperature=1.3, top_p=1.0)
    drawn = Counter(
        word
        for begin in range(0, 1200, 60)
        for word in model.answers([TEXTS[0]] * 60, seeds=range(begin, begin + 60))
    )
    asked = model._tokenizer(model._question(TEXTS[0]), return_tensors="pt", add_special_tokens=False)
    with torch.no_grad():
        logits = model._model(**{name: asked[name] for name in ("input_ids", "attention_mask")}).logits[0, -1]
    expected = torch.softmax(logits / 1.3, dim=-1).tolist()
    vocabulary = [*toy.SPECIAL, *toy.WORDS]
    for word, share in zip(vocabulary[6:], expected[6:], strict=True):
        error = 4 * (share * (1 - share) / 1200) ** 0.5
        assert abs(drawn[word] / 1200 - share) < error + 1e-3


def test_a_nucleus_leaves_unlikely_tokens_out(folder):
    narrow = load(folder, most_tokens=1, top_p=0.05)
    assert len({narrow.answers([TEXTS[0]], seeds=[seed])[0] for seed in range(20)}) == 1


def test_answers_hold_no_special_tokens_and_no_question(folder):
    for answer in load(folder).answers(TEXTS, seeds=range(4)):
        assert not set(answer.split()) & set(toy.SPECIAL)
        assert not answer.startswith("a lid :")


def test_a_text_too_long_is_cut_so_that_the_answer_fits(folder):
    model = load(folder)
    long = " ".join(["valve"] * 400)
    (fitting,) = model._fitting([long])
    question = model._tokenizer(model._question(fitting))["input_ids"]
    assert len(question) + 24 <= toy.LIMIT
    assert len(question) + 24 >= toy.LIMIT - 2
    assert model._fitting(TEXTS) == TEXTS
    assert len(model.answers([long], seeds=[1])) == 1


def test_no_room_for_an_abstract_is_told(folder):
    with pytest.raises(InputError, match=r"takes 160 tokens: too few .* answer of 150"):
        load(folder, most_tokens=150).answers(TEXTS[:1], seeds=[1])


def test_a_folder_that_is_no_language_model_is_told(tmp_path):
    toy.model(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "no such thing"}))
    with pytest.raises(InputError, match="holds no causal language model that can be read"):
        load(tmp_path)


def test_paraphrases_come_from_the_model(tmp_path):
    where = toy.model(tmp_path / "model", chat=True)
    texts = [f"{text} {word}" for text in TEXTS for word in toy.WORDS]
    rewriting = Rewriting(where, temperature=1.0, top_p=1.0, most_tokens=40, batch=32)
    first = Paraphraser(rewriting, tmp_path / "a", seed=1).of(texts, TaskContext())
    assert first == Paraphraser(rewriting, tmp_path / "b", seed=1).of(texts, TaskContext())
    assert any(len(text.split()) >= 15 for text in first)
