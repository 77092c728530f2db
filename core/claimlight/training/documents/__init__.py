"""The documents of a library as training sees them."""
