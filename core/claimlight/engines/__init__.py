"""Adapters of the port `claimlight.index.backend.IndexBackend`: one module per engine."""
