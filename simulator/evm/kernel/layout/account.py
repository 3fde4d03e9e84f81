"""An account record. The words from BALANCE to WARM_EPOCH's end change only through the journal."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

ADDRESS = _word()
BALANCE = _word()
# One journal cell: what makes the account.
NONCE = _word()  # unsigned 64 bits
CODE = NONCE + 8  # code record, never 0
STORAGE_ID = NONCE + 16  # owner of its storage entries, a fresh one after destruction
CREATED_EPOCH = NONCE + 24
# One journal cell: what the transaction did to it.
WARM_EPOCH = _word()
TOUCHED_EPOCH = WARM_EPOCH + 8
DESTROYED_EPOCH = WARM_EPOCH + 16
PRESENT = WARM_EPOCH + 24  # 1 for an account that the host set up, also an empty one
# Fixed.
KIND = _word()  # who runs its code, see calls.py
KIND_DETAIL = KIND + 8  # precompile number
# Not journaled: who read it, see reads.py.
BALANCE_READERS = KIND + 16
IDENTITY_READERS = KIND + 24  # nonce, code or, through the storage id, that the account stands
SIZE = _fields.size()

IDENTITY_CELL = NONCE
TRANSACTION_CELL = WARM_EPOCH
