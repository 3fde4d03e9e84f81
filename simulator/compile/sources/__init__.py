"""Source files: which there are, what they import, which compile together."""
