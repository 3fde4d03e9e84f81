"""Everything that knows contracts and the EVM. Synchronous, deterministic from a seed, and free of trio."""
