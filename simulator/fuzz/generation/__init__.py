"""Templates of calls, and the values that fill them."""
