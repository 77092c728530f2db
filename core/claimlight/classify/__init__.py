"""Classifiers of CPC and IPC: packages of plain arrays, their probabilities, and what led to a class.

vectors of the texts -> scores of the experts -> calibrated probabilities, consistent over the levels

Nothing here needs scikit-learn or torch: both are for `claimlight.training.classifiers`.
"""
