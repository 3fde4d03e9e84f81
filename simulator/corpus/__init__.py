"""Corpus files: Echidna's and medusa's formats, the folder they live in, and Foundry tests made from sequences."""
