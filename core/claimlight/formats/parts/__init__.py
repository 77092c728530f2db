"""Parts of a document that several dialects have in common: text, numbers, classes, parties."""
