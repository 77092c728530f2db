"""Making a center vocabulary: spans drawn, a farthest-first traversal, radii."""
