"""The native fuzz loop, from Python's side."""
