"""A campaign that has ended, or whose program died, read from its folder."""
