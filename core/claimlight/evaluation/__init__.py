"""What Claimlight finds and what it misses, measured: judgements, runs, measures, significance, protocols.

A protocol reads the files a data set comes in, lets the product itself rank, and gives a `ProtocolReport`:

* `retrieval`: judged queries against a corpus (BEIR-style files); `golden`: a small corpus whose figures may
  not change unnoticed; `fusion`: weights of a fusion, learned and held out; `landscape`: topics with labels
  of experts; `library`: the citations inside a user's own library;
* `clef_ip`: claims to passages (CLEF-IP 2013); `patentmap`, `paecter`, `patenteb` (with DAPFAM and
  BigPatentClustering) and `cpc`: the protocols of the papers;
* `embedding` and `cost`: how vectors lie in their space, what a search costs; `cells`: the coverage matrix.
"""
