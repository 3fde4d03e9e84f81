"""Building sequences: the tables of record addresses that the loop executes.

Records of corpus sequences are shared and never written; a mutator copies a record before it changes it. Builders
mirror Echidna's (append, prepend, splice, interleave) with an editing one beside them, which inserts, drops, swaps and
repeats calls. Each built call is mutated with a chance that leaves most of a prefix as it was.

Two builders serve steering: one around templates that a person gave, one for prioritized functions.
"""

from __future__ import annotations

from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import word
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native.layout import corpus_record, slot_record, template_record, transaction_record
from simulator.fuzz.native.random_words import random_below
from simulator.fuzz.native.transactions import (
    apply_hint,
    choose_sender,
    copy_record,
    fresh_record,
    is_excluded,
    mutate_argument,
    next_random_call,
)
from simulator.fuzz.native.values import generate_slot


@kernel
def append_record(f: int, record: int) -> int:
    """Put a record at the end of the sequence in hand; nothing happens when it is full, the record is 0, or it calls
    what is excluded."""
    count = load_i64(f + fuzz.SEQUENCE_COUNT)
    if record != 0 and count < load_i64(f + fuzz.SEQUENCE_LENGTH) and not is_excluded(record):
        store_i64(load_i64(f + fuzz.SEQUENCE) + 8 * count, record)
        store_i64(f + fuzz.SEQUENCE_COUNT, count + 1)
    return 0


@kernel
def choose_entry(f: int) -> int:
    """A corpus record; the newer of two uniform draws, since recent finds are nearer to what is not yet covered."""
    count = load_i64(f + fuzz.CORPUS_COUNT)
    first = random_below(f, count)
    second = random_below(f, count)
    return load_i64(f + fuzz.CORPUS) + corpus_record.SIZE * max(first, second)


@kernel
def append_part(f: int, entry: int, start: int, stop: int) -> int:
    table = load_i64(entry + corpus_record.SEQUENCE)
    for index in range(start, min(stop, load_i64(entry + corpus_record.COUNT))):
        append_record(f, load_i64(table + 8 * index))
    return 0


@kernel
def append_random(f: int, count: int) -> int:
    for _ in range(count):
        append_record(f, next_random_call(f))
    return 0


@kernel
def prefix_length(f: int, entry: int) -> int:
    """How much of an entry to take: all of it half of the time, else a random prefix."""
    count = load_i64(entry + corpus_record.COUNT)
    if random_below(f, 2) == 0:
        return count
    return 1 + random_below(f, count)


@kernel
def build_append(f: int) -> int:
    entry = choose_entry(f)
    append_part(f, entry, 0, prefix_length(f, entry))
    return 0


@kernel
def build_prepend(f: int) -> int:
    entry = choose_entry(f)
    append_random(f, 1 + random_below(f, 8))
    append_part(f, entry, 0, prefix_length(f, entry))
    return 0


@kernel
def build_splice(f: int) -> int:
    first = choose_entry(f)
    second = choose_entry(f)
    append_part(f, first, 0, prefix_length(f, first))
    append_part(
        f, second, random_below(f, load_i64(second + corpus_record.COUNT)), load_i64(second + corpus_record.COUNT)
    )
    return 0


@kernel
def build_interleave(f: int) -> int:
    first = choose_entry(f)
    second = choose_entry(f)
    i = 0
    j = 0
    while i < load_i64(first + corpus_record.COUNT) or j < load_i64(second + corpus_record.COUNT):
        if j >= load_i64(second + corpus_record.COUNT) or (
            i < load_i64(first + corpus_record.COUNT) and random_below(f, 2) == 0
        ):
            append_part(f, first, i, i + 1)
            i += 1
        else:
            append_part(f, second, j, j + 1)
            j += 1
    return 0


@kernel
def edit_sequence(f: int) -> int:
    table = load_i64(f + fuzz.SEQUENCE)
    count = load_i64(f + fuzz.SEQUENCE_COUNT)
    if count == 0:
        return 0
    place = table + 8 * random_below(f, count)
    other = table + 8 * random_below(f, count)
    held = load_i64(place)
    roll = random_below(f, 4)
    if roll == 0:
        store_i64(place, load_i64(other))
        store_i64(other, held)
    elif roll == 1:
        store_i64(place, load_i64(table + 8 * (count - 1)))
        store_i64(f + fuzz.SEQUENCE_COUNT, count - 1)
    elif roll == 2:
        append_record(f, held)
    else:
        record = next_random_call(f)
        if record != 0 and not is_excluded(record):
            append_record(f, held)
            store_i64(place, record)
    return 0


@kernel
def build_edit(f: int) -> int:
    """A whole entry with one to four edits: insert a random call, drop, swap or repeat calls."""
    entry = choose_entry(f)
    append_part(f, entry, 0, load_i64(entry + corpus_record.COUNT))
    for _ in range(1 + random_below(f, 4)):
        edit_sequence(f)
    return 0


@kernel
def mutate_some(f: int) -> int:
    """Change one call in eleven (Echidna's rate) of what was taken from the corpus."""
    table = load_i64(f + fuzz.SEQUENCE)
    for index in range(load_i64(f + fuzz.SEQUENCE_COUNT)):
        if random_below(f, 11) == 0:
            record = copy_record(f, load_i64(table + 8 * index))
            if record != 0:
                mutate_argument(f, record)
                store_i64(table + 8 * index, record)
    return 0


@kernel
def build_from_corpus(f: int) -> int:
    roll = random_below(f, load_i64(f + fuzz.WEIGHT_TOTAL))
    if roll < load_i64(f + fuzz.WEIGHT_APPEND):
        build_append(f)
    elif roll < load_i64(f + fuzz.WEIGHT_PREPEND):
        build_prepend(f)
    elif roll < load_i64(f + fuzz.WEIGHT_SPLICE):
        build_splice(f)
    elif roll < load_i64(f + fuzz.WEIGHT_INTERLEAVE):
        build_interleave(f)
    elif roll < load_i64(f + fuzz.WEIGHT_EDIT):
        build_edit(f)
    if random_below(f, 2) == 0:
        mutate_some(f)
    return 0


@kernel
def build_focused(f: int) -> int:
    """Calls of prioritized functions with the chance FOCUS_CHANCE, each drawn anew. A short entry of the corpus may
    come before them: its calls count among the others."""
    length = load_i64(f + fuzz.SEQUENCE_LENGTH)
    if load_i64(f + fuzz.CORPUS_COUNT) > 0 and random_below(f, 2) == 0:
        entry = choose_entry(f)
        if 10 * load_i64(entry + corpus_record.COUNT) <= length:
            append_part(f, entry, 0, length)
    left = length - load_i64(f + fuzz.SEQUENCE_COUNT)
    chance = load_i64(f + fuzz.FOCUS_CHANCE) * length // max(left, 1)
    for _ in range(left):
        choices = load_i64(f + (fuzz.FOCUS_CHOICE if random_below(f, 1024) < chance else fuzz.FUNCTION_CHOICE))
        append_record(f, fresh_record(f, choices))
    return 0


@kernel
def fill_template_call(f: int, source: int) -> int:
    """A copy of a template's call with new values in its wild slots; 0 when the arena is full."""
    record = copy_record(f, source)
    if record == 0:
        return 0
    template = load_i64(record + transaction_record.TEMPLATE)
    if template != 0:
        slots = load_i64(template + template_record.SLOTS)
        for index in range(load_i64(template + template_record.SLOT_COUNT)):
            generate_slot(f, record + transaction_record.DATA, slots + slot_record.SIZE * index)
        if random_below(f, 4) == 0:
            apply_hint(f, record)
    if load_word(record + transaction_record.SENDER) == word(0):
        choose_sender(f, record)
    return record


@kernel
def build_from_template(f: int) -> int:
    """The calls of a template in their order: after an entry of the corpus half of the time, and with up to three
    random calls before a call one time in four."""
    table = load_i64(f + fuzz.SEQUENCE_TEMPLATES)
    template = load_i64(table + 8 * random_below(f, fuzz.TEMPLATE_CHOICES))
    count = load_i64(template + corpus_record.COUNT)
    if load_i64(f + fuzz.CORPUS_COUNT) > 0 and random_below(f, 2) == 0:
        entry = choose_entry(f)
        append_part(f, entry, 0, min(prefix_length(f, entry), load_i64(f + fuzz.SEQUENCE_LENGTH) - count))
    calls = load_i64(template + corpus_record.SEQUENCE)
    for index in range(count):
        space = load_i64(f + fuzz.SEQUENCE_LENGTH) - load_i64(f + fuzz.SEQUENCE_COUNT) - (count - index)
        if space > 0 and random_below(f, 4) == 0:
            append_random(f, min(space, 1 + random_below(f, 3)))
        append_record(f, fill_template_call(f, load_i64(calls + 8 * index)))
    return 0


@kernel
def build_sequence(f: int) -> int:
    """Fill the sequence in hand: around a template or with prioritized functions where there are any; else from the
    corpus nine times in ten once there is one. The rest are random calls."""
    store_i64(f + fuzz.SCRATCH_NEXT, load_i64(f + fuzz.SCRATCH))
    store_i64(f + fuzz.SEQUENCE_COUNT, 0)
    if load_i64(f + fuzz.TEMPLATE_CHANCE) > 0 and random_below(f, 1024) < load_i64(f + fuzz.TEMPLATE_CHANCE):
        build_from_template(f)
    elif load_i64(f + fuzz.FOCUS_CHANCE) > 0:
        build_focused(f)
    elif load_i64(f + fuzz.CORPUS_COUNT) > 0 and random_below(f, 10) != 0:
        build_from_corpus(f)
    append_random(f, load_i64(f + fuzz.SEQUENCE_LENGTH) - load_i64(f + fuzz.SEQUENCE_COUNT))
    return 0
