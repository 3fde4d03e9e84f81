"""An oracle record: one test as the loop checks it."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

CHECK = _int64()  # simulator.fuzz.oracles.Check
OPEN = _int64()
FAILED_AT = _int64()  # index in the sequence in hand where it failed, -1 when it did not
SELECTOR = _int64()  # the four bytes as they stand in memory
READS_BLOCK = _int64()  # 1 once an execution read the block environment
CODE = _int64()  # status word of the failure
TARGET = _word()
BEST = _word()  # greatest value (optimization), signed
SIZE = _fields.size()
