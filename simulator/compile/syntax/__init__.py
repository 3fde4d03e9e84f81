"""Syntax trees of compiled sources: their walk, and the constants in them."""
