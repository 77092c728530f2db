"""A passage states a feature word by word: endings and signs play no part, the relation of the words does."""

import pytest

from claimlight.judging.restating import restates

FEATURE = "a valve element which is arranged in the bypass channel and is adjustable by the control unit"


@pytest.mark.parametrize(
    "passage",
    [
        FEATURE,
        f"1. A damper comprising {FEATURE}, and a spring.",
        "A valve element (7) which is arranged in the bypass channel (6), and is adjustable by the control "
        "unit (9).",
        "Valve elements which are shown. A Valve Element which is arranged in the bypass channels and is "
        "adjustable by the control units.",
    ],
)
def test_the_words_of_the_feature_stand_in_a_row(passage):
    assert restates(FEATURE, passage)


@pytest.mark.parametrize(
    "passage",
    [
        "",
        "The control unit is arranged in the channel; a bypass valve element which is adjustable by an "
        "element.",
        "A valve element which is arranged in the bypass channel and is fixed.",
        "By the unit a control is and adjustable is which channel bypass the in arranged element valve a.",
    ],
)
def test_the_same_words_in_another_relation_do_not(passage):
    assert not restates(FEATURE, passage)


def test_of_a_short_feature_nothing_is_said():
    assert not restates("a control unit", "A damper with a control unit.")
    assert restates("a control unit of the rear damper", "A damper with a control unit of the rear damper.")


def test_with_another_figure_it_is_another_feature():
    feature = "the valve is kept open by the controller for a hold time of 420 ms after the impact"
    said = "Here {} is kept open by the controller for a hold time of {} after the impact."
    assert restates(feature, said.format("the valve (7)", "420 ms"))
    assert restates(feature, said.format("the valve", "420.0 ms"))
    assert not restates(feature, said.format("the valve", "700 ms"))
    assert not restates(feature, said.format("the valve (420)", "-420 ms"))
