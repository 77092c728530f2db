"""PaECTER: of thirty patents the five that a patent cites must come first.

The protocol of Ghosh et al. (2024): `sets` is the file of the public test set, `texts` finds title and
abstract of what it names, `protocol` ranks each thirty and measures, `build` draws such sets from the
citations of a library.
"""
