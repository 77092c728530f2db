"""Experiments behind docs/lab, and what builds their data: run one by hand, ``python -m bench.lab.NAME``.

``make bench`` runs none of them: it is for what the product is said to be fast at.
"""
