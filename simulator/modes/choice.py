"""Choice of a contract's mode, where the user named none."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.modes.assertion import ASSERTION
from simulator.modes.mode import Harness, Mode
from simulator.modes.table import DEFAULT_MODE, MODES


@dataclass(frozen=True)
class Choice:
    """A mode, and a sentence for people that says what was chosen, why, and how to choose otherwise."""

    mode: Mode
    note: str = ""


def choose_mode(harness: Harness) -> Choice:
    """The first mode of the table that recognises the contract; without any, the default, which will find nothing. The
    note also names other modes, whose tests are left out; that asserts count or not is the chosen one's affair."""
    found = [(mode, reason) for mode in MODES.values() if (reason := mode.recognises(harness)) is not None]
    if not found:
        return Choice(MODES[DEFAULT_MODE])
    (mode, reason), *also = found
    others = ", ".join(name for name in MODES if name != mode.name)
    note = (
        f"{harness.contract} is fuzzed in {mode.name} mode, because {reason}; --test-mode chooses otherwise ({others})"
    )
    left = [f". {other.name} mode would suit it too: {why}" for other, why in also if other is not ASSERTION]
    return Choice(mode, note + "".join(left))
