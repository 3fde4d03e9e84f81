"""A hint record: an argument that a comparison asked for."""

from __future__ import annotations

from simulator.evm.kernel.records import Record, To, Word256
from simulator.fuzz.native.layout.slot_record import SlotRecord
from simulator.fuzz.native.layout.template_record import TemplateRecord


class HintRecord(Record):
    template = To(TemplateRecord)
    slot = To(SlotRecord)
    word = Word256()


HINTS = 16
