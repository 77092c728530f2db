"""What the window knows of the engine: the services it asks for, link and table models."""
