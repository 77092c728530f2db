"""A library's documents: import, read, relate, export."""
