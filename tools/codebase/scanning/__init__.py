"""Selection of the files to index."""
