"""Training an encoder by a recipe: what from what, the run with its curve, pause and go on."""
