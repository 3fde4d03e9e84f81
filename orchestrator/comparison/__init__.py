"""Comparison of two campaigns by their reports."""
