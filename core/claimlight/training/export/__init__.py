"""From a checkpoint to a model package and back: graphs, weights, and the proof that they give the same."""
