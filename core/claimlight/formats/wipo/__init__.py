"""Dialects of WIPO: ST.36 and ST.96."""
