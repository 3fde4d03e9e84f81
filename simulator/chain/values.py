"""Values in JSON-RPC answers: quantities, words, addresses, bytes. What a node sends is never trusted to be of the
right form or size."""

from __future__ import annotations

import re

from simulator.printable import shortened

WORD_MAX = (1 << 256) - 1
MAX_CODE_BYTES = 1 << 20
_NUMBER = re.compile(r"0x[0-9a-fA-F]{1,64}\Z")
_BYTES = re.compile(r"0x(?:[0-9a-fA-F]{2})*\Z")


class MalformedValueError(ValueError):
    """The value has another form than the method's answer must have. The message says which was allowed."""


def parse_number(value: object, limit: int = WORD_MAX) -> int:
    """A quantity or a word, `0x` and 1 to 64 digits, at most `limit`. Raises `MalformedValueError`."""
    if not isinstance(value, str) or not _NUMBER.match(value):
        raise MalformedValueError(f"expected 0x and 1 to 64 hexadecimal digits, got {shown(value)}")
    number = int(value, 16)
    if number > limit:
        raise MalformedValueError(f"expected a number up to {limit:#x}, got {shown(value)}")
    return number


def parse_bytes(value: object, most: int = MAX_CODE_BYTES) -> bytes:
    """Data of any length up to `most` bytes. Raises `MalformedValueError`."""
    if not isinstance(value, str) or len(value) > 2 * most + 2 or not _BYTES.match(value):
        raise MalformedValueError(f"expected 0x and up to {most} bytes in hexadecimal, got {shown(value)}")
    return bytes.fromhex(value[2:])


def parse_fixed(value: object, size: int) -> bytes:
    """Data of exactly `size` bytes. Raises `MalformedValueError`."""
    data = parse_bytes(value, size)
    if len(data) != size:
        raise MalformedValueError(f"expected {size} bytes in hexadecimal, got {shown(value)}")
    return data


def number_text(number: int) -> str:
    """A quantity, or a storage key, as requests carry it."""
    return hex(number)


def word_text(number: int) -> str:
    """A word with all its digits."""
    return f"0x{number:064x}"


def address_text(address: int) -> str:
    return f"0x{address:040x}"


def shown(value: object) -> str:
    """A value for an error message: short, on one line."""
    return shortened(repr(value), 60)
