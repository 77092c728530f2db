"""One center of the vocabulary: what it is, how often it is met, by which words of the library."""
