"""The work product of a search, of what the examiner confirmed and marked: reports and search strategies."""
