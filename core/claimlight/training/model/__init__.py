"""What is trained: the transformer, and what is learned behind its last step."""
