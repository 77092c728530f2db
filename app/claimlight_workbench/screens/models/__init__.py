"""The model packages of this machine: which there are, which is in use, add, check, remove."""
