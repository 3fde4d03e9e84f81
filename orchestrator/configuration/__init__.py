"""Configuration of a campaign: keys, their layers, and the resulting request."""
