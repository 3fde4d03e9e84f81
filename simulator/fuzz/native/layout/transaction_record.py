"""A transaction record: one call of a sequence, its calldata behind it."""

from __future__ import annotations

from simulator.evm.kernel.records import Bytes, Flag, Inline, Int64, Record, To, Word256
from simulator.fuzz.native.layout.function_record import FunctionRecord
from simulator.fuzz.native.layout.template_record import TemplateRecord


class TransactionRecord(Record):
    function = To(FunctionRecord)  # none for a wait, and for a call that fits no function
    template = To(TemplateRecord)
    seconds = Int64()
    blocks = Int64()
    data_size = Int64()  # bytes of calldata
    is_wait = Flag()
    gas = Int64()
    sender = Word256()  # 0 in a sequence template: any sender
    target = Word256()
    value = Word256()
    data = Inline(Bytes, 0)  # calldata, padded to whole words
