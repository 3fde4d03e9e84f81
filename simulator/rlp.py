"""Recursive Length Prefix encoding (yellow paper, appendix B)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from simulator.errors import SimulatorError

Item: TypeAlias = "bytes | int | Sequence[Item]"
STRING, LIST = 0x80, 0xC0
MAX_SHORT_LENGTH = 55


class RlpError(SimulatorError):
    """Bytes are not one item in canonical form. The message names the byte."""

    code = "E_RLP"


def encode(item: Item) -> bytes:
    """Encode bytes, a number (big-endian without leading zeros), or a list of such items."""
    if isinstance(item, int):
        item = item.to_bytes((item.bit_length() + 7) // 8, "big")
    if isinstance(item, bytes):
        return item if len(item) == 1 and item[0] < STRING else _prefix(STRING, len(item)) + item
    payload = b"".join(map(encode, item))
    return _prefix(LIST, len(payload)) + payload


def _prefix(kind: int, size: int) -> bytes:
    if size <= MAX_SHORT_LENGTH:
        return bytes((kind + size,))
    digits = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((kind + MAX_SHORT_LENGTH + len(digits),)) + digits


def decode_flat_list(data: bytes) -> tuple[bytes, ...]:
    """The strings of one list without lists in it. Raises `RlpError`."""
    is_list, start, end = _header(data, 0)
    if not is_list or end != len(data):
        raise RlpError("not one list")
    return tuple(_strings(data, start, end))


def _strings(data: bytes, start: int, end: int) -> Iterator[bytes]:
    while start < end:
        is_list, first, after = _header(data, start)
        if is_list or after > end:
            raise RlpError("unexpected list or end")
        yield data[first:after]
        start = after


def _header(data: bytes, position: int) -> tuple[bool, int, int]:
    """Return whether a list stands there, where its content begins, and where it ends. Only the shortest form is
    allowed."""
    first = data[position] if position < len(data) else -1
    if 0 <= first < STRING:
        return False, position, position + 1
    kind = LIST if first >= LIST else STRING
    size, start = first - kind, position + 1
    if size > MAX_SHORT_LENGTH:
        digits = data[start : start + size - MAX_SHORT_LENGTH]
        start += size - MAX_SHORT_LENGTH
        size = int.from_bytes(digits, "big")
        shortest = bool(digits) and digits[0] != 0 and size > MAX_SHORT_LENGTH
    else:
        shortest = kind == LIST or size != 1 or data[start : start + 1] >= bytes((STRING,))
    if first < 0 or not shortest or start + size > len(data):
        raise RlpError(f"at byte {position}")
    return kind == LIST, start, start + size
