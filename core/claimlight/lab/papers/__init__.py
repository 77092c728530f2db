"""The evaluations of papers, by their own files and rules.

A protocol reads the files a data set comes in, lets the product itself rank, and gives a `ProtocolReport`.
"""
