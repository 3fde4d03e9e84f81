"""Which files of a folder are read."""
