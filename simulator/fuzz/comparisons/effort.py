"""Budget of single-sequence work beside the native loop, in executions."""

from __future__ import annotations

from collections.abc import Callable

AT_FIRST = 2048
GAS_BITS = 29
"""So much gas of the native loop, as a power of two, pays for one execution more: about one part in a hundred of its
time where it is fastest."""
EARLY_GAS_BITS, MAX_EARLY = 20, 4096
"""At first more is tried for the gas, about an execution for 32 plain calls: most of what can be solved shows early."""
MAX_REWARDS = 8192
REWARD_FACTOR = 1
AT_FIRST_FOR_COVERAGE = 512
MAX_DEEPER = 8192
"""For properties that reach more of their code, in all: few do so often, and those that do are half falsified."""


class Effort:
    """Executions are earned by the gas that built sequences used, so that what a campaign spends depends on nothing but
    its seed."""

    def __init__(self, gas: Callable[[], int]) -> None:
        self._gas = gas
        self._rewards = 0
        self._deeper = 0
        self._for_coverage = 0
        self._spent = 0

    def earn(self, executions: int) -> None:
        """Something new came out of the work: it pays for more, within limits."""
        self._rewards += executions

    def earn_deeper(self, executions: int) -> None:
        """A property reached more of its code: it pays from an account of its own, so that what came nearer before, in
        vain, does not keep it from being followed."""
        self._deeper = min(MAX_DEEPER, self._deeper + executions)

    def spend(self, executions: int = 1) -> None:
        self._spent += executions

    def spend_for_coverage(self, executions: int = 1) -> None:
        """Spend from an account of coverage alone; where that is empty, from the common one."""
        self._for_coverage += executions
        if self._for_coverage > AT_FIRST_FOR_COVERAGE:
            self._spent += executions

    @property
    def is_spent(self) -> bool:
        """Return whether everything earned has been spent."""
        regular = self._gas() >> GAS_BITS
        rewards = min(self._rewards, MAX_REWARDS + REWARD_FACTOR * regular)
        early = min(MAX_EARLY, self._gas() >> EARLY_GAS_BITS)
        return self._spent >= AT_FIRST + early + regular + rewards + self._deeper
