"""The table of kernel functions that compiled code calls: the address of each."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64

GROW_WITHIN = _int64()
COPY_PADDED = _int64()
COPY_WITHIN = _int64()
HASH_BYTES = _int64()
REACH_SLOT = _int64()
WARM_SLOT = _int64()
STORE_WITHIN = _int64()
LOG_WITHIN = _int64()
DIVIDE = _int64()
DIVIDE_SIGNED = _int64()
MODULO = _int64()
MODULO_SIGNED = _int64()
ADD_MODULO = _int64()
MULTIPLY_MODULO = _int64()
POWER = _int64()
APPEND_COMPARISON = _int64()
NOTE_DEPTH = _int64()
COUNT_NEW = _int64()
MARK_BALANCE = _int64()
MARK_VOLATILE = _int64()
SIZE = _fields.size()
