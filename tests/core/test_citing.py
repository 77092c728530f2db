"""How passages are cited."""

from __future__ import annotations

import pytest

from claimlight.types import PublicationNumber, cite_passages

EP = PublicationNumber("EP", "1234567", "A1")
US_GRANT = PublicationNumber("US", "8419064", "B2")
US_APPLICATION = PublicationNumber("US", "20050004974", "A1")


@pytest.mark.parametrize(
    ("publication", "labels", "cited"),
    [
        (EP, ["[0042]"], "EP 1 234 567 A1, [0042]"),
        (EP, ["[0042]", "[0043]", "[0044]"], "EP 1 234 567 A1, [0042] to [0044]"),
        (EP, ["claim 7"], "EP 1 234 567 A1, claim 7"),
        (EP, ["claim 7", "claim 8", "[0001]"], "EP 1 234 567 A1, claims 7 to 8, [0001]"),
        (EP, ["claim 7 (de)"], "EP 1 234 567 A1, claim 7 (de)"),
        (EP, ["abstract"], "EP 1 234 567 A1, abstract"),
        (EP, ["p. 12"], "EP 1 234 567 A1, paragraph 12 of the file"),
        (EP, [], "EP 1 234 567 A1"),
        (US_APPLICATION, ["[0042]"], "US 2005/0004974 A1, [0042]"),
        (US_GRANT, ["claim 3"], "US 8,419,064 B2, claim 3"),
    ],
)
def test_passages_are_cited_by_what_is_printed(publication, labels, cited):
    assert cite_passages(publication, labels) == cited


@pytest.mark.parametrize("kind", ["A", "B1", "B2", "E", "E1", "H1", "S1", ""])
def test_a_us_patent_is_cited_by_no_number_that_is_not_printed(kind):
    cited = cite_passages(PublicationNumber("US", "8419064", kind), ["[0042]", "[0043]"])
    assert cited.endswith(", paragraphs 42 to 43 of the file")
