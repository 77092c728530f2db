"""How a center vocabulary lies in its space and in a library's index: measures, report, plots."""
