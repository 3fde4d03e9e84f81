"""A journal entry: an address and the 32 bytes that stood there."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()

ADDRESS = _fields.int64()
OLD = ADDRESS + 8
SIZE = 40
