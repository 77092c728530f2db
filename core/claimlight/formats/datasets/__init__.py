"""Layouts of published data sets and tables: MAREC, JSON Lines, CSV, Parquet and more."""
