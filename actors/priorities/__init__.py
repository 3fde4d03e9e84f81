"""The priority manager: weights of the functions that workers call."""
