"""Benchmarks: ratios measured in one run, JSON out."""

import claimlight  # noqa: F401 - closes the network to onnxruntime before a benchmark imports it
