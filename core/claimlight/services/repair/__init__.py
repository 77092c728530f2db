"""Finding and repairing damage of libraries, their indexes and the case book."""
