"""Exports the report and the search strategy of the open case."""
