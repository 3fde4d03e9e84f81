"""Building sequences: the tables of record addresses that the loop executes.

Records of corpus sequences are shared and never written; a call is copied before it is changed. Sequences come from
the corpus by the builders of `builders.py`, around templates that a user gave, or from prioritized functions. Each call
taken from the corpus is mutated with a chance that leaves most of a prefix as it was.
"""

from __future__ import annotations

from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.words import word
from simulator.fuzz.native.builders import (
    append_part,
    append_random,
    append_record,
    choose_builder,
    choose_entry,
    prefix_length,
    run_builder,
)
from simulator.fuzz.native.clamps import hold_clamps
from simulator.fuzz.native.layout.context import TEMPLATE_CHOICES, Fuzz
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.native.random_words import random_below
from simulator.fuzz.native.transactions import (
    apply_hint,
    choose_sender,
    copy_record,
    fresh_record,
    mutate_argument,
)
from simulator.fuzz.native.values import generate_slot


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
    run_builder(fuzz, choose_builder(fuzz))
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
def put_before(fuzz: Fuzz) -> None:
    """Put the calls that come before a test first, where the current sequence is one."""
    record = fuzz.sequence[0]
    function = record.function
    if not function or not function.alone or function.before_count == 0:
        return
    count = function.before_count
    table = function.before
    for index in range(count):
        fuzz.sequence[index] = TransactionRecord(table[index])
    fuzz.sequence[count] = record
    fuzz.sequence_count = count + 1


@kernel
def build_sequence(fuzz: Fuzz) -> None:
    """Fill the current sequence: around a template or with prioritized functions where there are any; else from the
    corpus nine times in ten once there is one. The rest are random calls. Then clamps are held."""
    fuzz.scratch_next = fuzz.scratch
    fuzz.sequence_count = 0
    if fuzz.template_chance > 0 and random_below(fuzz, 1024) < fuzz.template_chance:
        build_from_template(fuzz)
    elif fuzz.focus_chance > 0:
        build_focused(fuzz)
    elif fuzz.corpus_count > 0 and random_below(fuzz, 10) != 0:
        build_from_corpus(fuzz)
    append_random(fuzz, fuzz.sequence_length - fuzz.sequence_count)
    if fuzz.has_clamps:
        hold_clamps(fuzz)
    if fuzz.has_alone and fuzz.sequence_count == 1:
        put_before(fuzz)
