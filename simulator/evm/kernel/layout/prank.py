"""A prank record: calls of one frame that go out in another account's name (the cheatcodes `prank`, `startPrank`)."""

from __future__ import annotations

from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.records import Cell, Flag, Inline, Int64, Record, To, Word256


class Prank(Record):
    # One journal cell.
    depth = Int64(align=32)  # call depth of the frame whose calls are pranked, plus 1; 0 in a free record
    flags = Int64(at=depth, step=8)
    payer = To(Account, at=depth, step=16)  # in whose name the calls go out
    epoch = Int64(at=depth, step=24)  # transaction that began it
    caller = Word256()  # address of the frame whose calls are pranked
    origin = Word256()  # transaction origin inside of the calls, with WITH_ORIGIN
    spent = Flag()  # its call has come, also when that was undone later; not written through the journal
    # Cells of these fields.
    cell = Inline(Cell, at=depth)
    caller_cell = Inline(Cell, at=caller)
    origin_cell = Inline(Cell, at=origin)


ONCE = 1  # the first call uses the prank up
WITH_ORIGIN = 2
WITH_DELEGATECALL = 4
USED = 8  # some call has gone out in its name
THROUGH_FACTORY = 16  # CREATE2 is a call to the factory of the context, which creates
