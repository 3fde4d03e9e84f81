"""Sequences that came nearer to something, and what is tried from there."""
