"""Comparisons of a run, solved by writing their other side into the input."""
