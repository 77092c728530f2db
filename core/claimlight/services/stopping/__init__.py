"""How far the reading of a case has come: what was new, and how much is left by a random sample."""
