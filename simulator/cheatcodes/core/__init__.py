"""Foundations of every cheatcode: the interface, the registry, the session and its state, frames."""
