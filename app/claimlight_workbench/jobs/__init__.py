"""Background work: reads and small writes in threads, long jobs in child processes."""
