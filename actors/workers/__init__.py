"""Fuzz workers: one supervised process each, its frames, and its losses."""
