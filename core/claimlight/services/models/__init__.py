"""Model packages: choose, add, export, run."""
