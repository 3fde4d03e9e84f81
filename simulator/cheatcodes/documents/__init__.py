"""Cheatcodes for JSON, TOML and typed data."""
