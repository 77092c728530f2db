"""Which documents a task of a paper brings together."""
