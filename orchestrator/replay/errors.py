"""Errors of replaying commands."""

from __future__ import annotations


class CommandLogError(Exception):
    """A recorded command cannot be read or is none; the message begins with `file:line`."""

    code = "E_COMMAND_LOG"
