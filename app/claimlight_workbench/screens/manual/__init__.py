"""The manual inside of the window: contents, search, pages and pictures, without a network."""
