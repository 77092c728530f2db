"""Claims as they are read for a search, and what is said of them."""

import pytest

from claimlight.errors import InputError
from claimlight.services.search import queries


def test_a_reference_to_a_claim_that_is_not_there_is_said_with_the_query() -> None:
    text = "What is claimed is: 1. A widget. 2. The widget of claim 1 or claim 7. 3. The widget of claim 1."
    claims = queries.claims_of_text(text)
    assert queries.missing_in(claims) == ((2, (7,)),)
    assert queries.query_from_claims(claims, 3).notes == ()
    (note,) = queries.query_from_claims(claims, 2).notes
    assert note.startswith("Claim 2 refers to claim 7:")
    assert queries.query_from_text(text, 2).notes == (note,)


def test_a_soft_hyphen_at_the_end_of_a_line_joins_the_word() -> None:
    (claim,) = queries.claims_of_text("1. A hous\u00ad\ning of steel.")
    assert claim.text == "A housing of steel."


@pytest.mark.parametrize("text", ["1-5. (canceled)", "1. (Cancelled)\n2. (deleted)"])
def test_a_list_of_cancelled_claims_is_not_searched(text):
    with pytest.raises(InputError, match=r"Claim 1 was cancelled: there is nothing to search for\."):
        queries.query_from_text(text)
