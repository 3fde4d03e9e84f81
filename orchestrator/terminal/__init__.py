"""Keys of a terminal, and what they do in the live view."""
