"""Query lines and their numbered sets."""
