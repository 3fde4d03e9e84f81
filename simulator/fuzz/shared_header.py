"""The start of the memory that a worker shares with its supervisor."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64

BASE = _int64()  # address of this memory in the worker; every address below is the worker's
CONTEXT = _int64()  # address of the fuzz context, 0 before there is one
HELD = _int64()  # table of transaction record addresses: a sequence that is not executed by the native loop
HELD_COUNT = _int64()  # 0 while there is none
SIZE = _fields.size()
