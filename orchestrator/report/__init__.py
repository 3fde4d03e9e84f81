"""Reports of a finished campaign: text, JSON, coverage files."""
