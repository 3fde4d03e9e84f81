"""A corpus record: one sequence that brought coverage."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

SEQUENCE = _int64()  # address of a table of transaction record addresses
COUNT = _int64()
SIZE = _fields.size()
