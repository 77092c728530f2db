"""Damaged and hostile input for everything that reads a file or a line; `python -m tests.fuzz --help`."""
