"""Oracles, their records, replays that confirm them, and the reasons of failures."""
