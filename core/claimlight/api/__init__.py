"""The Python API: what `import claimlight` gives, over the services that the command line uses.

Nothing is computed here. `claimlight.api.values` says what comes out, `claimlight.api.library` is the door;
the names that are public are those of ``claimlight.__all__``, everything else is private.
"""
