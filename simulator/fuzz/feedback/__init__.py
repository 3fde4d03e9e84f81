"""Feedback of executed sequences: features, their measurement, trimming to what reaches them."""
