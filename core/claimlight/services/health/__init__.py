"""Whether the program runs well on this computer, and the diagnostic report."""
