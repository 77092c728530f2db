"""Adapting the encoder to the open library: run, curve, before and after, keep or discard."""
