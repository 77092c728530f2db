"""Searching by claim or text, with dates, evidence and the matrix of features."""
