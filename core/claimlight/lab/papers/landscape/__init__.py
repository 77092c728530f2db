"""Technology topics with labels of experts."""
