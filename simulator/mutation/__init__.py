"""Mutants: faulty versions of deployed codes, chosen by source and syntax, and what the tests of a campaign notice."""
