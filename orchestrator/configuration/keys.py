"""Names of configuration keys: which exist, old names, and the nearest known one of a misspelt name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from orchestrator.configuration.model import Configuration
from orchestrator.configuration.other_fuzzers_keys import UnusedKeys
from simulator.printable import one_line, shortened

FIELDS: Final = {info.alias or name: name for name, info in Configuration.model_fields.items()}
OLD_NAMES: Final = {"multi-abi": "allContracts"}
OLD_SWITCHES: Final = {"checkAsserts": "assertion", "benchmarkMode": "exploration"}
"""Keys that chose a test mode before there was `testMode`."""
# Keys that Echidna had once, with what became of them.
REMOVED: Final = {
    "checkAsserts": "use `testMode: assertion`",
    "estimateGas": "gas is not estimated",
    "symExecConcolic": UnusedKeys.model_fields["symbolic"].description or "",
    "benchmarkMode": "use `testMode: exploration`",
}


def nearest_key(name: str) -> str | None:
    """The known key that the user most likely meant, or None when nothing is close."""
    by_lower = {key.lower(): key for key in (*FIELDS, *OLD_NAMES)}
    plain = name.lower().replace("_", "").replace("-", "")
    found = get_close_matches(plain, by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def unknown_key_warning(name: str) -> str:
    """Message for an unknown key."""
    if name in REMOVED:
        return f"{name}: this key no longer has an effect: {REMOVED[name].rstrip('.')}"
    nearest = nearest_key(name)
    hint = f"; did you mean {nearest}?" if nearest else ""
    return f"{_shown(name)}: unknown key, ignored{hint}"


def _shown(name: str) -> str:
    """A key as it may go to a terminal: short, without control characters."""
    return shortened(one_line(name), 60) or "''"
