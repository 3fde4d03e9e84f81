"""A frame record: what its caller needs back when the frame ends, and what the frame itself started with."""

from __future__ import annotations

from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.coverage_cell import CoverageCell
from simulator.evm.kernel.layout.log import Log
from simulator.evm.kernel.records import Flag, Int64, Record, To, Word256, Words


class Frame(Record):
    # --- of the calling frame -----------------------------------------------------------------------------------------
    ip = Int64()
    sp = To(Words)  # where the result goes
    gas = Int64()
    memory = Int64()
    memory_size = Int64()
    stack = To(Words)
    calldata = Int64()
    calldata_size = Int64()
    code = To(Code)
    account = To(Account)
    static = Flag()
    cell = To(CoverageCell)
    output = Int64()  # where the caller wants the output
    output_size = Int64()  # and how much of it at most

    # --- of the frame itself ------------------------------------------------------------------------------------------
    kind = Int64()  # calls.CALL ... calls.CREATE2
    created = To(Account)  # the account under creation; none for calls
    code_account = To(Account)  # whose code runs
    journal_mark = Int64()
    logs_mark = To(Log)
    refund_mark = Int64()

    # --- of the calling frame -----------------------------------------------------------------------------------------
    address = Word256()
    caller = Word256()
    callvalue = Word256()
    origin = Word256()
