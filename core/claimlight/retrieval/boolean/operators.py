"""What completion, the help of the window and the reference say of operators, with examples of lines."""

from __future__ import annotations

OPERATORS = (
    ("AND", "both in one document"),
    ("OR", "at least one of them"),
    ("NOT", "the first without the second"),
    ("XOR", "one of them, not both"),
    ("ADJ", "next to it, in this order; ADJ3 within 3 words; one sentence"),
    ("NEAR", "next to it, in any order; NEAR3 within 3 words; one sentence"),
    ("WITH", "in one sentence; WITH2 within two"),
    ("SAME", "in one paragraph"),
    ("NOT ADJ", "the first, not followed by the second"),
    ("NOT NEAR", "the first, not near the second"),
    ("NOT WITH", "the first, in a sentence without the second"),
    ("NOT SAME", "the first, in a paragraph without the second"),
)
SEMANTIC = (
    ('~"', "semantic search: a text in quotes"),
    ("LIKE(", "similar to a publication: LIKE(EP1000000A1)"),
    ("COVERS(", "that disclose a feature of the claim: COVERS(F3)"),
)
RELATED = (
    ("CITED(", "cited by a publication or a set: CITED(L3)"),
    ("CITING(", "that cite a publication or a set: CITING(EP1000000A1)"),
    ("FAMILY(", "families of a publication or a set, with itself: FAMILY(L3)"),
)
EXAMPLES = (
    ("damper", "the word in title, abstract, claims or description"),
    ("damp$2", "words that begin so, with at most two more letters"),
    ('"fluid damper"', "the words one after another"),
    ("fluid ADJ3 damper", "the second word at most three words after the first"),
    ("(damper OR absorber) SAME valve", "one of two words, and a third in the same paragraph"),
    ("damper.ti,ab.", "in the title or the abstract"),
    ("siemens.as. AND PD<2015", "of an applicant, published before 2015"),
    ("@PD>=2010<=2012", "published from 2010 to 2012"),
    ("CPC=H04L9/00", "a main group of the CPC with all its subgroups"),
    ("L1 NOT L2", "documents of one set that are not in another"),
    ("CITED(L1) OR CITING(L1)", "documents that a set cites, and those that cite it"),
    ('damper$2.clm. AND ~"valve opens on impact"', "a word in the claims, and a semantic search"),
)
"""Whole lines, from the simplest on."""
