"""What a campaign tells at its end: text, JSON, coverage files."""
