"""Measurements against a peer, in one run. Figures are ratios; results are kept in `benchmarks/results`."""
