"""Steering commands, and how their calls, values and effects are read."""
