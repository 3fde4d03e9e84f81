"""A template record: one encoded call and its mutable places."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

DATA_SIZE = _int64()
DATA = _int64()  # address of the calldata
SLOTS = _int64()  # address of the slot records
SLOT_COUNT = _int64()
SIZE = _fields.size()
