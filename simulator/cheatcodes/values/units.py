"""Numbers and values as forge writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from simulator.abi.hashing import checksum_address
from simulator.abi.text import format_value
from simulator.abi.types import AbiType, Address, Array, String, Value

MAX_DECIMALS = 77


def decimal_text(value: int, decimals: int) -> str:
    """A number of the smallest unit in whole units: `1.500000000000000000` for 15e17 of 18 decimals.

    More decimals than a 256-bit number has digits mean none.
    """
    if not 0 < decimals <= MAX_DECIMALS:
        return str(value)
    whole, rest = divmod(abs(value), 10**decimals)
    return f"{'-' if value < 0 else ''}{whole}.{rest:0{decimals}d}"


def shown(kind: AbiType, value: Value) -> str:
    """A value of a cheatcode: strings without quotes, addresses in the mixed case of EIP-55."""
    match kind:
        case String():
            return cast("str", value)
        case Address():
            return checksum_address(cast("int", value))
        case Array(element):
            return f"[{', '.join(shown(element, item) for item in cast('Sequence[Value]', value))}]"
        case _:
            return format_value(kind, value)
