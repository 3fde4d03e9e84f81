"""Limits as they change while a campaign runs."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from actors.runtime.errors import CommandRejected
from actors.steering.commands import Limits, SetLimits

Limit = TypeVar("Limit")
LONGEST = 10 * 365 * 86_400
MOST = 2**63 - 1


def changed_limits(present: Limits, command: SetLimits) -> Limits:
    """The present limits with those that the command sets. Raises `CommandRejected` for what is out of range."""
    limits = Limits(
        _or_present(command.call_limit, present.call_limit),
        _or_present(command.time_limit, present.time_limit),
        _or_present(command.coverage_limit, present.coverage_limit),
        _or_present(command.shrink_limit, present.shrink_limit),
    )
    for name, value, most in (
        ("the limit of calls", limits.call_limit, MOST),
        ("the time limit", limits.time_limit, LONGEST),
        ("the time without new coverage", limits.coverage_limit, LONGEST),
        ("the shrink limit", limits.shrink_limit, MOST),
    ):
        if value is not None and not 0 <= value <= most:
            raise CommandRejected(f"{name} is 0 to {most}, not {value:g}")
    return limits


def _or_present(new: Limit | msgspec.UnsetType, present: Limit) -> Limit:
    return present if isinstance(new, msgspec.UnsetType) else new
