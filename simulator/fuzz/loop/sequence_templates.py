"""Sequences with wildcard arguments, in the form from which native code builds sequences around them.

A template becomes variants: records whose mutable slots are the wildcards alone. Native code gives those slots new
values each time; what it cannot vary (lengths of arrays and strings, addresses with a given beginning) differs between
the variants, some of which are made anew from time to time.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from simulator.abi.call_parser import Argument, ParsedCall
from simulator.abi.literals import Wildcard
from simulator.abi.slots import encode_with_slots
from simulator.abi.types import AbiType, Array, Tuple, Value
from simulator.abi.values import fill_wildcards
from simulator.evm.host_memory import view
from simulator.evm.kernel.records import References, pointer
from simulator.fuzz.arena import MemoryBlock, integers
from simulator.fuzz.generation.call_templates import FunctionTable
from simulator.fuzz.generation.value_source import ValueSource
from simulator.fuzz.loop.fuzz_context import FuzzContext, choice_table
from simulator.fuzz.native.layout.context import TEMPLATE_CHOICES
from simulator.fuzz.native.layout.corpus_record import CorpusRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
from simulator.fuzz.records import Template, make_template, pack_transaction
from simulator.fuzz.targets.target import TargetFunction
from simulator.transaction import Transaction

Item = TypeVar("Item")
VARIANTS = 8
POINTER_BYTES = 8
MAX_SHARE = 0.9


@dataclass(frozen=True)
class TemplateStep:
    """One call of a template. `transaction` has everything but its calldata; an all-zero sender stands for any."""

    call: ParsedCall
    target: TargetFunction
    transaction: Transaction


@dataclass(frozen=True)
class StepSequence:
    """The calls of one template, and the share of all sequences, 0..1, that are built around it."""

    steps: tuple[TemplateStep, ...]
    share: float


class SequenceTemplates:
    """Owns the templates' records. All shares together are cut to `MAX_SHARE`."""

    def __init__(self, context: FuzzContext, functions: FunctionTable, seed: int) -> None:
        self._context = context
        self._functions = functions
        self._rng = random.Random(seed)
        self._table = MemoryBlock(8 * TEMPLATE_CHOICES)
        self._templates: tuple[StepSequence, ...] = ()
        self._variants: list[list[_Variant]] = []
        self._next = 0
        context.record.sequence_templates = view(References[CorpusRecord], self._table.address)

    def replace(self, templates: tuple[StepSequence, ...], source: ValueSource) -> None:
        """Use these templates, each of at least one call, instead of those before."""
        self._forget_hints()
        self._templates = templates
        self._variants = [
            [self._variant(template, source) for _ in range(VARIANTS if _is_structural(template) else 1)]
            for template in templates
        ]
        self._publish()

    def renew(self, source: ValueSource) -> None:
        """Replace one variant of each template that has several."""
        if not any(len(variants) > 1 for variants in self._variants):
            return
        self._forget_hints()
        self._next = (self._next + 1) % VARIANTS
        for template, variants in zip(self._templates, self._variants, strict=True):
            if len(variants) > 1:
                variants[self._next] = self._variant(template, source)
        self._publish()

    def _publish(self) -> None:
        share = min(MAX_SHARE, sum(template.share for template in self._templates))
        if share > 0:
            weights = [
                template.share / len(variants)
                for template, variants in zip(self._templates, self._variants, strict=True)
                for _ in variants
            ]
            addresses = [variant.address for variants in self._variants for variant in variants]
            choices = choice_table(weights, TEMPLATE_CHOICES)
            self._table.write(0, integers([addresses[choice] for choice in choices]))
        self._context.record.template_chance = round(1024 * share)

    def _forget_hints(self) -> None:
        """Hints name slots of variants, whose memory is about to go."""
        for template in self._templates:
            for step in template.steps:
                self._functions.drop_hints(step.target.index)

    def _variant(self, template: StepSequence, source: ValueSource) -> _Variant:
        records, kept = [], []
        for step in template.steps:
            types = step.target.function.inputs.members
            values = fill_wildcards(step.call, self._rng, source)
            encoded, slots = encode_with_slots(types, values)
            wild = _wild_leaves(types, step.call.arguments, values)
            data = step.target.selector + encoded
            kept.append(make_template(data, tuple(slot for slot, free in zip(slots, wild, strict=True) if free)))
            filled = Transaction(
                step.transaction.sender,
                step.transaction.to,
                data,
                step.transaction.value,
                step.transaction.seconds,
                step.transaction.blocks,
                step.transaction.gas,
            )
            records.append(
                pack_transaction(filled, pointer(self._functions.records[step.target.index]), kept[-1].address)
            )
        return _Variant(records, kept)


class _Variant:
    """A corpus record, the transaction records it lists, and their call templates."""

    def __init__(self, records: list[bytes], kept: list[Template]) -> None:
        self._kept = kept
        position = CorpusRecord.SIZE + POINTER_BYTES * len(records)
        self._arena = MemoryBlock(position + sum(map(len, records)))
        self.address = self._arena.address
        own = view(CorpusRecord, self.address)
        own.sequence = view(References[TransactionRecord], self.address + CorpusRecord.SIZE)
        own.count = len(records)
        for index, record in enumerate(records):
            own.sequence[index] = view(TransactionRecord, self._arena.write(position, record))
            position += len(record)


def _is_structural(template: StepSequence) -> bool:
    """Return whether variants of the template differ in more than what native code fills in."""
    return any(
        _has_structure(member, argument)
        for step in template.steps
        for member, argument in zip(step.target.function.inputs.members, step.call.arguments, strict=True)
    )


def _has_structure(abi_type: AbiType, argument: Argument) -> bool:
    if isinstance(argument, Wildcard):
        return bool(argument.prefix) or abi_type.is_dynamic
    if isinstance(argument, list | tuple):
        return any(_has_structure(member, item) for member, item in _members(abi_type, argument))
    return False


def _wild_leaves(types: Sequence[AbiType], arguments: Sequence[Argument], values: Sequence[Value]) -> list[bool]:
    """For each leaf of the encoded values, in order, whether native code may change it."""
    return [
        free
        for member, argument, value in zip(types, arguments, values, strict=True)
        for free in _free_leaves(member, argument, value)
    ]


def _free_leaves(abi_type: AbiType, argument: Argument, value: Value) -> Iterator[bool]:
    if isinstance(argument, Wildcard):
        yield from [not argument.prefix] * _leaf_count(abi_type, value)
    elif isinstance(abi_type, Array | Tuple):
        items = cast("Sequence[Argument]", argument)
        parts = cast("Sequence[Value]", value)
        for (member, item), part in zip(_members(abi_type, items), parts, strict=True):
            yield from _free_leaves(member, item, part)
    else:
        yield False


def _leaf_count(abi_type: AbiType, value: Value) -> int:
    if not isinstance(abi_type, Array | Tuple):
        return 1
    return sum(_leaf_count(member, part) for member, part in _members(abi_type, cast("Sequence[Value]", value)))


def _members(abi_type: AbiType, items: Sequence[Item]) -> Iterator[tuple[AbiType, Item]]:
    members = abi_type.members if isinstance(abi_type, Tuple) else [cast("Array", abi_type).element] * len(items)
    return zip(members, items, strict=True)
