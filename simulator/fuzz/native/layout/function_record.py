"""A function record: one callable function of one deployed contract."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

INDEX = _int64()
PAYABLE = _int64()
TEMPLATES = _int64()  # address of a table of template addresses
TEMPLATE_COUNT = _int64()
CALLS = _int64()
REVERTS = _int64()
ORACLE = _int64()  # address of the oracle record of its assertion test, 0 when there is none
HINTS = _int64()  # ring of hint records
HINT_COUNT = _int64()
HINT_NEXT = _int64()
EXCLUDED = _int64()  # 1: not to be called
TARGET = _word()
SIZE = _fields.size()
