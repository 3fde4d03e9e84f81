"""Names to choose from, for errors that name something else: the most similar first, and how many more there are."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

SHOWN = 10
MAX_COMPARED = 2_000
MAX_COMPARED_LENGTH = 200


def known_names(wanted: str, names: Iterable[str], shown: int = SHOWN) -> str:
    """As `transfer, transferFrom, approve and 12 more`; `none` without names. Names of equal likeness keep the order of
    the alphabet."""
    known = sorted(set(names))
    best = sorted(known, key=lambda name: -_likeness(wanted, name)) if len(known) <= MAX_COMPARED else known
    listed = ", ".join(best[:shown]) or "none"
    return f"{listed} and {len(known) - shown} more" if len(known) > shown else listed


def _likeness(wanted: str, name: str) -> float:
    """1 for equal texts; a text within the other one is more alike than the letters alone say."""
    one, other = wanted[:MAX_COMPARED_LENGTH].lower(), name[:MAX_COMPARED_LENGTH].lower()
    return SequenceMatcher(None, one, other).ratio() + (bool(one) and one in other)
