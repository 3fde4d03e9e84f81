"""Errors of checkpoints."""

from __future__ import annotations


class CheckpointError(Exception):
    """A checkpoint cannot be read or does not fit; the message names the file and says why."""

    code = "E_CHECKPOINT"
