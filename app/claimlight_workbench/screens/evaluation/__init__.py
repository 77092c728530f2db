"""The evaluation of the open library: what a search of it finds of the citations inside."""
