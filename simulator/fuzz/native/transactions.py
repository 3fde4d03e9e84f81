"""Making and changing transaction records in the scratch arena."""

from __future__ import annotations

from simulator.evm.kernel.memory_access import copy_memory, load_word_be, store_word_be
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import Int32s, pointer
from simulator.evm.kernel.words import low, shift_right, word
from simulator.fuzz.native.layout import slot_record
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.layout.function_record import FunctionRecord
from simulator.fuzz.native.layout.slot_record import SlotRecord
from simulator.fuzz.native.layout.template_record import TemplateRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.native.random_words import dictionary_number, random_below, random_word
from simulator.fuzz.native.values import fit_integer, fit_word, generate_slot, mutate_slot

SELECTOR_SIZE = 4


@kernel
def new_record(fuzz: Fuzz, size: int) -> TransactionRecord:
    """Reserve a record for `size` bytes of calldata; 0 when the arena is full."""
    at = TransactionRecord(fuzz.scratch_next)
    end = pointer(at.data) + (size + 63 & ~31)
    if end > fuzz.scratch_end:
        return TransactionRecord(0)
    fuzz.scratch_next = end
    return at


@kernel
def copy_record(fuzz: Fuzz, source: TransactionRecord) -> TransactionRecord:
    """A changeable copy of a record; 0 when the arena is full."""
    size = source.data_size
    at = new_record(fuzz, size)
    if at:
        copy_memory(pointer(at), pointer(source), TransactionRecord.data.offset + (size + 63 & ~31))
    return at


@kernel
def random_delay(fuzz: Fuzz, limit: int) -> int:
    """A delay of 0..limit: of any magnitude, or a number of the dictionary cut to the limit."""
    if limit <= 0:
        return 0
    work = fuzz.work_word
    if random_below(fuzz, 2) == 0:
        dictionary_number(fuzz, work)
    else:
        random_word(fuzz, work)
    fit_integer(work, 0, 62)
    delay = low(work.word)
    if random_below(fuzz, 2) == 0:
        delay = delay >> random_below(fuzz, 62)
    return delay % (limit + 1)


@kernel
def choose_delay(fuzz: Fuzz, record: TransactionRecord) -> None:
    """Half of all calls follow at once; otherwise time and blocks both pass (Echidna: neither without the other)."""
    seconds = 0
    blocks = 0
    if random_below(fuzz, 2) == 0:
        seconds = random_delay(fuzz, fuzz.max_seconds)
        blocks = random_delay(fuzz, fuzz.max_blocks)
        if seconds == 0 or blocks == 0:
            seconds = 0
            blocks = 0
    record.seconds = seconds
    record.blocks = blocks


@kernel
def choose_value(fuzz: Fuzz, record: TransactionRecord, payable: bool) -> None:
    """Wei to send, at most `max_value`. Functions that are not payable get some once in 512 calls."""
    record.value = word(0)
    if fuzz.max_value == word(0):
        return
    if not payable and random_below(fuzz, 512) != 0:
        return
    roll = random_below(fuzz, 8)
    if roll == 0:
        return
    work = fuzz.work_word
    if roll < 5:
        dictionary_number(fuzz, work)
    elif roll < 6:
        work.word = word(random_below(fuzz, 1024))
    else:
        random_word(fuzz, work)
        work.word = shift_right(work.word, word(random_below(fuzz, 256)))
    amount = work.word
    while amount > fuzz.max_value:
        amount = shift_right(amount, word(1))
    record.value = amount


@kernel
def choose_sender(fuzz: Fuzz, record: TransactionRecord) -> None:
    function = record.function
    if function and function.alone:
        record.sender = fuzz.test_sender
        return
    record.sender = fuzz.senders[random_below(fuzz, fuzz.sender_count)]


@kernel
def record_from_template(fuzz: Fuzz, function: FunctionRecord, template: TemplateRecord) -> TransactionRecord:
    """A record that calls `function` with the template's calldata as it is; 0 when the arena is full."""
    size = template.data_size
    record = new_record(fuzz, size)
    if not record:
        return TransactionRecord(0)
    record.function = function
    record.template = template
    record.data_size = size
    record.is_wait = False
    record.gas = fuzz.transaction_gas
    record.target = function.target
    copy_memory(pointer(record.data), template.data, size + 31 & ~31)
    return record


@kernel
def apply_hint(fuzz: Fuzz, record: TransactionRecord) -> bool:
    """Set an argument to what a comparison once asked for. False when the hint drawn belongs to another template."""
    function = record.function
    count = function.hint_count
    if count == 0:
        return False
    hint = function.hints[random_below(fuzz, count)]
    if hint.template != record.template:
        return False
    slot = hint.slot
    work = fuzz.work_word
    work.word = hint.word
    fit_word(work, slot)
    if slot.kind != slot_record.KIND_BYTES:
        argument = pointer(record.data) + slot.offset
        store_word_be(argument, work.word)
    return True


@kernel
def template_with_hint(fuzz: Fuzz, function: FunctionRecord) -> TemplateRecord:
    """A template of the function: one that a hint belongs to in half of the cases where there is a hint."""
    count = function.hint_count
    if count > 0 and random_below(fuzz, 2) == 0:
        return function.hints[random_below(fuzz, count)].template
    choice = random_below(fuzz, function.template_count)
    return function.templates[choice]


@kernel
def copy_arguments(record: TransactionRecord, source: TransactionRecord) -> bool:
    """Take over all arguments of another call. False where its parameters have other types or lengths."""
    template = record.template
    other = source.template
    if not other or source.data_size != record.data_size or other.slot_count != template.slot_count:
        return False
    for index in range(template.slot_count):
        own = template.slots[index]
        given = other.slots[index]
        if own.offset != given.offset or own.kind != given.kind or own.width != given.width:
            return False
    copy_memory(pointer(record.data) + SELECTOR_SIZE, pointer(source.data) + SELECTOR_SIZE, record.data_size - 4)
    return True


@kernel
def copy_slot(record: TransactionRecord, own: SlotRecord, source: TransactionRecord, given: SlotRecord) -> bool:
    """Take over one word of another call. False where the types differ."""
    if own.kind != given.kind or own.width != given.width or own.kind == slot_record.KIND_BYTES:
        return False
    argument, other_argument = pointer(record.data) + own.offset, pointer(source.data) + given.offset
    store_word_be(argument, load_word_be(other_argument))
    return True


@kernel
def copy_run(fuzz: Fuzz, record: TransactionRecord, source: TransactionRecord) -> None:
    """Take over neighbouring arguments of another call as far as the types agree, mostly from the first on: a struct
    that one call takes alone, another takes with something beside it."""
    template = record.template
    other = source.template
    if not other or other.slot_count == 0:
        return
    own, given = 0, 0
    roll = random_below(fuzz, 4)
    if roll == 0:
        own = random_below(fuzz, template.slot_count)
    elif roll == 1:
        given = random_below(fuzz, other.slot_count)
    while own < template.slot_count and given < other.slot_count:
        if not copy_slot(record, template.slots[own], source, other.slots[given]):
            return
        own += 1
        given += 1


@kernel
def copy_argument(fuzz: Fuzz, record: TransactionRecord, own: SlotRecord, source: TransactionRecord) -> None:
    """Take over one argument of another call, where types agree."""
    other = source.template
    if not other or other.slot_count == 0:
        return
    copy_slot(record, own, source, other.slots[random_below(fuzz, other.slot_count)])


@kernel
def repeat_arguments(fuzz: Fuzz, record: TransactionRecord) -> None:
    """Take over arguments of calls of the current sequence: all of one where they fit or those in a row that do, or
    each with an even chance, from any place of any call. What one call stores under a key, another finds under the same
    key; one that takes two keys may need those of two calls."""
    source = fuzz.sequence[random_below(fuzz, fuzz.sequence_count)]
    if random_below(fuzz, 2) == 0:
        if not copy_arguments(record, source):
            copy_run(fuzz, record, source)
        return
    template = record.template
    for index in range(template.slot_count):
        if random_below(fuzz, 2) == 0:
            copy_argument(fuzz, record, template.slots[index], source)
        if random_below(fuzz, 2) == 0:
            source = fuzz.sequence[random_below(fuzz, fuzz.sequence_count)]


@kernel
def draw_function(fuzz: Fuzz, choices: Int32s) -> int:
    """Index of a function drawn from a choice table."""
    return choices[random_below(fuzz, fuzz.choice_count)]


@kernel
def fresh_call(fuzz: Fuzz, choice: int) -> TransactionRecord:
    """A random call of a function; 0 when the arena is full."""
    function = fuzz.functions[choice]
    template = template_with_hint(fuzz, function)
    record = record_from_template(fuzz, function, template)
    if not record:
        return TransactionRecord(0)
    slots = template.slots
    for index in range(template.slot_count):
        generate_slot(fuzz, record.data, slots[index])
    roll = random_below(fuzz, 16)
    if roll < 4:
        apply_hint(fuzz, record)
    elif roll < 6 and fuzz.sequence_count > 0 and template.slot_count > 0:
        repeat_arguments(fuzz, record)
    choose_sender(fuzz, record)
    choose_value(fuzz, record, function.payable)
    choose_delay(fuzz, record)
    return record


@kernel
def fresh_record(fuzz: Fuzz, choices: Int32s) -> TransactionRecord:
    """A random call of a function drawn from a choice table; 0 when the arena is full."""
    return fresh_call(fuzz, draw_function(fuzz, choices))


@kernel
def mutate_argument(fuzz: Fuzz, record: TransactionRecord) -> None:
    """Change one thing of a record: a hinted argument, any argument, the sender, the value or the delay."""
    template = record.template
    function = record.function
    if not function or not template:
        choose_delay(fuzz, record)
        return
    if random_below(fuzz, 4) == 0 and apply_hint(fuzz, record):
        return
    slots = template.slot_count
    roll = random_below(fuzz, 8)
    if slots > 0 and roll < 6:
        slot = template.slots[random_below(fuzz, slots)]
        mutate_slot(fuzz, record.data, slot)
        return
    if roll == 6:
        choose_sender(fuzz, record)
        return
    if function.payable:
        choose_value(fuzz, record, True)
        return
    choose_delay(fuzz, record)


@kernel
def is_excluded(record: TransactionRecord) -> bool:
    """Return whether a record calls a function that is not to be called."""
    function = record.function
    return bool(function) and function.excluded


@kernel
def corpus_call(fuzz: Fuzz) -> TransactionRecord:
    """A call of a random corpus sequence, by default half of the time with one thing changed; 0 when the arena is
    full."""
    entry = fuzz.corpus[random_below(fuzz, fuzz.corpus_count)]
    index = random_below(fuzz, entry.count)
    source = entry.sequence[index]
    if random_below(fuzz, 2 + fuzz.weight_arguments) < 2:
        return source
    record = copy_record(fuzz, source)
    if record:
        mutate_argument(fuzz, record)
    return record


@kernel
def next_random_call(fuzz: Fuzz) -> TransactionRecord:
    """A fresh call, or with a chance of one in four a call that the corpus holds."""
    if fuzz.corpus_count > 0 and random_below(fuzz, 4) == 0:
        return corpus_call(fuzz)
    return fresh_record(fuzz, fuzz.function_choice)
