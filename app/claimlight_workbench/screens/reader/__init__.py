"""A document and the links in its text."""
