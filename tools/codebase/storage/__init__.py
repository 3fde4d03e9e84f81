"""Storage of the index."""
