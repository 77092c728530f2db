"""Kinds of training tasks that a paper describes. One module for each."""
