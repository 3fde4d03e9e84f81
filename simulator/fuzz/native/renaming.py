"""Renaming: one value, or one sender, replaced in all calls of a sequence that have it.

Calls that agree on a key, an order or an account still agree afterwards, where changing one of them alone would part
them.
"""

from __future__ import annotations

from simulator.evm.kernel.memory_access import load_word_be, store_word_be
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.words import Word
from simulator.fuzz.native.layout import slot_record
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.layout.slot_record import SlotRecord
from simulator.fuzz.native.random_words import random_below
from simulator.fuzz.native.transactions import copy_record
from simulator.fuzz.native.values import mutate_slot


@kernel
def replace_word(fuzz: Fuzz, place: int, like: SlotRecord, seen: Word, wanted: Word) -> None:
    """Write `wanted` to the arguments of one call that are `seen` and of the same type as `like`."""
    record = fuzz.sequence[place]
    template = record.template
    if not template:
        return
    copied = False
    for index in range(template.slot_count):
        slot = template.slots[index]
        if slot.kind != like.kind or slot.width != like.width:
            continue
        argument = pointer(record.data) + slot.offset
        if load_word_be(argument) != seen:
            continue
        if not copied:
            record = copy_record(fuzz, record)
            if not record:
                return
            fuzz.sequence[place] = record
            copied = True
            argument = pointer(record.data) + slot.offset
        store_word_be(argument, wanted)


@kernel
def rename_argument(fuzz: Fuzz) -> None:
    """Give an argument of one call, and all that are equal to it, a new value."""
    record = fuzz.sequence[random_below(fuzz, fuzz.sequence_count)]
    template = record.template
    if not template or template.slot_count == 0:
        return
    slot = template.slots[random_below(fuzz, template.slot_count)]
    if slot.kind == slot_record.KIND_BYTES:
        return
    changed = copy_record(fuzz, record)
    if not changed:
        return
    mutate_slot(fuzz, changed.data, slot)
    before, after = pointer(record.data) + slot.offset, pointer(changed.data) + slot.offset
    seen, wanted = load_word_be(before), load_word_be(after)
    for place in range(fuzz.sequence_count):
        replace_word(fuzz, place, slot, seen, wanted)


@kernel
def rename_sender(fuzz: Fuzz) -> None:
    """Let another account send all calls that one has sent."""
    record = fuzz.sequence[random_below(fuzz, fuzz.sequence_count)]
    seen = record.sender
    wanted = fuzz.senders[random_below(fuzz, fuzz.sender_count)]
    for place in range(fuzz.sequence_count):
        record = fuzz.sequence[place]
        function = record.function
        if record.sender != seen or (function and function.alone):
            continue
        changed = copy_record(fuzz, record)
        if changed:
            changed.sender = wanted
            fuzz.sequence[place] = changed
