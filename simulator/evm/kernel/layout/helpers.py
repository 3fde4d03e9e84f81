"""The table of kernel functions that compiled code calls: the address of each."""

from __future__ import annotations

from simulator.evm.kernel.records import Int64, Record


class Helpers(Record):
    grow_within = Int64()
    copy_padded = Int64()
    copy_within = Int64()
    hash_bytes = Int64()
    reach_slot = Int64()
    warm_slot = Int64()
    store_within = Int64()
    log_within = Int64()
    divide = Int64()
    divide_signed = Int64()
    modulo = Int64()
    modulo_signed = Int64()
    add_modulo = Int64()
    multiply_modulo = Int64()
    power = Int64()
    append_comparison = Int64()
    note_depth = Int64()
    count_new = Int64()
    mark_balance = Int64()
    mark_volatile = Int64()
