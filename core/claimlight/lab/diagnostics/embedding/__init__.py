"""How vectors lie in their space: measures, where the vectors come from, plots."""
