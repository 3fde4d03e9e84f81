"""An oracle record: one test as the loop checks it."""

from __future__ import annotations

from simulator.evm.kernel.layout.context import MOST_CELLS
from simulator.evm.kernel.layout.fields import Fields

_fields = Fields()
_int64 = _fields.int64
_word = _fields.word

CHECK = _int64()  # simulator.fuzz.oracles.Check
OPEN = _int64()
FAILED_AT = _int64()  # index in the sequence in hand where it failed, -1 when it did not
SELECTOR = _int64()  # the four bytes as they stand in memory
READER = _int64()  # bit that marks what the property reads, shared with others past reads.READERS properties
DUE_WHEN = _int64()  # bits of which one in DIRTY makes a check due
KNOWN = _int64()  # 1 once what the property reads in the deployed state is marked
OUTCOMES = _int64()  # table of OUTCOME_WORDS words, 0 for none, see outcomes.py
OUTCOME_MASK = _int64()  # entries of the table - 1
CELL_COUNT = _int64()  # words of an entry: of what stands in CELLS; 0 while nothing is remembered
SLOTS_MASK = _int64()  # of the storage map that the addresses in CELLS belong to
STRANGE = _int64()  # calls in a row that read something else than CELLS
CREDIT = _int64()  # grows with outcomes found in the table, shrinks with those not found; below 0 the table rests
CODE = _int64()  # status word of the failure
TARGET = _word()
BEST = _word()  # greatest value (optimization), signed
CELLS = _fields.block(8 * MOST_CELLS)  # what the property reads, as in the machine's READ_CELLS
SIZE = _fields.size()

OUTCOME_WORDS = 4096
