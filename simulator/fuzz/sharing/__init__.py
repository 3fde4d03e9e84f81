"""Memory that a worker shares with its supervisor."""
