"""Late interaction: token vectors of passages on disk, scored by MaxSim, with PLAID's candidates in front."""
