"""Projects: their configuration and artifacts, the contracts in them, and the choice of one."""
