"""Dialects of the EPO: full text, DOCDB, Open Patent Services."""
