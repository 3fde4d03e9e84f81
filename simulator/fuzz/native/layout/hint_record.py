"""A hint record: an argument that a comparison asked for."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

TEMPLATE = _int64()
SLOT = _int64()  # address of the slot record
WORD = _word()
SIZE = _fields.size()

HINTS = 16
