"""Turns of single sequences and of the native loop: what random calls find at once need not wait for what is solved."""

from __future__ import annotations

from simulator.fuzz.loop.engine import FuzzEngine

TURN = 1024
"""Calls of single sequences after which the native loop has its turn."""
SHARE = 4
"""The native loop makes one call for so many of single sequences: the waypoints that it finds meanwhile come first, and
longer turns of its would leave a conjunction that is half met behind them."""


class Rest:
    """Turns are counted in calls, so that they depend on nothing but the seed."""

    def __init__(self, engine: FuzzEngine) -> None:
        self._engine = engine
        self._given = engine.given_calls
        self.until = 0

    def is_due(self) -> bool:
        """Return whether it is the native loop's turn. Begins one when enough calls were given."""
        if self._engine.calls < self.until:
            return True
        spent = self._engine.given_calls - self._given
        if spent < TURN:
            return False
        self._given = self._engine.given_calls
        self.until = self._engine.calls + spent // SHARE
        return True
