"""What Claimlight finds and what it misses, measured: judgements, runs, measures, significance, reports.

* `retrieval`: judged queries against a corpus (BEIR-style files); `golden`: a small corpus whose figures may
  not change unnoticed;
* `library`: the citations inside a user's own library; `adaptation`: a model adapted to it, compared with the
  shipped one.

The evaluations of papers are in `claimlight.lab.papers`.
"""
