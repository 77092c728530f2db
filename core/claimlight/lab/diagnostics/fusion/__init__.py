"""Weights of a fusion, learned from judged runs."""
