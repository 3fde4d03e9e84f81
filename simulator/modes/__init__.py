"""Test modes: what a campaign means. One module for each mode, and one table that everything else reads."""
