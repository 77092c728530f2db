"""PatenTEB: fifteen tasks on patent embeddings, and the two outside tests of its paper, from their files."""
