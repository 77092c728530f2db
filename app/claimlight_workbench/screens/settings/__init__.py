"""The settings: every declared one with its help, changed together and saved at once."""
