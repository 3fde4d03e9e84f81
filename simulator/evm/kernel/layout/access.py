"""A record of a slot that was read or written."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()

ACCOUNT = _fields.int64()  # account record
IS_WRITE = _fields.int64()
KEY = _fields.word()
SIZE = _fields.size()
