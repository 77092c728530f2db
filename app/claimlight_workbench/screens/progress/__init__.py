"""How far the reading of a case has come."""
