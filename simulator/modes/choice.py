"""Which mode a contract is meant for, where nobody said."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.modes.mode import Harness, Mode
from simulator.modes.table import DEFAULT_MODE, MODES


@dataclass(frozen=True)
class Choice:
    """A mode, and a sentence for people that says what was chosen, why, and how to choose otherwise."""

    mode: Mode
    note: str = ""


def choose_mode(harness: Harness) -> Choice:
    """The first mode of the table that recognises the contract; without any, the default, which will find nothing."""
    for mode in MODES.values():
        if (reason := mode.recognises(harness)) is not None:
            others = ", ".join(name for name in MODES if name != mode.name)
            note = f"{harness.contract} is fuzzed in {mode.name} mode, because {reason}; --test-mode chooses otherwise"
            return Choice(mode, f"{note} ({others})")
    return Choice(MODES[DEFAULT_MODE])
