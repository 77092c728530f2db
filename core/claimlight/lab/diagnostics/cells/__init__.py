"""Cells of the coverage matrix, checked on labelled pairs of feature and passage; their calibration."""
