"""Sources as reports name them: where things are declared, which lines ran."""
