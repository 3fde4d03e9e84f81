"""A transaction record: one call of a sequence, its calldata behind it."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

FUNCTION = _int64()  # address of the function record, 0 for a wait or a call that fits no function
TEMPLATE = _int64()  # address of the template record, 0 when there is none
SECONDS = _int64()
BLOCKS = _int64()
DATA_SIZE = _int64()  # bytes of calldata
IS_WAIT = _int64()
GAS = _int64()
SENDER = _word()  # 0 in a sequence template: any sender
TARGET = _word()
VALUE = _word()
DATA = _fields.size()  # calldata, padded to whole words
