"""Drawings of documents: which there are, where their bytes are, and how they are shown.

The record of a document names its pictures. Their bytes are in the library (`keeping`), or beside the file of
the document or in its archive (`finding`).
"""
