"""What a judge is trained on, which cells are compared, and that it learns a rule from few examples."""

import copy
import json
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from claimlight.errors import InputError
from claimlight.judging.reading import JudgeReader
from claimlight.tasks import TaskContext
from claimlight.training.judges import material
from claimlight.training.judges.loop import JudgeMaterial, JudgeRecipe, compared, train_judge
from claimlight.training.judges.material import Block, Cell, SentencePair, TaughtPair

torch = pytest.importorskip("torch")

WORDS = [
    "a",
    "the",
    "device",
    "comprising",
    "valve",
    "opens",
    "closes",
    "pump",
    "left",
    "right",
    "red",
    "blue",
    "first",
    "then",
]
GROUP = {
    "id": "A001",
    "cpc": "F16K",
    "claim": "A device comprising",
    "features": ["a valve which opens first", "a valve which closes first"],
    "passages": [
        {"text": "The valve opens and the pump starts.", "labels": ["other", "near"]},
        {"text": "The blue paint is dry.", "labels": ["absent", "absent"]},
        {"text": "First the valve closes.", "labels": ["near", "same"]},
    ],
}
CHART = {
    "id": "K01",
    "field": "F16K",
    "claim": "A device comprising a valve which opens; and a red pump.",
    "features": [{"label": "F1", "text": "a valve which opens"}, {"label": "F2", "text": "a red pump"}],
    "document": {
        "title": "T",
        "abstract": "A",
        "paragraphs": [{"n": f"{n:04}", "text": f"Paragraph {n} of a valve."} for n in range(1, 9)],
    },
    "cells": [
        {"feature": "F2", "disclosed": False, "wording": "near_miss", "near": ["0002"], "paragraphs": []},
        {"feature": "F1", "disclosed": True, "wording": "other", "paragraphs": ["0003", "0005"]},
    ],
}


def written(folder, name, items):
    path = folder / name
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return path


def said(cell):
    return [(cell.feature[term.start : term.end], term.met) for term in cell.terms]


def test_words_that_differ_from_a_disclosed_sibling_are_missing(tmp_path):
    (block,) = material.read_groups(written(tmp_path, "g.jsonl", [GROUP]))
    cells = {(cell.row, cell.column): cell for cell in block.cells}
    assert [cell.disclosed for cell in block.cells] == [True, False, False, False, False, True]
    assert dict(said(cells[0, 1])) == {
        "a": True, "valve": True, "which": True, "closes": False, "first": True,
    }  # fmt: skip
    assert all(met for _, met in said(cells[0, 0]))
    # Nothing speaks of it: no word is met, and words that are there all the same are left open.
    assert said(cells[1, 0]) == [
        ("a", False), ("valve", False), ("which", False), ("opens", False), ("first", False),
    ]  # fmt: skip
    assert cells[0, 0].subject == "A device comprising"


def test_a_chart_is_drawn_with_all_that_disclose_or_come_near_and_some_others(tmp_path):
    (chart,) = material.read_charts(written(tmp_path, "c.jsonl", [CHART]))
    assert chart.subject == "A device comprising"
    assert chart.disclosing == ((2, 4), ())
    assert chart.near == ((), (1,))
    for seed in range(5):
        cells = chart.draw(Random(seed)).cells
        first = [cell for cell in cells if cell.column == 0]
        assert {cell.row for cell in first if cell.disclosed} == {2, 4}
        assert {cell.row for cell in cells if cell.column == 1 and cell.wording == "near"} == {1}
        others = [cell for cell in cells if cell.wording == "absent"]
        assert 4 <= len(others) <= 6
        assert not any(cell.disclosed for cell in others)
    assert chart.draw(Random(1)) == chart.draw(Random(1))


def test_broken_lines_are_named(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("{}\n{", encoding="utf-8")
    with pytest.raises(InputError, match="line 2 is no JSON"):
        list(material._read_lines(path))


def test_sentences_and_terms_are_read(tmp_path):
    path = tmp_path / "s.tsv"
    path.write_text('premise\thypothesis\tentailed\nA "dog runs\tA dog\t1\n', encoding="utf-8")
    assert material.read_sentences(path) == [SentencePair("A dog", 'A "dog runs', 1.0)]
    path.write_text("anchor\ttarget\tcpc_class\tscore\nvalve\tgate\tF16\t.5\n", encoding="utf-8")
    assert material.read_phrases(path) == [SentencePair("valve", "gate", 0.5)]


def cell(row, column, *, disclosed, feature="valve opens", passage="valve opens"):
    return Cell("a device", feature, passage, disclosed, "same", (), row, column)


def test_cells_of_one_row_or_column_are_compared():
    cells = [
        cell(0, 0, disclosed=True),
        cell(0, 1, disclosed=False),
        cell(1, 0, disclosed=False),
        cell(1, 1, disclosed=False),
        cell(2, 1, disclosed=True),
    ]
    higher, lower = compared(cells)
    assert set(zip(higher.tolist(), lower.tolist(), strict=True)) == {(0, 1), (0, 2), (4, 1), (4, 3)}


@pytest.fixture
def reader():
    from tokenizers import Tokenizer, models, pre_tokenizers

    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    made = Tokenizer(models.WordLevel({word: n for n, word in enumerate(names)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return JudgeReader(made, 64)


def judge(seed=0):
    from transformers import BertConfig, BertModel

    from claimlight.training.judges.model import make_judge

    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=5 + len(WORDS), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    return make_judge(BertModel(config, add_pooling_layer=False), 32, seed)


def toy_groups():
    """The passage discloses the feature if both say the same verb; the colours say nothing."""
    blocks = []
    for number, colour in enumerate(("red", "blue", "left", "right")):
        cells = []
        for row, verb in enumerate(("opens", "closes")):
            for column, wanted in enumerate(("opens", "closes")):
                cells.append(
                    Cell("a device", f"a valve {wanted}", f"the {colour} valve {verb}", verb == wanted,
                         "same" if verb == wanted else "near", (), row, column)
                )  # fmt: skip
        blocks.append(Block(f"A{number}", tuple(cells)))
    return blocks


def test_a_judge_learns_what_separates_siblings(reader):
    from claimlight.training.judges.model import forward

    module = judge()
    before = module["transformer"].get_input_embeddings().weight.detach().clone()
    recipe = JudgeRecipe(first_steps=4, steps=220, average=0.9)
    recipe = JudgeRecipe(
        first_steps=4, steps=220, average=0.9, optimizer=recipe.optimizer.__class__(lr=3e-3, warmup=0.02)
    )
    sentences = [SentencePair("valve opens", "the valve opens", 1.0), SentencePair("pump", "valve", 0.0)]
    given = JudgeMaterial(toy_groups(), (), sentences, sentences)
    train_judge(module, reader, given, recipe, TaskContext())
    cells = [cell for block in toy_groups() for cell in block.cells]
    with torch.no_grad():
        found = forward(module, [reader.read(c.subject, c.feature, c.passage) for c in cells])["ruling"]
    scores = found.numpy()
    yes = np.array([c.disclosed for c in cells])
    assert scores[yes].min() > scores[~yes].max()
    assert torch.equal(before, module["transformer"].get_input_embeddings().weight)


def test_nothing_to_train_on_is_refused(reader):
    with pytest.raises(InputError, match="neither groups nor charts"):
        train_judge(judge(), reader, JudgeMaterial(), JudgeRecipe(first_steps=0, steps=1), TaskContext())


def test_a_judge_follows_its_teacher_where_the_two_disagree_with_nothing_written(reader):
    from claimlight.training.judges.scoring import score_pairs

    pairs = [
        TaughtPair(
            "a device", f"a pump {colour}", f"the {colour if near else 'left'} pump", 4.0 if near else -4.0
        )
        for colour in ("red", "blue")
        for near in (True, False)
    ]
    recipe = JudgeRecipe(
        first_steps=0, steps=260, average=0.9, taught_pairs=8, blocks=2,
        optimizer=JudgeRecipe().optimizer.__class__(lr=3e-3, warmup=0.02),
    )  # fmt: skip
    asked = [(pair.subject, pair.feature, pair.passage) for pair in pairs]
    alone, led = judge(), judge()
    train_judge(alone, reader, JudgeMaterial(toy_groups()), recipe, TaskContext())
    train_judge(led, reader, JudgeMaterial(toy_groups(), taught=pairs), recipe, TaskContext())
    told = np.array([pair.score for pair in pairs])
    errors = [np.abs(score_pairs(module, reader, asked) - told).mean() for module in (alone, led)]
    assert errors[1] < 0.5 * errors[0]
    cells = [cell for block in toy_groups() for cell in block.cells]
    scores = score_pairs(led, reader, [(c.subject, c.feature, c.passage) for c in cells])
    yes = np.array([c.disclosed for c in cells])
    assert scores[yes].min() > scores[~yes].max()


def test_scores_are_those_of_the_module_pair_by_pair(reader):
    from claimlight.training.judges.model import forward, runs_half
    from claimlight.training.judges.scoring import score_pairs

    module = judge().eval()
    # A processor with instructions for bf16 scores in it, with eight bits.
    near = 2e-3 if runs_half(torch.device("cpu")) else 1e-5
    pairs = [("a device", "a valve", " ".join(["the pump"] * n)) for n in (9, 1, 4, 20)]
    with torch.no_grad():
        alone = [float(forward(module, [reader.read(*pair)])["ruling"]) for pair in pairs]
    assert score_pairs(module, reader, pairs) == pytest.approx(alone, abs=near)


def test_the_first_and_the_last_layer_are_kept():
    from claimlight.training.judges.model import keep_layers

    module = judge()
    first, last = module["transformer"].encoder.layer
    with pytest.raises(InputError, match="2 layers: 3"):
        keep_layers(module, 3)
    keep_layers(module, 2)
    assert list(module["transformer"].encoder.layer) == [first, last]


def test_layers_between_are_kept_evenly_or_the_lowest_ones():
    from claimlight.training.judges.model import keep_layers

    for lowest, expected in ((False, [0, 2, 5]), (True, [0, 1, 2])):
        module = judge()
        own = [copy.deepcopy(module["transformer"].encoder.layer[0]) for _ in range(6)]
        module["transformer"].encoder.layer = torch.nn.ModuleList(own)
        keep_layers(module, 3, lowest=lowest)
        assert [own.index(layer) for layer in module["transformer"].encoder.layer] == expected
        assert module["transformer"].config.num_hidden_layers == 3


def test_frozen_layers_stay_as_they_are(tmp_path, reader):
    recipe = JudgeRecipe(first_steps=0, steps=2, frozen=1)
    module = judge()
    before = copy.deepcopy(module.state_dict())
    groups = material.read_groups(written(tmp_path, "g.jsonl", [GROUP, GROUP]))
    train_judge(module, reader, JudgeMaterial(groups=groups), recipe, TaskContext())
    moved = {name for name, value in module.state_dict().items() if not torch.equal(value, before[name])}
    body = {name for name in moved if name.startswith("transformer.")}
    assert body
    assert all(name.startswith("transformer.encoder.layer.1.") for name in body)
    assert "ruling.weight" in moved
    with pytest.raises(InputError, match="2 layers: 2 of them can't stay"):
        train_judge(judge(), reader, JudgeMaterial(groups=groups), replace(recipe, frozen=2), TaskContext())


def test_rulings_of_a_teacher_are_read_pair_by_pair(tmp_path):
    group = {"claim": "A", "features": ["b", "c"], "passages": [{"text": "d", "scores": [1.5, -2]}]}
    path = written(tmp_path, "t.jsonl", [group])
    assert material.read_taught(path) == [
        TaughtPair("A", "b", "d", 1.5), TaughtPair("A", "c", "d", -2.0),
    ]  # fmt: skip


def test_passages_are_read_without_reference_signs_as_judges_read_them(tmp_path):
    group = {**GROUP, "passages": [{"text": "The valve (12) opens.", "labels": ["other", "near"]}]}
    (block,) = material.read_groups(written(tmp_path, "g.jsonl", [group]))
    assert {cell.passage for cell in block.cells} == {"The valve opens."}
