"""Templates of calls: the structures (array lengths, string contents) that native code then fills with values.

A function whose arguments are all static needs one template. The others get many, made anew on a schedule that counts
sequences, so that one seed always gives the same calls.
"""

from __future__ import annotations

import random

from simulator.abi.slots import encode_with_slots
from simulator.abi.values import generate_arguments
from simulator.fuzz.arena import Arena, integers
from simulator.fuzz.native.layout import function_record, hint_record
from simulator.fuzz.native.layout.hint_record import HINTS
from simulator.fuzz.records import Template, make_template
from simulator.fuzz.target import TargetFunction
from simulator.fuzz.value_source import ValueSource

DYNAMIC_TEMPLATES = 64


class FunctionTable:
    """The function records of a campaign and their current templates."""

    def __init__(self, functions: list[TargetFunction]) -> None:
        self._functions = functions
        self._records = Arena(max(1, len(functions)) * function_record.SIZE)
        self._hints = Arena(max(1, len(functions)) * hint_record.SIZE * HINTS)
        self._tables = [Arena(8 * DYNAMIC_TEMPLATES) for _ in functions]
        self._templates: list[list[Template]] = [[] for _ in functions]
        for target in functions:
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

    def set_oracle(self, index: int, oracle: int) -> None:
        self._set(index, function_record.ORACLE, oracle)

    def renew_templates(self, rng: random.Random, source: ValueSource) -> None:
        """Make new templates for the functions with dynamic arguments; hints to the old ones are dropped."""
        for target in self._functions:
            if target.function.inputs.is_dynamic or not self._templates[target.index]:
                self._renew(target, rng, source)

    def _renew(self, target: TargetFunction, rng: random.Random, source: ValueSource) -> None:
        types = target.function.inputs.members
        count = DYNAMIC_TEMPLATES if target.function.inputs.is_dynamic else 1
        templates = []
        for _ in range(count):
            values = generate_arguments(types, rng, source)
            arguments, slots = encode_with_slots(types, values)
            templates.append(make_template(target.selector + arguments, slots))
        self._templates[target.index] = templates
        self._tables[target.index].write(0, integers([template.address for template in templates]))
        self._set(target.index, function_record.TEMPLATE_COUNT, count)
        self._set(target.index, function_record.HINT_COUNT, 0)
        self._set(target.index, function_record.HINT_NEXT, 0)

    def _set_up(self, target: TargetFunction) -> None:
        index = target.index
        self._set(index, function_record.INDEX, index)
        self._set(index, function_record.PAYABLE, int(target.function.payable))
        self._set(index, function_record.TEMPLATES, self._tables[index].address)
        self._set(index, function_record.HINTS, self._hints.address + hint_record.SIZE * HINTS * index)
        self._records.set_word(function_record.SIZE * index + function_record.TARGET, target.deployed.address)

    def _set(self, index: int, field: int, value: int) -> None:
        self._records.set_int(function_record.SIZE * index + field, value)


def choice_table(weights: list[float], size: int) -> list[int]:
    """Indexes so often as their weight asks, each at least once while there is room; drawn from uniformly.

    Raises ValueError when no weight is positive.
    """
    total = sum(weight for weight in weights if weight > 0)
    if total <= 0:
        raise ValueError("no function has a positive weight")
    shares = [max(1, round(size * weight / total)) if weight > 0 else 0 for weight in weights]
    table = [index for index, share in enumerate(shares) for _ in range(share)]
    heaviest = max(range(len(weights)), key=lambda index: weights[index])
    return (table + [heaviest] * size)[:size] if len(table) <= size else _spread(table, size)


def _spread(table: list[int], size: int) -> list[int]:
    return [table[position * len(table) // size] for position in range(size)]
