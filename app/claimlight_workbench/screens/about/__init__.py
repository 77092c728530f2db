"""The versions of the program and the licences of its parts."""
