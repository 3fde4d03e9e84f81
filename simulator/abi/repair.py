"""Arguments out of calldata that is not a whole encoding: what a contract sees that reads only a part of it."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.abi.codec import Reader, decode_with
from simulator.abi.types import WORD, AbiType, Value


def repair(types: Sequence[AbiType], data: bytes) -> tuple[Value, ...]:
    """Decode arguments, without a selector, of which some do not decode: those become zero or empty, the others stay.
    Solidity reads members of `calldata` arguments when they are used, so a wild offset may do no harm.

    Raises `AbiError` when a limit of the codec is reached.
    """
    return decode_with(_LenientReader(data), types)


class _LenientReader(Reader):
    """Behind the end there are zeros; lengths beyond it are zero, texts end with the data."""

    def word(self, position: int) -> bytes:
        return self.data[position : position + WORD].ljust(WORD, b"\0")

    def size(self, position: int, what: str) -> int:
        return min(int.from_bytes(self.word(position), "big"), len(self.data))

    def count(self, position: int, element: AbiType) -> int:
        length = int.from_bytes(self.word(position), "big")
        return length if length * element.head_size <= len(self.data) - position - WORD else 0

    def content(self, position: int) -> bytes:
        content = self.data[position + WORD : position + WORD + self.size(position, "byte length")]
        self.spend_bytes(len(content))
        return content
