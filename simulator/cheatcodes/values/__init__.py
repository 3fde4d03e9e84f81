"""Cheatcodes that compute: conversions, texts, keys, wallets, random values, units."""
