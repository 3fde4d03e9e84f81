"""Contracts, their storage and the plan, as the imitated execution has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from orchestrator.autopilot.linked import Linked
from orchestrator.autopilot.syntax import Block, FunctionText
from orchestrator.autopilot.values import (
    UNKNOWN,
    Input,
    Items,
    Path,
    Record,
    Slot,
    Table,
    Term,
    Value,
    element_of,
    key_of,
    mapping_of,
)

MAX_FIXED = 256
MAX_SLOTS = 1_000
"""Of one fresh value; of what is larger, such as `uint256[256][256][256]`, nothing is known."""
Spend = Callable[[int], None]
"""Counts places of values against what one imitation may take. Raises what ends it."""


@dataclass(frozen=True)
class PlannedCall:
    """One call of a plan. Arguments are data: ints, bools, bytes, lists of data for arrays and structs."""

    contract: str
    function: FunctionText
    arguments: tuple[Any, ...]
    sender: int
    value: int = 0
    seconds: int = 0
    blocks: int = 0

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.contract, self.function.name, self.function.line, _frozen(self.arguments), self.sender,
                self.value, self.seconds, self.blocks)  # fmt: skip

    def changed(self, path: Path, data: Any) -> PlannedCall:
        """With another input. `time` and `block` are changed by their difference."""
        match path[0]:
            case "argument":
                return replace(self, arguments=tuple(_changed(self.arguments, path[1:], data)))
            case "sender":
                return replace(self, sender=data)
            case "value":
                return replace(self, value=data)
            case "time":
                return replace(self, seconds=max(0, self.seconds + data))
            case _:
                return replace(self, blocks=max(0, self.blocks + data))


def _changed(data: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    index = int(path[0])
    return [_changed(each, path[1:], new) if place == index else each for place, each in enumerate(data)]


def _frozen(data: Any) -> Any:
    return tuple(map(_frozen, data)) if isinstance(data, list | tuple) else data


@dataclass(frozen=True)
class Surroundings:
    """State that the plan starts from. `senders` may send; `known` are values of public variables after the
    deployment, by contract and variable."""

    contracts: Mapping[str, Linked]
    addresses: Mapping[str, int]
    senders: tuple[int, ...]
    deployer: int
    timestamp: int
    block: int
    known: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    signatures: dict[tuple[int, ...], int] = field(default_factory=dict)
    """Who signed, by digest, v, r and s."""


@dataclass(eq=False)
class Instance:
    """A deployed contract."""

    address: int
    code: Linked
    slots: dict[str, Slot] = field(default_factory=dict)
    balance: int = 0


@dataclass
class Frame:
    """One function's execution. `body` is what `_` stands for in a modifier; `text` is the function's."""

    instance: Instance
    sender: Value
    value: Value
    origin: Value
    depth: int = 0
    locals: dict[str, Slot] = field(default_factory=dict)
    body: Callable[[], None] | None = None
    text: Block | None = None

    def within(self, instance: Instance) -> Frame:
        """The frame of a function that this one calls."""
        return replace(self, instance=instance, depth=self.depth + 1, locals={}, body=None, text=None)


def default_value(
    kind: str, scope: Linked, variable: str = "", keys: tuple[Value, ...] = (), spend: Spend | None = None
) -> Value:
    """Return the value of a fresh variable of this type; `variable` is the state variable that it is a part of."""
    left = [MAX_SLOTS]
    value = _fresh(kind, scope, variable, keys, left)
    if spend is not None:
        spend(MAX_SLOTS - max(left[0], 0))
    return value if left[0] >= 0 else unknown(kind)


def _fresh(kind: str, scope: Linked, variable: str, keys: tuple[Value, ...], left: list[int]) -> Value:
    left[0] -= 1
    if left[0] < 0:
        return unknown(kind)
    if kind.startswith("mapping("):
        return Value(Table(*mapping_of(kind)), kind)
    if kind.endswith("]"):
        base, size = element_of(kind)
        count = min(size or 0, MAX_FIXED)
        slots = [Slot(_fresh(base, scope, variable, keys, left), variable, keys) for _ in range(count)]
        return Value(Items(base, slots), kind)
    if kind in scope.structs:
        members = {
            each.name: Slot(_fresh(each.type, scope, variable, keys, left), variable, keys)
            for each in scope.structs[kind]
        }
        return Value(Record(kind, members), kind)
    if kind in ("bytes", "string"):
        return Value(b"", kind)
    return Value(False if kind == "bool" else 0, kind)


def copied(value: Value, slot: Slot, spend: Spend) -> Value:
    """A value as it is kept in a place: structs and arrays with places of their own."""
    data = value.data
    if isinstance(data, Record):
        spend(len(data.members))
        members = {
            name: Slot(copied(each.value, slot, spend), slot.variable, slot.keys, slot.table)
            for name, each in data.members.items()
        }
        return Value(Record(data.type, members), value.type)
    if isinstance(data, Items):
        spend(len(data.slots))
        slots = [Slot(copied(each.value, slot, spend), slot.variable, slot.keys, slot.table) for each in data.slots]
        return Value(Items(data.element, slots, data.origin), value.type)
    return value


def entry(table: Table, key: Value, owner: Slot, scope: Linked, spend: Spend) -> Slot:
    """The slot of a mapping for a key, made at its first use."""
    name = key_of(key)
    if name not in table.slots:
        keys = (*owner.keys, key)
        value = default_value(table.value_type, scope, owner.variable, keys, spend)
        table.slots[name] = Slot(value, owner.variable, keys, table)
        table.keys[name] = key
    slot = table.slots[name]
    # Readers are told by which key they came.
    return slot if slot.keys[-1:] == (key,) else _seen_by(slot, key)


def _seen_by(slot: Slot, key: Value) -> Slot:
    slot.keys = (*slot.keys[:-1], key)
    return slot


def input_value(data: Any, kind: str, scope: Linked, call: int, path: Path) -> Value:
    """An argument with its origin, members of structs and arrays each with theirs."""
    term: Term = Input(call, path)
    if kind.endswith("]"):
        base, _ = element_of(kind)
        slots = [Slot(input_value(each, base, scope, call, (*path, place))) for place, each in enumerate(data)]
        return Value(Items(base, slots, term), kind, term)
    if kind in scope.structs:
        members = {
            each.name: Slot(input_value(part, each.type, scope, call, (*path, place)))
            for place, (each, part) in enumerate(zip(scope.structs[kind], data, strict=True))
        }
        return Value(Record(kind, members), kind, term)
    return Value(data, kind, term)


def simplest(kind: str, scope: Linked, sender: int) -> Any:
    """Data of an argument that nothing is known of yet. What is too large is left empty: no call has it then."""
    return _simplest(kind, scope, sender, [MAX_SLOTS])


def _simplest(kind: str, scope: Linked, sender: int, left: list[int]) -> Any:
    left[0] -= 1
    if kind.endswith("]"):
        base, size = element_of(kind)
        count = min(size or 0, MAX_FIXED) if left[0] > 0 else 0
        return [_simplest(base, scope, sender, left) for _ in range(count)]
    if kind in scope.structs:
        return [_simplest(each.type, scope, sender, left) for each in scope.structs[kind]]
    if kind in ("bytes", "string"):
        return b""
    if kind == "bool":
        return False
    if kind in scope.enums:
        return 0
    return sender if kind == "address" else 1


def unknown(kind: str) -> Value:
    return Value(UNKNOWN, kind)
