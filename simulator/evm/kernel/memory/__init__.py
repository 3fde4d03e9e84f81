"""Contents of EVM memory that are hashed or logged."""
