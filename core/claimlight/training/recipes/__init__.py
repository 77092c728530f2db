"""The recipes that come with the program (TOML); reading one, and making its tasks."""
