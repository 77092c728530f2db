"""Editions of CPC and IPC: read from official files, kept one file each, walked, searched and compared."""
