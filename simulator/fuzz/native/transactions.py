"""Making and changing transaction records in the scratch arena."""

from __future__ import annotations

from simulator.evm.kernel.memory_access import (
    copy_memory,
    load_i32,
    load_i64,
    load_word,
    store_i64,
    store_word,
    store_word_be,
)
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import shift_right, word
from simulator.fuzz.native.layout import context as fuzz
from simulator.fuzz.native.layout import (
    corpus_record,
    function_record,
    hint_record,
    slot_record,
    template_record,
    transaction_record,
)
from simulator.fuzz.native.random_words import dictionary_number, random_below, random_word
from simulator.fuzz.native.values import fit_integer, generate_slot, mutate_slot


@kernel
def new_record(f: int, size: int) -> int:
    """Reserve a record for `size` bytes of calldata; 0 when the arena is full."""
    at = load_i64(f + fuzz.SCRATCH_NEXT)
    end = at + transaction_record.DATA + ((size + 63) & ~31)
    if end > load_i64(f + fuzz.SCRATCH_END):
        return 0
    store_i64(f + fuzz.SCRATCH_NEXT, end)
    return at


@kernel
def copy_record(f: int, source: int) -> int:
    """A changeable copy of a record; 0 when the arena is full."""
    size = load_i64(source + transaction_record.DATA_SIZE)
    at = new_record(f, size)
    if at != 0:
        copy_memory(at, source, transaction_record.DATA + ((size + 63) & ~31))
    return at


@kernel
def random_delay(f: int, limit: int) -> int:
    """A delay of 0..limit: of any magnitude, or a number of the dictionary cut to the limit."""
    if limit <= 0:
        return 0
    work = f + fuzz.WORK_WORD
    if random_below(f, 2) == 0:
        dictionary_number(f, work)
    else:
        random_word(f, work)
    fit_integer(work, 0, 62)
    delay = load_i64(work)
    if random_below(f, 2) == 0:
        delay = delay >> random_below(f, 62)
    return delay % (limit + 1)


@kernel
def choose_delay(f: int, record: int) -> int:
    """Half of all calls follow at once; otherwise time and blocks both pass (Echidna: neither without the other)."""
    seconds = 0
    blocks = 0
    if random_below(f, 2) == 0:
        seconds = random_delay(f, load_i64(f + fuzz.MAX_SECONDS))
        blocks = random_delay(f, load_i64(f + fuzz.MAX_BLOCKS))
        if seconds == 0 or blocks == 0:
            seconds = 0
            blocks = 0
    store_i64(record + transaction_record.SECONDS, seconds)
    store_i64(record + transaction_record.BLOCKS, blocks)
    return 0


@kernel
def choose_value(f: int, record: int, payable: int) -> int:
    """Wei to send, at most fuzz.MAX_VALUE. Functions that are not payable get some once in 512 calls."""
    store_word(record + transaction_record.VALUE, word(0))
    if payable == 0 and random_below(f, 512) != 0:
        return 0
    roll = random_below(f, 8)
    if roll == 0:
        return 0
    work = f + fuzz.WORK_WORD
    if roll < 5:
        dictionary_number(f, work)
    elif roll < 6:
        store_word(work, word(random_below(f, 1024)))
    else:
        random_word(f, work)
        store_word(work, shift_right(load_word(work), word(random_below(f, 256))))
    amount = load_word(work)
    while amount > load_word(f + fuzz.MAX_VALUE):
        amount = shift_right(amount, word(1))
    store_word(record + transaction_record.VALUE, amount)
    return 0


@kernel
def choose_sender(f: int, record: int) -> int:
    sender = load_i64(f + fuzz.SENDERS) + 32 * random_below(f, load_i64(f + fuzz.SENDER_COUNT))
    store_word(record + transaction_record.SENDER, load_word(sender))
    return 0


@kernel
def record_from_template(f: int, function: int, template: int) -> int:
    """A record that calls `function` with the template's calldata as it is; 0 when the arena is full."""
    size = load_i64(template + template_record.DATA_SIZE)
    record = new_record(f, size)
    if record == 0:
        return 0
    store_i64(record + transaction_record.FUNCTION, function)
    store_i64(record + transaction_record.TEMPLATE, template)
    store_i64(record + transaction_record.DATA_SIZE, size)
    store_i64(record + transaction_record.IS_WAIT, 0)
    store_i64(record + transaction_record.GAS, load_i64(f + fuzz.TRANSACTION_GAS))
    store_word(record + transaction_record.TARGET, load_word(function + function_record.TARGET))
    copy_memory(record + transaction_record.DATA, load_i64(template + template_record.DATA), (size + 31) & ~31)
    return record


@kernel
def apply_hint(f: int, record: int) -> int:
    """Set an argument to what a comparison once asked for. Returns 1 when a hint of this template was applied."""
    function = load_i64(record + transaction_record.FUNCTION)
    count = load_i64(function + function_record.HINT_COUNT)
    if count == 0:
        return 0
    hint = load_i64(function + function_record.HINTS) + hint_record.SIZE * random_below(f, count)
    if load_i64(hint + hint_record.TEMPLATE) != load_i64(record + transaction_record.TEMPLATE):
        return 0
    slot = load_i64(hint + hint_record.SLOT)
    work = f + fuzz.WORK_WORD
    store_word(work, load_word(hint + hint_record.WORD))
    if load_i64(slot + slot_record.KIND) < 2:
        fit_integer(work, load_i64(slot + slot_record.KIND), load_i64(slot + slot_record.WIDTH))
    if load_i64(slot + slot_record.KIND) != slot_record.KIND_BYTES:
        store_word_be(record + transaction_record.DATA + load_i64(slot + slot_record.OFFSET), load_word(work))
    return 1


@kernel
def template_with_hint(f: int, function: int) -> int:
    """A template of the function: one that a hint belongs to in half of the cases where there is a hint."""
    count = load_i64(function + function_record.HINT_COUNT)
    if count > 0 and random_below(f, 2) == 0:
        return load_i64(
            load_i64(function + function_record.HINTS)
            + hint_record.SIZE * random_below(f, count)
            + hint_record.TEMPLATE
        )
    choice = random_below(f, load_i64(function + function_record.TEMPLATE_COUNT))
    return load_i64(load_i64(function + function_record.TEMPLATES) + 8 * choice)


@kernel
def fresh_record(f: int, choices: int) -> int:
    """A random call of a function drawn from a choice table; 0 when the arena is full."""
    choice = load_i32(choices + 4 * random_below(f, fuzz.CHOICES))
    function = load_i64(f + fuzz.FUNCTIONS) + function_record.SIZE * choice
    template = template_with_hint(f, function)
    record = record_from_template(f, function, template)
    if record == 0:
        return 0
    slots = load_i64(template + template_record.SLOTS)
    for index in range(load_i64(template + template_record.SLOT_COUNT)):
        generate_slot(f, record + transaction_record.DATA, slots + slot_record.SIZE * index)
    if random_below(f, 4) == 0:
        apply_hint(f, record)
    choose_sender(f, record)
    choose_value(f, record, load_i64(function + function_record.PAYABLE))
    choose_delay(f, record)
    return record


@kernel
def mutate_argument(f: int, record: int) -> int:
    """Change one thing of a record: a hinted argument, any argument, the sender, the value or the delay."""
    template = load_i64(record + transaction_record.TEMPLATE)
    function = load_i64(record + transaction_record.FUNCTION)
    if function == 0 or template == 0:
        return choose_delay(f, record)
    if random_below(f, 4) == 0 and apply_hint(f, record) == 1:
        return 0
    slots = load_i64(template + template_record.SLOT_COUNT)
    roll = random_below(f, 8)
    if slots > 0 and roll < 6:
        slot = load_i64(template + template_record.SLOTS) + slot_record.SIZE * random_below(f, slots)
        return mutate_slot(f, record + transaction_record.DATA, slot)
    if roll == 6:
        return choose_sender(f, record)
    if load_i64(function + function_record.PAYABLE) != 0:
        return choose_value(f, record, 1)
    return choose_delay(f, record)


@kernel
def is_excluded(record: int) -> bool:
    """Whether a record calls a function that is not to be called."""
    function = load_i64(record + transaction_record.FUNCTION)
    return function != 0 and load_i64(function + function_record.EXCLUDED) != 0


@kernel
def corpus_call(f: int) -> int:
    """A call of a random corpus sequence, half of the time with one thing changed; 0 when the arena is full."""
    entry = load_i64(f + fuzz.CORPUS) + corpus_record.SIZE * random_below(f, load_i64(f + fuzz.CORPUS_COUNT))
    index = random_below(f, load_i64(entry + corpus_record.COUNT))
    source = load_i64(load_i64(entry + corpus_record.SEQUENCE) + 8 * index)
    if random_below(f, 2) == 0:
        return source
    record = copy_record(f, source)
    if record != 0:
        mutate_argument(f, record)
    return record


@kernel
def next_random_call(f: int) -> int:
    """A fresh call, or with a chance of one in four a call that the corpus holds."""
    if load_i64(f + fuzz.CORPUS_COUNT) > 0 and random_below(f, 4) == 0:
        return corpus_call(f)
    return fresh_record(f, load_i64(f + fuzz.FUNCTION_CHOICE))
