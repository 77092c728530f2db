"""CLEF-IP 2013, claims to passages: claims of an application in, documents and passages that meet them out.

    topics, topic files ──▶ text of the claims with their ancestors ┐
    documents (MAREC) ──▶ passages by XPath ──▶ library of passages ┴▶ rankings ──▶ two stages ──▶ measures
    judgements (XPaths) ────────────────────────────────────────────────────────────────────────────┘

Sparse Coverage, section 4; where this differs from the paper's public code: docs/lab/papers/clef_ip.md.
"""
