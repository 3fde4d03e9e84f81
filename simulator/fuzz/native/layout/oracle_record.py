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
READER = _int64()  # bit that marks what the property reads, shared with others past reads.READERS properties
DUE_WHEN = _int64()  # bits of which one in DIRTY makes a check due
KNOWN = _int64()  # 1 once what the property reads in the deployed state is marked
CODE = _int64()  # status word of the failure
TARGET = _word()
BEST = _word()  # greatest value (optimization), signed
SIZE = _fields.size()
