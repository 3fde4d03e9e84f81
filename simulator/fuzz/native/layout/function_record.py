"""A function record: one callable function of one deployed contract."""

from __future__ import annotations

from simulator.evm.kernel.records import Flag, Int64, Int64s, Record, Records, References, To, Word256, Words
from simulator.fuzz.native.layout.clamp_record import ClampRecord
from simulator.fuzz.native.layout.hint_record import HintRecord
from simulator.fuzz.native.layout.oracle_record import OracleRecord
from simulator.fuzz.native.layout.template_record import TemplateRecord


class FunctionRecord(Record):
    index = Int64()
    payable = Flag()
    templates = To(References[TemplateRecord])
    template_count = Int64()
    calls = Int64()
    reverts = Int64()
    rejects = Int64()  # of a Foundry test: calls that an assumption rejected
    oracle = To(OracleRecord)  # of its assertion test, if any
    hints = To(Records[HintRecord])  # a ring
    hint_count = Int64()
    hint_next = Int64()
    excluded = Flag()  # not to be called
    alone = Flag()  # a sequence of its own, sent by the sender of properties
    target = Word256()
    before = To(Int64s)  # addresses of the transaction records that come first, where it stands alone
    before_count = Int64()
    clamps = To(Records[ClampRecord])  # what its arguments are bound to
    clamp_count = Int64()
    clamp_senders = To(Words)  # who may call it; anybody where there are none
    clamp_sender_count = Int64()
