"""The query line: read by a grammar, answered by full text and by looking at the text itself."""
