"""Training, adapting and what they need before they start."""
