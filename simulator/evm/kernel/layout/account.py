"""An account record. The words from `balance` to the end of `present` change only through the journal."""

from __future__ import annotations

from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.records import Cell, Flag, Inline, Int64, Record, To, Word256


class Account(Record):
    address = Word256()
    balance = Word256()
    # One journal cell: what makes the account.
    nonce = Int64(align=32)  # unsigned 64 bits
    code = To(Code, at=nonce, step=8)  # never none
    storage_id = Int64(at=nonce, step=16)  # owner of its storage entries, a fresh one after destruction
    created_epoch = Int64(at=nonce, step=24)
    # One journal cell: what the transaction did to it.
    warm_epoch = Int64(align=32)
    touched_epoch = Int64(at=warm_epoch, step=8)
    destroyed_epoch = Int64(at=warm_epoch, step=16)
    present = Flag(at=warm_epoch, step=24)  # the host set it up, also an empty one
    # Fixed.
    kind = Int64(align=32)  # who runs its code, see calls.py
    kind_detail = Int64(at=kind, step=8)  # precompile number
    # Not journaled: who read it, see reads.py.
    balance_readers = Int64(at=kind, step=16)
    identity_readers = Int64(at=kind, step=24)  # nonce, code or, through the storage id, that the account stands
    # Cells of these fields.
    balance_cell = Inline(Cell, at=balance)
    identity_cell = Inline(Cell, at=nonce)
    transaction_cell = Inline(Cell, at=warm_epoch)
