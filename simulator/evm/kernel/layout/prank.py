"""A prank record: calls of one frame that go out in another account's name (the cheatcodes `prank`, `startPrank`)."""

from __future__ import annotations

from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_word = _fields.word

# One journal cell.
DEPTH = _word()  # call depth of the frame whose calls are pranked, plus 1; 0 in a free record
FLAGS = DEPTH + 8
PAYER = DEPTH + 16  # account record of the account in whose name the calls go out
EPOCH = DEPTH + 24  # transaction that began it
CALLER = _word()  # address of the frame whose calls are pranked
ORIGIN = _word()  # transaction origin inside of the calls, with WITH_ORIGIN
SIZE = _fields.size()

# FLAGS
ONCE = 1  # the first call uses the prank up
WITH_ORIGIN = 2
WITH_DELEGATECALL = 4
