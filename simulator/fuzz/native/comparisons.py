"""Feedback from comparisons (input-to-state correspondence: Aschermann et al., REDQUEEN, NDSS 2019).

After a call whose comparisons were logged, an operand that equals one of the call's arguments says what that argument
should have been: the other operand. Such pairs become hints of the function; other operands feed the dictionary.
"""

from __future__ import annotations

from simulator.evm.kernel.memory_access import load_word_be
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Cell, pointer
from simulator.evm.kernel.words import word
from simulator.fuzz.native.layout import hint_record, slot_record
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.layout.function_record import FunctionRecord
from simulator.fuzz.native.layout.slot_record import SlotRecord
from simulator.fuzz.native.layout.template_record import TemplateRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.native.random_words import random_below, remember_word

MAX_SLOTS = 32
MAX_COMPARISONS = 512
SMALL = 1024


@kernel
def holds_word(record: TransactionRecord, slot: SlotRecord, seen: Cell) -> bool:
    """Return whether an argument of the call is the word `seen`."""
    if slot.kind == slot_record.KIND_BYTES:
        return False
    argument = pointer(record.data) + slot.offset
    return load_word_be(argument) == seen.word


@kernel
def add_hint(function: FunctionRecord, template: TemplateRecord, slot: SlotRecord, wanted: Cell) -> None:
    place = function.hint_next
    hint = function.hints[place]
    hint.template = template
    hint.slot = slot
    hint.word = wanted.word
    place += 1
    if place > function.hint_count:
        function.hint_count = place
    function.hint_next = place if place < hint_record.HINTS else 0


@kernel
def learn(fuzz: Fuzz, record: TransactionRecord, seen: Cell, wanted: Cell) -> None:
    """`seen` was compared with `wanted`: hint at arguments equal to `seen`, and remember `wanted` now and then."""
    matched = False
    template = record.template
    if template and record.function:
        slots = template.slots
        for index in range(min(template.slot_count, MAX_SLOTS)):
            slot = slots[index]
            if holds_word(record, slot, seen):
                add_hint(record.function, template, slot, wanted)
                matched = True
    if wanted.word > word(SMALL) and (matched or random_below(fuzz, 16) == 0):
        remember_word(fuzz, wanted)


@kernel
def harvest_comparisons(fuzz: Fuzz, record: TransactionRecord) -> None:
    """Turn the logged comparisons of the call in `record` into hints and dictionary words; empties the log."""
    machine = fuzz.machine
    count = min(machine.comparisons_count, MAX_COMPARISONS)
    machine.comparisons_count = 0
    log = machine.comparisons
    for index in range(count):
        pair = log[index]
        if pair.left != pair.right:
            learn(fuzz, record, pair.left_cell, pair.right_cell)
            learn(fuzz, record, pair.right_cell, pair.left_cell)
