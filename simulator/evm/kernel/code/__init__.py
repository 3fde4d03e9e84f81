"""Code of contracts: found by its hash, decoded, joined into superinstructions, entered when it is compiled."""
