"""A record of the comparison ring."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()

LEFT = _fields.word()
RIGHT = _fields.word()
CODE_ID = _fields.int64()
PC = _fields.int64()
SIZE = _fields.size()
