"""Feedback from comparisons (input-to-state correspondence: Aschermann et al., REDQUEEN, NDSS 2019).

After a call whose comparisons were logged, an operand that equals one of the call's arguments says what that argument
should have been: the other operand. Such pairs become hints of the function; other operands feed the dictionary.
"""

from __future__ import annotations

from simulator.evm.kernel.layout import comparison
from simulator.evm.kernel.layout import context as machine
from simulator.evm.kernel.memory_access import load_i64, load_word, load_word_be, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import word
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native.layout import function_record, hint_record, slot_record, template_record, transaction_record
from simulator.fuzz.native.random_words import random_below, remember_word

MAX_SLOTS = 32
MAX_COMPARISONS = 512
SMALL = 1024


@kernel
def holds_word(record: int, slot: int, seen: int) -> bool:
    """Whether an argument of the call is the word at `seen`."""
    if load_i64(slot + slot_record.KIND) == slot_record.KIND_BYTES:
        return False
    place = record + transaction_record.DATA + load_i64(slot + slot_record.OFFSET)
    return load_word_be(place) == load_word(seen)


@kernel
def add_hint(function: int, template: int, slot: int, wanted: int) -> int:
    place = load_i64(function + function_record.HINT_NEXT)
    hint = load_i64(function + function_record.HINTS) + hint_record.SIZE * place
    store_i64(hint + hint_record.TEMPLATE, template)
    store_i64(hint + hint_record.SLOT, slot)
    store_word(hint + hint_record.WORD, load_word(wanted))
    place += 1
    if place > load_i64(function + function_record.HINT_COUNT):
        store_i64(function + function_record.HINT_COUNT, place)
    store_i64(function + function_record.HINT_NEXT, place if place < hint_record.HINTS else 0)
    return 0


@kernel
def learn(f: int, record: int, seen: int, wanted: int) -> int:
    """`seen` was compared with `wanted`: hint at arguments equal to `seen`, and remember `wanted` now and then."""
    matched = 0
    template = load_i64(record + transaction_record.TEMPLATE)
    if template != 0 and load_i64(record + transaction_record.FUNCTION) != 0:
        slots = load_i64(template + template_record.SLOTS)
        for index in range(min(load_i64(template + template_record.SLOT_COUNT), MAX_SLOTS)):
            slot = slots + slot_record.SIZE * index
            if holds_word(record, slot, seen):
                add_hint(load_i64(record + transaction_record.FUNCTION), template, slot, wanted)
                matched = 1
    if load_word(wanted) > word(SMALL) and (matched == 1 or random_below(f, 16) == 0):
        remember_word(f, wanted)
    return 0


@kernel
def harvest_comparisons(f: int, record: int) -> int:
    """Turn the logged comparisons of the call in `record` into hints and dictionary words; empties the log."""
    c = load_i64(f + fuzz.MACHINE)
    count = min(load_i64(c + machine.COMPARISONS_COUNT), MAX_COMPARISONS)
    store_i64(c + machine.COMPARISONS_COUNT, 0)
    log = load_i64(c + machine.COMPARISONS)
    for index in range(count):
        pair = log + comparison.SIZE * index
        if load_word(pair + comparison.LEFT) != load_word(pair + comparison.RIGHT):
            learn(f, record, pair + comparison.LEFT, pair + comparison.RIGHT)
            learn(f, record, pair + comparison.RIGHT, pair + comparison.LEFT)
    return 0
