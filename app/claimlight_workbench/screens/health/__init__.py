"""Whether the computer suits the work, and the diagnostic report."""
