"""Frames: calls, creations, their ends, and resuming after an exit."""
