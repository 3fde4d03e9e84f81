"""Limits on the resources and the number of commands."""

from __future__ import annotations

import msgspec


class CommandLimits(msgspec.Struct, frozen=True):
    """`seconds` of wall clock and `output` bytes on both streams for each command; `at_once` commands run, `queue`
    more wait for their turn.

    `memory` bytes, resident and summed over all of a command's processes, and `kept` bytes of stdout held in memory
    for a parser bind started runs, not the commands of `ProcessRunner.run`. `memory` None means no limit.
    """

    seconds: float = 600.0
    output: int = 512 << 20
    at_once: int = 4
    queue: int = 64
    memory: int | None = 4 << 30
    kept: int = 10 << 20
