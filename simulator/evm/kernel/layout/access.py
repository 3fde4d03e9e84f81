"""A record of a slot that was read or written, or of another account that an instruction looked at."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()

ACCOUNT = _fields.int64()  # account record of whose code did it
KIND = _fields.int64()  # READ, WRITE, or the opcode that looked at an account
NONCE = _fields.int64()  # the other account's,
IS_PRESENT = _fields.int64()  # 1 when it is not empty
KEY = _fields.word()  # slot, or address of the other account
BEFORE = _fields.word()  # value of the slot, or balance of the other account
AFTER = _fields.word()
SIZE = _fields.size()

READ = 0
WRITE = 1
BALANCE = 0x31
EXTCODESIZE = 0x3B
EXTCODECOPY = 0x3C
EXTCODEHASH = 0x3F
SELFDESTRUCT = 0xFF
