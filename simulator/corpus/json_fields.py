"""Bytes and numbers as the JSON of other fuzzers' corpora holds them."""

from __future__ import annotations

from simulator.errors import CorpusError

MAX_CALLDATA = 1 << 20
_DIGITS = frozenset("0123456789abcdefABCDEF")


def read_bytes(node: object, size: int | None, place: str) -> bytes:
    """`0x` and hex digits, of `size` bytes when it is given, else of at most 1 MiB. Raises `CorpusError`."""
    form = "0x and hex digits" if size is None else f"0x and {2 * size} hex digits"
    if not isinstance(node, str) or not node.startswith("0x") or len(node) > 2 + 2 * MAX_CALLDATA:
        raise CorpusError(f"{place}: must be {form}")
    try:
        value = bytes.fromhex(node[2:])
    except ValueError:
        raise CorpusError(f"{place}: must be {form}") from None
    if size is not None and len(value) != size:
        raise CorpusError(f"{place}: must be {form}")
    return value


def read_number(node: object, bits: int, place: str) -> int:
    """A JSON number or a 0x text below 2**bits. Raises `CorpusError`."""
    number = -1
    if isinstance(node, int) and not isinstance(node, bool):
        number = node
    elif isinstance(node, str) and node.startswith("0x") and len(node) <= 66:
        number = int(node, 16) if node[2:] and _DIGITS.issuperset(node[2:]) else -1
    if not 0 <= number < 1 << bits:
        raise CorpusError(f"{place}: must be a number or 0x string of at most {bits} bits")
    return number
