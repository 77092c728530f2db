"""Dialects of the USPTO."""
