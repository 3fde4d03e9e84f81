"""Building sequences: the tables of record addresses that the loop executes.

Records of corpus sequences are shared and never written; a mutator copies a record before it changes it. Builders
mirror Echidna's (append, prepend, splice, interleave) with an editing one beside them, which inserts, drops, swaps and
repeats calls. Each built call is mutated with a chance that leaves most of a prefix as it was.

Two builders serve steering: one around templates that a person gave, one for prioritized functions.
"""

from __future__ import annotations

from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import word
from simulator.fuzz.native.layout.context import TEMPLATE_CHOICES, Fuzz
from simulator.fuzz.native.layout.corpus_record import CorpusRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
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

DRAWS_EACH = 4


@kernel
def is_alone(record: TransactionRecord) -> bool:
    """Whether a record calls a function that is a sequence of its own."""
    function = record.function
    return bool(function) and function.alone


@kernel
def holds_alone(fuzz: Fuzz) -> bool:
    """Whether the sequence in hand is one call that stands alone."""
    return fuzz.has_alone and fuzz.sequence_count > 0 and is_alone(fuzz.sequence[0])


@kernel
def append_record(fuzz: Fuzz, record: TransactionRecord) -> None:
    """Put a record at the end of the sequence in hand; nothing happens when it is full, the record is 0, or it calls
    what is excluded."""
    count = fuzz.sequence_count
    if fuzz.has_alone and count > 0 and (holds_alone(fuzz) or (record and is_alone(record))):
        return
    if record and count < fuzz.sequence_length and not is_excluded(record):
        fuzz.sequence[count] = record
        fuzz.sequence_count = count + 1


@kernel
def choose_entry(fuzz: Fuzz) -> CorpusRecord:
    """A corpus record: the newer of two draws from the table of `CorpusSchedule`, since recent finds are nearer to what
    is not covered yet."""
    count = fuzz.corpus_count
    first = random_below(fuzz, count)
    second = random_below(fuzz, count)
    return fuzz.corpus[max(first, second)]


@kernel
def append_part(fuzz: Fuzz, entry: CorpusRecord, start: int, stop: int) -> None:
    table = entry.sequence
    for index in range(start, min(stop, entry.count)):
        append_record(fuzz, table[index])


@kernel
def append_random(fuzz: Fuzz, count: int) -> None:
    """Append so many calls. Where some stand alone, these are drawn in vain for a place among others."""
    wanted = min(fuzz.sequence_count + count, fuzz.sequence_length)
    for _ in range(DRAWS_EACH * count if fuzz.has_alone else count):
        if fuzz.has_alone and (fuzz.sequence_count >= wanted or holds_alone(fuzz)):
            return
        append_record(fuzz, next_random_call(fuzz))


@kernel
def prefix_length(fuzz: Fuzz, entry: CorpusRecord) -> int:
    """How much of an entry to take: all of it half of the time, else a random prefix."""
    count = entry.count
    if random_below(fuzz, 2) == 0:
        return count
    return 1 + random_below(fuzz, count)


@kernel
def build_append(fuzz: Fuzz) -> None:
    entry = choose_entry(fuzz)
    append_part(fuzz, entry, 0, prefix_length(fuzz, entry))


@kernel
def build_prepend(fuzz: Fuzz) -> None:
    entry = choose_entry(fuzz)
    append_random(fuzz, 1 + random_below(fuzz, 8))
    append_part(fuzz, entry, 0, prefix_length(fuzz, entry))


@kernel
def build_splice(fuzz: Fuzz) -> None:
    first = choose_entry(fuzz)
    second = choose_entry(fuzz)
    append_part(fuzz, first, 0, prefix_length(fuzz, first))
    append_part(fuzz, second, random_below(fuzz, second.count), second.count)


@kernel
def build_interleave(fuzz: Fuzz) -> None:
    first = choose_entry(fuzz)
    second = choose_entry(fuzz)
    i = 0
    j = 0
    while i < first.count or j < second.count:
        if j >= second.count or (i < first.count and random_below(fuzz, 2) == 0):
            append_part(fuzz, first, i, i + 1)
            i += 1
        else:
            append_part(fuzz, second, j, j + 1)
            j += 1


@kernel
def edit_sequence(fuzz: Fuzz) -> None:
    table = fuzz.sequence
    count = fuzz.sequence_count
    if count == 0:
        return
    place = random_below(fuzz, count)
    other = random_below(fuzz, count)
    held = table[place]
    roll = random_below(fuzz, 4)
    if roll == 0:
        table[place] = table[other]
        table[other] = held
    elif roll == 1:
        table[place] = table[count - 1]
        fuzz.sequence_count = count - 1
    elif roll == 2:
        append_record(fuzz, held)
    else:
        record = next_random_call(fuzz)
        if record and not is_excluded(record) and not (fuzz.has_alone and is_alone(record)):
            append_record(fuzz, held)
            table[place] = record


@kernel
def build_edit(fuzz: Fuzz) -> None:
    """A whole entry with one to four edits: insert a random call, drop, swap or repeat calls."""
    entry = choose_entry(fuzz)
    append_part(fuzz, entry, 0, entry.count)
    for _ in range(1 + random_below(fuzz, 4)):
        edit_sequence(fuzz)


@kernel
def mutate_some(fuzz: Fuzz) -> None:
    """Change one call in eleven (Echidna's rate) of what was taken from the corpus."""
    table = fuzz.sequence
    for index in range(fuzz.sequence_count):
        if random_below(fuzz, 11) == 0:
            record = copy_record(fuzz, table[index])
            if record:
                mutate_argument(fuzz, record)
                table[index] = record


@kernel
def build_from_corpus(fuzz: Fuzz) -> None:
    roll = random_below(fuzz, fuzz.weight_total)
    if roll < fuzz.weight_append:
        build_append(fuzz)
    elif roll < fuzz.weight_prepend:
        build_prepend(fuzz)
    elif roll < fuzz.weight_splice:
        build_splice(fuzz)
    elif roll < fuzz.weight_interleave:
        build_interleave(fuzz)
    elif roll < fuzz.weight_edit:
        build_edit(fuzz)
    if random_below(fuzz, 2 + fuzz.weight_arguments) < fuzz.weight_arguments:
        mutate_some(fuzz)


@kernel
def build_focused(fuzz: Fuzz) -> None:
    """Calls of prioritized functions with the chance `focus_chance`, each drawn anew. A short entry of the corpus may
    come before them: its calls count among the others."""
    length = fuzz.sequence_length
    if fuzz.corpus_count > 0 and random_below(fuzz, 2) == 0:
        entry = choose_entry(fuzz)
        if 10 * entry.count <= length:
            append_part(fuzz, entry, 0, length)
    left = length - fuzz.sequence_count
    chance = fuzz.focus_chance * length // max(left, 1)
    for _ in range(left):
        choices = fuzz.focus_choice if random_below(fuzz, 1024) < chance else fuzz.function_choice
        append_record(fuzz, fresh_record(fuzz, choices))


@kernel
def fill_template_call(fuzz: Fuzz, source: TransactionRecord) -> TransactionRecord:
    """A copy of a template's call with new values in its wild slots; 0 when the arena is full."""
    record = copy_record(fuzz, source)
    if not record:
        return TransactionRecord(0)
    template = record.template
    if template:
        slots = template.slots
        for index in range(template.slot_count):
            generate_slot(fuzz, record.data, slots[index])
        if random_below(fuzz, 4) == 0:
            apply_hint(fuzz, record)
    if record.sender == word(0):
        choose_sender(fuzz, record)
    return record


@kernel
def build_from_template(fuzz: Fuzz) -> None:
    """The calls of a template in their order: after an entry of the corpus half of the time, and with up to three
    random calls before a call one time in four."""
    table = fuzz.sequence_templates
    template = table[random_below(fuzz, TEMPLATE_CHOICES)]
    count = template.count
    if fuzz.corpus_count > 0 and random_below(fuzz, 2) == 0:
        entry = choose_entry(fuzz)
        append_part(fuzz, entry, 0, min(prefix_length(fuzz, entry), fuzz.sequence_length - count))
    calls = template.sequence
    for index in range(count):
        space = fuzz.sequence_length - fuzz.sequence_count - (count - index)
        if space > 0 and random_below(fuzz, 4) == 0:
            append_random(fuzz, min(space, 1 + random_below(fuzz, 3)))
        append_record(fuzz, fill_template_call(fuzz, calls[index]))


@kernel
def build_sequence(fuzz: Fuzz) -> None:
    """Fill the sequence in hand: around a template or with prioritized functions where there are any; else from the
    corpus nine times in ten once there is one. The rest are random calls."""
    fuzz.scratch_next = fuzz.scratch
    fuzz.sequence_count = 0
    if fuzz.template_chance > 0 and random_below(fuzz, 1024) < fuzz.template_chance:
        build_from_template(fuzz)
    elif fuzz.focus_chance > 0:
        build_focused(fuzz)
    elif fuzz.corpus_count > 0 and random_below(fuzz, 10) != 0:
        build_from_corpus(fuzz)
    append_random(fuzz, fuzz.sequence_length - fuzz.sequence_count)
