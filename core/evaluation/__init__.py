"""What Claimlight finds and what it misses, measured: judgements, runs, measures, significance, protocols.

A protocol reads the files a data set comes in, lets the product itself rank, and measures the run:

* `core.evaluation.retrieval`: judged queries against a corpus (BEIR-style files);
* `core.evaluation.clef_ip`: claims to passages (CLEF-IP 2013);
* `core.evaluation.cpc`: sections and classes found, by predictions or by probes on vectors;
* `core.evaluation.fusion`: weights of a fusion, learned and held out;
* `core.evaluation.golden`: a small corpus whose figures may not change unnoticed;
* `core.evaluation.landscape`: technology topics whose documents experts labelled.
"""
