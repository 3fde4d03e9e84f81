"""Recursive Length Prefix encoding (yellow paper, appendix B)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Item: TypeAlias = "bytes | int | Sequence[Item]"


def _header(size: int, short: int) -> bytes:
    if size < 56:
        return bytes((short + size,))
    digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((short + 55 + len(digits),)) + digits


def encode(item: Item) -> bytes:
    """Encode bytes, a number (big-endian without leading zeros), or a list of such items."""
    if isinstance(item, int):
        item = item.to_bytes((item.bit_length() + 7) // 8, "big")
    if isinstance(item, bytes):
        return item if len(item) == 1 and item[0] < 0x80 else _header(len(item), 0x80) + item
    payload = b"".join(encode(part) for part in item)
    return _header(len(payload), 0xC0) + payload
