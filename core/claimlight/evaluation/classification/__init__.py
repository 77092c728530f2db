"""Training and measuring classifiers on the documents of a library or of a file."""
