"""Vyper: its compilers from PyPI, what they are given, and their answers read into units."""
