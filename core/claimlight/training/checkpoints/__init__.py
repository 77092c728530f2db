"""Checkpoint folders as sentence-transformers lays them out: read as data, and written."""
