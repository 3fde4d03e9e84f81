"""Sequences tried once, without any effect on the campaign: what they return, revert with and leave in storage."""
