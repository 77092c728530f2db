"""The hits of a search."""
