"""How much of what the documents of a library cite a search of it finds."""
