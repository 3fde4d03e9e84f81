"""Durations, amounts and counts in readable form."""

from __future__ import annotations

_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
_ETHER_DIGITS = 18
_COUNT_UNITS = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))


def delay_text(seconds: int) -> str:
    """`3 days 2 hours 1 second`; `0 seconds` for none."""
    parts = []
    for name, size in _UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return " ".join(parts) or "0 seconds"


def ether_text(wei: str) -> str:
    """` (1.5 ether)` behind an amount of wei in decimal, from 0.0001 ether on; else empty."""
    if len(wei) <= _ETHER_DIGITS - 4:
        return ""
    digits = wei.rjust(_ETHER_DIGITS + 1, "0")
    fraction = digits[-_ETHER_DIGITS:].rstrip("0")
    return f" ({digits[:-_ETHER_DIGITS]}{'.' if fraction else ''}{fraction} ether)"


def count_text(count: int) -> str:
    """A count in at most five characters: `999`, `12.3k`, `4.56M`; digits are cut off, never rounded up."""
    for size, unit in _COUNT_UNITS:
        if count >= size:
            whole = count // size
            decimals = 2 if whole < 10 else 1 if whole < 100 else 0
            scaled = count * 10**decimals // size
            return f"{scaled / 10**decimals:.{decimals}f}{unit}"
    return str(count)
