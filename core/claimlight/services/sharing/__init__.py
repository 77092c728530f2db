"""Shared libraries: documents in a database and an index in an engine, on servers that the user names."""
