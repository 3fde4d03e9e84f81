"""Templates of calls: the structures (array lengths, string contents) that native code then fills with values.

A function whose arguments are all static needs one template. The others get many, made anew on a schedule that counts
sequences, so that one seed always gives the same calls.
"""

from __future__ import annotations

import random
from typing import cast

from simulator.abi.codec import encode
from simulator.abi.slots import encode_with_slots
from simulator.abi.types import Bytes, UInt
from simulator.abi.values import generate, generate_arguments
from simulator.evm.host_memory import as_word, view
from simulator.evm.kernel.records import Records, References, Words
from simulator.fuzz.arena import MemoryBlock, integers
from simulator.fuzz.generation.value_source import ValueSource
from simulator.fuzz.native.layout.clamp_record import ClampRecord
from simulator.fuzz.native.layout.function_record import FunctionRecord
from simulator.fuzz.native.layout.hint_record import HINTS, HintRecord
from simulator.fuzz.native.layout.oracle_record import OracleRecord
from simulator.fuzz.native.layout.template_record import TemplateRecord
from simulator.fuzz.records import Template, make_template, raw_template
from simulator.fuzz.targets.target import FALLBACK_SELECTOR, TargetFunction
from simulator.transaction import SELECTOR_SIZE

DYNAMIC_TEMPLATES, MIN_TEMPLATES = 256, 8
ALL_TEMPLATES = 1 << 16
"""Templates of all functions together, of which each has `DYNAMIC_TEMPLATES` while these suffice."""
RENEWED_SHARE = 8
"""One renewal replaces one of this many templates of a function, the oldest first."""
ROOM = 4096
MAX_RAW_WORDS = 4


class FunctionTable:
    """The function records of a campaign and their current templates. It holds `ROOM` more than it begins with."""

    def __init__(self, functions: list[TargetFunction]) -> None:
        self._functions: list[TargetFunction] = []
        # Native code knows the records by their addresses, so they never move.
        self._capacity = len(functions) + ROOM
        self._memory = MemoryBlock(self._capacity * FunctionRecord.SIZE)
        self.records = view(Records[FunctionRecord], self._memory.address)
        self._hints = MemoryBlock(self._capacity * HintRecord.SIZE * HINTS)
        self._each = templates_each(sum(map(_has_many_forms, functions)))
        self._tables: list[MemoryBlock] = []
        self._templates: list[list[Template]] = []
        self._oldest: list[int] = []
        for target in functions:
            self.add(target)

    @property
    def free(self) -> int:
        """Return how many more functions fit."""
        return self._capacity - len(self._functions)

    def add(self, target: TargetFunction) -> None:
        """Append a function, whose index must be the next one."""
        self._functions.append(target)
        self._tables.append(MemoryBlock(8 * (self._each if _has_many_forms(target) else 1)))
        self._templates.append([])
        self._oldest.append(0)
        self._set_up(target)

    def counts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Calls and reverts per function."""
        records = [self.records[target.index] for target in self._functions]
        return tuple(record.calls for record in records), tuple(record.reverts for record in records)

    def exclude(self, index: int, excluded: bool) -> None:
        """Return whether calls of this function are left out of sequences."""
        self.records[index].excluded = excluded

    def clamp(self, index: int, clamps: Records[ClampRecord], count: int, senders: Words, sender_count: int) -> None:
        """Bind arguments of this function, and who calls it. The tables must outlive this one, or `unclamp`."""
        record = self.records[index]
        record.clamps, record.clamp_count = clamps, count
        record.clamp_senders, record.clamp_sender_count = senders, sender_count

    def unclamp(self, index: int) -> None:
        """Bind nothing of this function."""
        self.records[index].clamp_count = 0
        self.records[index].clamp_sender_count = 0

    def drop_hints(self, index: int) -> None:
        """Forget the arguments that comparisons asked this function for."""
        self.records[index].hint_count = 0
        self.records[index].hint_next = 0

    def set_oracle(self, index: int, oracle: OracleRecord) -> None:
        self.records[index].oracle = oracle

    def renew_templates(self, rng: random.Random, source: ValueSource) -> None:
        """Make new templates for the functions with dynamic arguments; hints to the old ones are dropped."""
        for target in self._functions:
            if _has_many_forms(target) or not self._templates[target.index]:
                self._renew(target, rng, source)

    def _renew(self, target: TargetFunction, rng: random.Random, source: ValueSource) -> None:
        templates = self._templates[target.index]
        if not _has_many_forms(target):
            templates.append(_random_template(target, rng, source))
        elif not templates:
            templates += [_random_template(target, rng, source) for _ in range(self._each)]
        else:
            oldest = self._oldest[target.index]
            renewed = self._each // RENEWED_SHARE
            templates[oldest : oldest + renewed] = [_random_template(target, rng, source) for _ in range(renewed)]
            self._oldest[target.index] = (oldest + renewed) % self._each
        self._tables[target.index].write(0, integers([template.address for template in templates]))
        self.records[target.index].template_count = len(templates)
        self.drop_hints(target.index)

    def _set_up(self, target: TargetFunction) -> None:
        index = target.index
        record = self.records[index]
        record.index = index
        record.payable = target.function.payable and not target.alone
        record.alone = target.alone
        record.templates = view(References[TemplateRecord], self._tables[index].address)
        record.hints = view(Records[HintRecord], self._hints.address + HintRecord.SIZE * HINTS * index)
        record.target = as_word(target.deployed.address)


def templates_each(functions: int) -> int:
    """Return how many templates each of so many functions gets: a multiple of `RENEWED_SHARE`."""
    share = ALL_TEMPLATES // max(functions, 1) // RENEWED_SHARE * RENEWED_SHARE
    return min(DYNAMIC_TEMPLATES, max(MIN_TEMPLATES, share))


def _has_many_forms(target: TargetFunction) -> bool:
    """Return whether one template cannot stand for all calls: lengths differ."""
    return target.function.inputs.is_dynamic or target.is_fallback


def _random_template(target: TargetFunction, rng: random.Random, source: ValueSource) -> Template:
    if target.is_fallback:
        data = _raw_calldata(rng, source)
        return raw_template(data if target.takes(data) else FALLBACK_SELECTOR)
    types = target.function.inputs.members
    arguments, slots = encode_with_slots(types, generate_arguments(types, rng, source))
    return make_template(target.selector + arguments, slots)


def _raw_calldata(rng: random.Random, source: ValueSource) -> bytes:
    """Return calldata for `fallback` functions, which look at: nothing, less than a selector, a call of an unknown
    function, any bytes."""
    match rng.randrange(4):
        case 0:
            return rng.randbytes(rng.randrange(SELECTOR_SIZE))
        case 1:
            return FALLBACK_SELECTOR
        case 2:
            words = (UInt(256),) * rng.randint(1, MAX_RAW_WORDS)
            return rng.randbytes(SELECTOR_SIZE) + encode(words, generate_arguments(words, rng, source))
        case _:
            return cast("bytes", generate(Bytes(), rng, source))
