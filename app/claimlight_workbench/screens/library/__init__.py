"""The library: what is in it, importing and indexing."""
