"""Losses that a paper describes."""
