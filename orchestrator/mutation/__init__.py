"""`monotreme mutate`: a target with its corpus, its mutants, and the report on what its tests notice."""
