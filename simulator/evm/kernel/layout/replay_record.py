"""A recorded transaction for the replay command."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()

SENDER = _fields.word()
VALUE = _fields.word()
TO = _fields.int64()  # account record
DATA = _fields.int64()
DATA_SIZE = _fields.int64()
GAS = _fields.int64()
SIZE = _fields.size()
