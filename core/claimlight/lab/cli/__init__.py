"""The commands of ``claimlight lab``, one module each; `group` puts them together."""
