"""A live chain, as a forked campaign sees it: JSON-RPC, state of one block, and the cache of it on disk."""
