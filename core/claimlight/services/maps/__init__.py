"""The map of a library: its documents on a plane, near each other if their vectors are."""
