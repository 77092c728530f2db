"""The encoders of SPLADE and ColBERT packages, and what both have in common."""
