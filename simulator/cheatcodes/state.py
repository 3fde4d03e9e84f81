"""What cheatcodes remember between calls, apart from the chain's state.

A state is never changed, only replaced. The machine's context holds the number of the one that counts, in a cell that
is written through the journal: so going back to an earlier point of execution, natively or from Python, goes back to
the state of that point too. Numbers only grow along the journal; the states behind the current one are therefore dead
when a new one is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class State:
    """`variables` are set with `setEnv`, `drawn` is how many random words were used."""

    variables: Mapping[str, str] = field(default_factory=dict)
    drawn: int = 0

    @property
    def watches(self) -> bool:
        """Whether the kernel must show every frame's beginning and end."""
        return False
