"""Trains classifiers of CPC and IPC on the vectors of an encoder: experts, their mixture, and thresholds.

scikit-learn fits the planes; nothing here needs torch.
"""
