"""A template record: one encoded call and its mutable places."""

from __future__ import annotations

from simulator.evm.kernel.records import Int64, Record, Records, To
from simulator.fuzz.native.layout.slot_record import SlotRecord


class TemplateRecord(Record):
    data_size = Int64()
    data = Int64()  # address of the calldata
    slots = To(Records[SlotRecord])
    slot_count = Int64()
