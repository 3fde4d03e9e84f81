"""Checkpoint of a campaign: written every few seconds and read by `--resume`, to continue in another process."""
