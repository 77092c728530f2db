"""Benchmarks: ratios measured in one run, JSON out."""
