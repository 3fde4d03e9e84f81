"""A slot record: one mutable place of an encoded call."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

OFFSET = _int64()  # from the start of the calldata
KIND = _int64()  # see the KIND_ constants
WIDTH = _int64()  # bits of a number, bytes of a byte string
SIZE = _fields.size()

KIND_UINT = 0
KIND_INT = 1
KIND_BOOL = 2
KIND_ADDRESS = 3
KIND_FIXED_BYTES = 4
KIND_BYTES = 5
KIND_FUNCTION = 6
