"""Pairs and triplets found in a library: by classes, citations, nearness and the views of one document."""
