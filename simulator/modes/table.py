"""The table of test modes. A mode counts once it stands here; flags, schemas, pages and settings read it."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.modes.assertion import ASSERTION
from simulator.modes.exploration import EXPLORATION
from simulator.modes.foundry import FOUNDRY
from simulator.modes.medusa import MEDUSA
from simulator.modes.mode import Mode
from simulator.modes.optimization import OPTIMIZATION
from simulator.modes.overflow import OVERFLOW
from simulator.modes.property import PROPERTY

_IN_ORDER_OF_RECOGNITION = (PROPERTY, FOUNDRY, MEDUSA, ASSERTION, OVERFLOW, OPTIMIZATION, EXPLORATION)

MODES: Mapping[str, Mode] = {mode.name: mode for mode in _IN_ORDER_OF_RECOGNITION}
MODE_NAMES = tuple(MODES)
DEFAULT_MODE = PROPERTY.name
"""The mode of a configuration that does not name one, as in Echidna."""


MODE_PATTERN = f"^({'|'.join(MODE_NAMES)})$"
"""A regular expression of all names."""


_OLD_NAMES: Mapping[str, str] = {"dapptest": "foundry"}


def mode_name(text: str) -> str:
    """The present name of a mode, given that or a former one. Raises ValueError for what is none."""
    name = _OLD_NAMES.get(text, text)
    if name not in MODES:
        raise ValueError(f"no test mode: {text}")
    return name


def listed_names(separator: str = ", ", last: str = " or ") -> str:
    """All names, for people."""
    return separator.join(MODE_NAMES[:-1]) + last + MODE_NAMES[-1]
