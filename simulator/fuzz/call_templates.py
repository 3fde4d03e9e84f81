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
from simulator.fuzz.arena import Arena, integers
from simulator.fuzz.native.layout import function_record, hint_record
from simulator.fuzz.native.layout.hint_record import HINTS
from simulator.fuzz.records import Template, make_template, raw_template
from simulator.fuzz.target import FALLBACK_SELECTOR, TargetFunction
from simulator.fuzz.value_source import ValueSource
from simulator.transaction import SELECTOR_SIZE

DYNAMIC_TEMPLATES = 256
RENEWED = 32
"""Templates of a function that one renewal replaces, the oldest first."""
MAX_FUNCTIONS = 4096
MOST_RAW_WORDS = 4


class FunctionTable:
    """The function records of a campaign and their current templates. It holds at most `MAX_FUNCTIONS`."""

    def __init__(self, functions: list[TargetFunction]) -> None:
        self._functions: list[TargetFunction] = []
        self._records = Arena(MAX_FUNCTIONS * function_record.SIZE)
        self._hints = Arena(MAX_FUNCTIONS * hint_record.SIZE * HINTS)
        self._tables: list[Arena] = []
        self._templates: list[list[Template]] = []
        self._oldest: list[int] = []
        for target in functions[:MAX_FUNCTIONS]:
            self.add(target)

    @property
    def free(self) -> int:
        """How many more functions fit."""
        return MAX_FUNCTIONS - len(self._functions)

    def add(self, target: TargetFunction) -> None:
        """Append a function, whose index must be the next one."""
        self._functions.append(target)
        self._tables.append(Arena(8 * DYNAMIC_TEMPLATES))
        self._templates.append([])
        self._oldest.append(0)
        self._set_up(target)

    @property
    def address(self) -> int:
        return self._records.address

    def record(self, index: int) -> int:
        """Address of the record of the function with this index."""
        return self._records.address + function_record.SIZE * index

    def counts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Calls and reverts per function."""
        starts = [function_record.SIZE * target.index for target in self._functions]
        calls = tuple(self._records.get_int(start + function_record.CALLS) for start in starts)
        reverts = tuple(self._records.get_int(start + function_record.REVERTS) for start in starts)
        return calls, reverts

    def exclude(self, index: int, excluded: bool) -> None:
        """Whether calls of this function are left out of sequences."""
        self._set(index, function_record.EXCLUDED, int(excluded))

    def drop_hints(self, index: int) -> None:
        """Forget the arguments that comparisons asked this function for."""
        self._set(index, function_record.HINT_COUNT, 0)
        self._set(index, function_record.HINT_NEXT, 0)

    def set_oracle(self, index: int, oracle: int) -> None:
        self._set(index, function_record.ORACLE, oracle)

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
            templates += [_random_template(target, rng, source) for _ in range(DYNAMIC_TEMPLATES)]
        else:
            oldest = self._oldest[target.index]
            templates[oldest : oldest + RENEWED] = [_random_template(target, rng, source) for _ in range(RENEWED)]
            self._oldest[target.index] = (oldest + RENEWED) % DYNAMIC_TEMPLATES
        self._tables[target.index].write(0, integers([template.address for template in templates]))
        self._set(target.index, function_record.TEMPLATE_COUNT, len(templates))
        self.drop_hints(target.index)

    def _set_up(self, target: TargetFunction) -> None:
        index = target.index
        self._set(index, function_record.INDEX, index)
        self._set(index, function_record.PAYABLE, int(target.function.payable))
        self._set(index, function_record.TEMPLATES, self._tables[index].address)
        self._set(index, function_record.HINTS, self._hints.address + hint_record.SIZE * HINTS * index)
        self._records.set_word(function_record.SIZE * index + function_record.TARGET, target.deployed.address)

    def _set(self, index: int, field: int, value: int) -> None:
        self._records.set_int(function_record.SIZE * index + field, value)


def _has_many_forms(target: TargetFunction) -> bool:
    """Whether one template cannot stand for all calls: lengths differ."""
    return target.function.inputs.is_dynamic or target.is_fallback


def _random_template(target: TargetFunction, rng: random.Random, source: ValueSource) -> Template:
    if target.is_fallback:
        data = _raw_calldata(rng, source)
        return raw_template(data if target.takes(data) else FALLBACK_SELECTOR)
    types = target.function.inputs.members
    arguments, slots = encode_with_slots(types, generate_arguments(types, rng, source))
    return make_template(target.selector + arguments, slots)


def _raw_calldata(rng: random.Random, source: ValueSource) -> bytes:
    """What `fallback` functions look at: nothing, less than a selector, a call of an unknown function, any bytes."""
    match rng.randrange(4):
        case 0:
            return rng.randbytes(rng.randrange(SELECTOR_SIZE))
        case 1:
            return FALLBACK_SELECTOR
        case 2:
            words = (UInt(256),) * rng.randint(1, MOST_RAW_WORDS)
            return rng.randbytes(SELECTOR_SIZE) + encode(words, generate_arguments(words, rng, source))
        case _:
            return cast("bytes", generate(Bytes(), rng, source))
