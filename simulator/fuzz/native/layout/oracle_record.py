"""An oracle record: one test as the loop checks it."""

from __future__ import annotations

from simulator.evm.kernel.layout.context import MAX_CELLS
from simulator.evm.kernel.records import Flag, Inline, Int64, Int64s, Record, To, Word256, Words

MAX_SITE_KEYS = 128


class OracleRecord(Record):
    check = Int64()  # simulator.fuzz.checking.oracles.Check
    open = Flag()
    strict = Flag()  # a rejected call fails the test, a reverting one the invariant
    skipped = Flag()  # a call of the test skipped itself
    depth = Int64()  # of an invariant: calls after which it is asked, 0 for all of a sequence
    failed_at = Int64()  # index in the current sequence where it failed, -1 when it did not
    selector = Int64()  # the four bytes as they stand in memory
    reader = Int64()  # bit that marks what the property reads, shared with others past reads.READERS properties
    due_when = Int64()  # bits of which one in machine.dirty makes a check due
    known = Flag()  # what the property reads in the deployed state is marked
    outcomes = To(Words)  # table of OUTCOME_WORDS words, 0 for none, see outcomes.py
    outcome_mask = Int64()  # entries of the table - 1
    cell_count = Int64()  # words of an entry: of what stands in cells; 0 while nothing is remembered
    slots_mask = Int64()  # of the storage map that the addresses in cells belong to
    strange = Int64()  # calls in a row that read something else than cells
    credit = Int64()  # grows with outcomes found in the table, shrinks with those not found; below 0 the table rests
    code = Int64()  # status word of the failure
    located = Int64()  # how its sites are told apart, see sites.py
    site = Int64()  # key of the site of the failure,
    place = Int64()  # the same for all callers of the function that fails,
    family = Int64()  # and of all sites that differ from it in numbers of their messages only
    site_count = Int64()  # keys in sites
    changes = Int64()  # how often something that the property reads was written, by built sequences or by itself
    judged = Int64()  # calls of the property that had a verdict,
    void = Int64()  # and those without one: an assumption rejected them, or an optimization returned no value
    most_reads = Int64()  # words that a call of it read at most
    target = Word256()
    best = Word256()  # greatest value (optimization), signed
    cells = Inline(Int64s, MAX_CELLS)  # what the property reads, as in machine.read_cells
    sites = Inline(Int64s, MAX_SITE_KEYS)  # settled: failing there is nothing new


OUTCOME_WORDS = 4096
