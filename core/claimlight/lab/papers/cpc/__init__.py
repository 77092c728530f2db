"""CPC and IPC classification: which sections, classes and subclasses a document gets, against those it has.

What is measured comes from a file of predictions, whoever made them, or from a probe that is fitted on the
vectors of the encoder (UC Berkeley's CPC classifier: 80/20 by family, title with abstract and claims).
"""
