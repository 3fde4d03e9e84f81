"""A log record: header, topics as words, data padded to whole words."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()

ADDRESS = _fields.word()
RECORD_SIZE = _fields.int64()  # bytes up to the next record
TOPIC_COUNT = _fields.int64()
DATA_SIZE = _fields.int64()
DEPTH = _fields.int64()
TOPICS = _fields.size()
