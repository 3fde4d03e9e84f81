"""Numbers, addresses and bytes as configuration files write them."""

from __future__ import annotations

import re
from typing import Final

WORD_MAX: Final = (1 << 256) - 1
ADDRESS_MAX: Final = (1 << 160) - 1
INT64_MAX: Final = (1 << 63) - 1
# A word has 78 decimal digits; longer texts would only cost time to convert.
_MAX_TEXT_LENGTH: Final = 100
_INTEGER = re.compile(r"[+-]?(0x[0-9a-f]+|[0-9][0-9_]*)", re.IGNORECASE)
_SCIENTIFIC = re.compile(r"([0-9]+)(?:\.([0-9]+))?e\+?([0-9]{1,3})", re.IGNORECASE)


def parse_integer(value: object) -> int:
    """An integer given as such, or as decimal, 0x or whole scientific text (`1e18`). Raises `ValueError`."""
    if isinstance(value, bool):
        raise ValueError("not a number")
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2.0**53:
        return int(value)
    if isinstance(value, str) and len(value) <= _MAX_TEXT_LENGTH:
        return _parse_text(value.strip())
    raise ValueError("not a whole number")


def _parse_text(text: str) -> int:
    if _INTEGER.fullmatch(text):
        return int(text, 16 if "x" in text.lower() else 10)
    if match := _SCIENTIFIC.fullmatch(text):
        whole, fraction, exponent = match[1], match[2] or "", int(match[3])
        zeros = exponent - len(fraction)
        if 0 <= zeros <= _MAX_TEXT_LENGTH:
            return int(whole + fraction + "0" * zeros)
    raise ValueError("not a whole number")


def parse_bounded(value: object, low: int, high: int) -> int:
    """An integer within low..high, both included. Raises `ValueError`."""
    number = parse_integer(value)
    if not low <= number <= high:
        raise ValueError(f"outside {low} to {high}")
    return number


def parse_hex_bytes(value: object) -> bytes:
    """Hexadecimal text, with or without 0x. Raises `ValueError`."""
    if not isinstance(value, str):
        raise ValueError("not a text of hexadecimal digits")
    return bytes.fromhex(value.strip().removeprefix("0x"))


def word_bytes(number: int) -> bytes:
    """Big-endian without leading zeros, as `simulator.settings` holds amounts."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")
