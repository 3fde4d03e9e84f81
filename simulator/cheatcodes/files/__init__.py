"""Cheatcodes that reach outside: files, environment variables, programs."""
