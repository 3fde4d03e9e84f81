"""The corpus in native memory, and how often its entries are chosen."""
