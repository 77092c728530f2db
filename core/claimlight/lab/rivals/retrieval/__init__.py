"""What ranks with the indexes of SPLADE and ColBERT."""
