"""How vectors lie in their space, what centers do to a library, what a search costs and its parts add."""
