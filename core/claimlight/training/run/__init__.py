"""A training run: the loop, its gradients and processes, and the folder it goes on from."""
