"""Encoding the passages of a library and building its index."""
