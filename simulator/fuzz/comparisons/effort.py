"""How much single-sequence work the search may do beside the native loop, in executions."""

from __future__ import annotations

from collections.abc import Callable

AT_FIRST = 1024
MORE_EACH = 8192
"""Calls of the native loop that pay for one execution more."""


class Effort:
    """Executions are earned by calls, so that what a campaign spends depends on nothing but its seed."""

    def __init__(self, calls: Callable[[], int], at_first: int = AT_FIRST) -> None:
        self._calls = calls
        self._earned = at_first
        self._spent = 0

    def earn(self, executions: int) -> None:
        """Something new came out of the work: it pays for more."""
        self._earned += executions

    def spend(self, executions: int = 1) -> None:
        self._spent += executions

    @property
    def is_spent(self) -> bool:
        """Whether everything earned has been spent."""
        return self._spent >= self._earned + self._calls() // MORE_EACH
