"""An entry of the storage map: one slot of one account, or of its transient storage."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()

KEY = _fields.word()
VALUE = _fields.word()
ORIGINAL = _fields.word()  # value at the start of transaction ORIGINAL_EPOCH
OWNER = _fields.word()  # storage id; its negative for transient storage; 0 in a free entry
WARM_EPOCH = OWNER + 8  # transient: epoch in which VALUE holds
ORIGINAL_EPOCH = OWNER + 16
READERS = OWNER + 24  # who read the slot, see reads.py
FORWARD = KEY  # in a map that was moved from: address of the entry in the new one, or 0
SIZE = _fields.size()
TRANSACTION_CELL = OWNER
