"""PatentMap's evaluation: prior art by section vectors, classes by neighbours and a probe, sets of a library.

The public data is one folder for prior art (``content/queries.json``, ``content/documents.json``,
``mapping/gold.json``) and one for classification (``train_512.csv``, ``test_512.csv``).
"""
