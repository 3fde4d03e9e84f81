"""What every cheatcode builds on: the interface, the registry, the session and its state, frames."""
