"""A record of a slot that was read or written, or of another account that an instruction looked at."""

from __future__ import annotations

from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.records import Flag, Int64, Record, To, Word256


class Access(Record):
    account = To(Account)  # whose code did it
    kind = Int64()  # READ, WRITE, or the opcode that looked at an account
    nonce = Int64()  # the other account's,
    is_present = Flag()  # whether it is not empty
    key = Word256()  # slot, or address of the other account
    before = Word256()  # value of the slot, or balance of the other account
    after = Word256()


READ = 0
WRITE = 1
BALANCE = 0x31
EXTCODESIZE = 0x3B
EXTCODECOPY = 0x3C
EXTCODEHASH = 0x3F
SELFDESTRUCT = 0xFF
