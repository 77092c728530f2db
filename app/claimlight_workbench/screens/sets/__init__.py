"""The numbered sets of the case: opened, used again, run again, written to files."""
