"""The corpus keeper: entries, their files, and read access for others."""
