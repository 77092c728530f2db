"""The window. Importing the engine's package comes first: it closes the network to the libraries below."""

import claimlight  # noqa: F401 - for what it does to the environment
