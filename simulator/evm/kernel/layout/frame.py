"""A frame record: what its caller needs back when the frame ends, and what the frame itself started with."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

# --- of the calling frame --------------------------------------------------------------------------------------------
IP = _int64()
SP = _int64()  # where the result goes
GAS = _int64()
MEMORY = _int64()
MEMORY_SIZE = _int64()
STACK = _int64()
CALLDATA = _int64()
CALLDATA_SIZE = _int64()
CODE = _int64()
ACCOUNT = _int64()
STATIC = _int64()
CELL = _int64()
OUTPUT = _int64()  # where the caller wants the output
OUTPUT_SIZE = _int64()  # and how much of it at most

# --- of the frame itself ---------------------------------------------------------------------------------------------
KIND = _int64()  # calls.CALL ... calls.CREATE2
CREATED = _int64()  # account record under creation, else 0
CODE_ACCOUNT = _int64()  # account record whose code runs
JOURNAL_MARK = _int64()
LOGS_MARK = _int64()
REFUND_MARK = _int64()

# --- of the calling frame --------------------------------------------------------------------------------------------
ADDRESS = _word()
CALLER = _word()
CALLVALUE = _word()
ORIGIN = _word()
SIZE = _fields.size()
