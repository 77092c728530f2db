"""Features against documents: the coverage matrix, and pairs of documents that cover a claim together."""
