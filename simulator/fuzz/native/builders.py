"""Builders of sequences from the corpus, and the table of their shares.

They mirror Echidna's mutators (append, prepend, splice, interleave) with an editing one beside them, which inserts,
drops, swaps and repeats calls. A builder is a kernel function and a line in `BUILDERS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from simulator.evm.kernel.mode import kernel
from simulator.fuzz.native.layout.context import Fuzz
from simulator.fuzz.native.layout.corpus_record import CorpusRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.native.random_words import random_below
from simulator.fuzz.native.renaming import rename_argument, rename_sender
from simulator.fuzz.native.transactions import draw_function, fresh_call, is_excluded, next_random_call

DRAWS_EACH = 4
WAYPOINT_SHARE = 4
MAX_FEW = 3


@kernel
def is_alone(record: TransactionRecord) -> bool:
    """Return whether a record calls a function that is a sequence of its own."""
    function = record.function
    return bool(function) and function.alone


@kernel
def holds_alone(fuzz: Fuzz) -> bool:
    """Return whether the current sequence is one call that stands alone."""
    return fuzz.has_alone and fuzz.sequence_count > 0 and is_alone(fuzz.sequence[0])


@kernel
def append_record(fuzz: Fuzz, record: TransactionRecord) -> None:
    """Put a record at the end of the current sequence; nothing happens when it is full, the record is 0, or it calls
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
    is not covered yet; one in `WAYPOINT_SHARE` is a waypoint instead, where there are some."""
    if fuzz.waypoint_count > 0 and random_below(fuzz, WAYPOINT_SHARE) == 0:
        return fuzz.waypoints[random_below(fuzz, fuzz.waypoint_count)]
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
    """Choose how much of an entry to take: all of it half of the time, else a random prefix."""
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
def build_few(fuzz: Fuzz) -> None:
    """A prefix of an entry or none, and then calls of one to three functions only: what needs many calls of one
    function is not undone by the others in between (Groce et al., Swarm testing, ISSTA 2012)."""
    if random_below(fuzz, 2) == 0:
        entry = choose_entry(fuzz)
        append_part(fuzz, entry, 0, prefix_length(fuzz, entry))
    first = draw_function(fuzz, fuzz.function_choice)
    second = draw_function(fuzz, fuzz.function_choice)
    third = draw_function(fuzz, fuzz.function_choice)
    kinds = 1 + random_below(fuzz, MAX_FEW)
    for _ in range(fuzz.sequence_length - fuzz.sequence_count):
        roll = random_below(fuzz, kinds)
        append_record(fuzz, fresh_call(fuzz, first if roll == 0 else (second if roll == 1 else third)))


@kernel
def build_renamed(fuzz: Fuzz) -> None:
    """A whole entry in which one to three values or senders are replaced wherever they stand."""
    entry = choose_entry(fuzz)
    append_part(fuzz, entry, 0, entry.count)
    if fuzz.sequence_count == 0:
        return
    for _ in range(1 + random_below(fuzz, 3)):
        if random_below(fuzz, 4) == 0:
            rename_sender(fuzz)
        else:
            rename_argument(fuzz)


@dataclass(frozen=True)
class Builder:
    """A builder and its share of the sequences built from the corpus. `constant` is the index of the weight in
    `mutConsts` that multiplies the share, None for a share that stays."""

    build: Callable[[Fuzz], None]
    share: int
    constant: int | None = None


BUILDERS = (
    Builder(build_append, 35),
    Builder(build_prepend, 10),
    Builder(build_splice, 10, constant=3),
    Builder(build_interleave, 10, constant=3),
    Builder(build_edit, 25, constant=2),
    Builder(build_few, 10),
    Builder(build_renamed, 10),
)
BUILDER_COUNT = len(BUILDERS)


def builder_shares(constants: tuple[int, ...]) -> list[int]:
    """The share of each builder with the weights of `mutConsts`."""
    return [max(0, each.share * (1 if each.constant is None else constants[each.constant])) for each in BUILDERS]


@kernel
def choose_builder(fuzz: Fuzz) -> int:
    """The number of a builder in `BUILDERS`, drawn by the shares."""
    roll = random_below(fuzz, fuzz.builder_shares[BUILDER_COUNT - 1])
    number = 0
    while number < BUILDER_COUNT - 1 and roll >= fuzz.builder_shares[number]:
        number += 1
    return number


def _define_run() -> Callable[[Fuzz, int], None]:
    """A dispatch over the builders: compiled code has no table of functions."""
    names: dict[str, object] = {"Fuzz": Fuzz, "__name__": __name__}
    lines = ["from __future__ import annotations", "def run_builder(fuzz: Fuzz, number: int) -> None:"]
    for number, each in enumerate(BUILDERS):
        names[f"build_{number}"] = each.build
        lines += [f"    if number == {number}:", f"        build_{number}(fuzz)"]
    exec(compile("\n".join(lines), "<run_builder>", "exec"), names)  # noqa: S102 - text made of numbers
    run: Callable[[Fuzz, int], None] = names["run_builder"]  # type: ignore[assignment]
    return kernel(run)


run_builder = _define_run()
