"""Hands out byte offsets for the fields of a record, in order of declaration."""

from __future__ import annotations

WORD_BYTES = 32
INT_BYTES = 8


class Fields:
    """Fields of one record. Integers are aligned to 8 bytes, words to 32."""

    def __init__(self) -> None:
        self._end = 0

    def int64(self) -> int:
        """Offset of a signed 64-bit integer; addresses are integers too."""
        return self._take(INT_BYTES, INT_BYTES)

    def word(self) -> int:
        """Offset of a 256-bit word, least significant byte first."""
        return self._take(WORD_BYTES, WORD_BYTES)

    def block(self, size: int) -> int:
        """Offset of `size` bytes, aligned like a word."""
        return self._take(size, WORD_BYTES)

    def size(self) -> int:
        """Bytes of the record so far, rounded up to whole words."""
        return -(-self._end // WORD_BYTES) * WORD_BYTES

    def _take(self, size: int, alignment: int) -> int:
        offset = -(-self._end // alignment) * alignment
        self._end = offset + size
        return offset
