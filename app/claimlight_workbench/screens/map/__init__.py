"""The map of the library: its documents on a plane, near each other if their vectors are."""
