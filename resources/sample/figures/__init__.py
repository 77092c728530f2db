"""The drawings of the documents that lead the searches of the sample case, made from their own text."""
