"""Values of the imitated execution: what they are, and from which inputs they came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

WORD: Final = 1 << 256
# Listed, since contracts may name types of their own uint1000000000.
_INTEGERS: Final = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in range(8, 257, 8))
_FIXED_BYTES: Final = frozenset(f"bytes{size}" for size in range(1, 33))


class Unknown:
    """The data of what cannot be told from the source."""

    def __repr__(self) -> str:
        return "?"


UNKNOWN: Final = Unknown()
Path: TypeAlias = tuple["str | int", ...]


@dataclass(frozen=True, slots=True)
class Input:
    """Something that a plan decides: of call number `call` the argument `("argument", index, ...)`, or its `sender`,
    `value`, `time` or `block`."""

    call: int
    path: Path


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """Result of an operator or a built-in function, with its operands."""

    operator: str
    operands: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """Value that a state variable held; `inner` is the value as it was written, `keys` those of mappings on the way
    there, `table` the innermost mapping."""

    variable: str
    keys: tuple[Value, ...]
    table: Table | None
    inner: Value


Term: TypeAlias = Input | Operation | Read


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """`data` is an int (bytesN and addresses too), bool, bytes, a container or `UNKNOWN`; `term` None for constants."""

    data: Any
    type: str
    term: Term | None = None

    @property
    def is_known(self) -> bool:
        return self.data is not UNKNOWN


@dataclass(eq=False)
class Slot:
    """A place that holds a value, in storage or memory. `variable` names the state variable that it belongs to."""

    value: Value
    variable: str = ""
    keys: tuple[Value, ...] = ()
    table: Table | None = None

    def read(self) -> Value:
        if not self.variable or isinstance(self.value.data, Table | Record | Items):
            return self.value
        return Value(self.value.data, self.value.type, Read(self.variable, self.keys, self.table, self.value))


@dataclass(eq=False)
class Table:
    """A mapping. `keys` are those that were written or read, as values with their origin."""

    key_type: str
    value_type: str
    slots: dict[Any, Slot] = field(default_factory=dict)
    keys: dict[Any, Value] = field(default_factory=dict)


@dataclass(eq=False)
class Record:
    type: str
    members: dict[str, Slot]


@dataclass(eq=False)
class Items:
    """An array; `length` is where its length came from."""

    element: str
    slots: list[Slot]
    origin: Term | None = None


def terms_of(value: Value, limit: int = 2_000) -> Iterator[Term]:
    """All terms of a value and of what it was made of, outer ones first."""
    waiting = [value]
    while waiting and limit:
        limit -= 1
        term = waiting.pop(0).term
        if term is None:
            continue
        yield term
        if isinstance(term, Operation):
            waiting.extend(term.operands)
        elif isinstance(term, Read):
            waiting.append(term.inner)
            waiting.extend(term.keys)


def bits_of(kind: str) -> int:
    """Of an integer type."""
    digits = kind.lstrip("uint")
    return int(digits) if digits else 256


def is_integer(kind: str) -> bool:
    return kind in _INTEGERS


def is_fixed_bytes(kind: str) -> bool:
    return kind in _FIXED_BYTES


def range_of(kind: str) -> tuple[int, int]:
    """Least and greatest data of a type of words."""
    if is_integer(kind):
        bits = bits_of(kind)
        return (0, (1 << bits) - 1) if kind.startswith("u") else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    if is_fixed_bytes(kind):
        return 0, (1 << (8 * int(kind[5:]))) - 1
    if kind == "bool":
        return 0, 1
    if kind == "number":
        return -WORD, WORD
    return 0, (1 << 160) - 1


def element_of(kind: str) -> tuple[str, int | None]:
    """Element type and length of an array type, None for a dynamic one."""
    base, _, size = kind[:-1].rpartition("[")
    return base, int(size) if size.isdigit() else None


def mapping_of(kind: str) -> tuple[str, str]:
    """Key and value type of a mapping."""
    key, _, value = kind.removeprefix("mapping(")[:-1].partition("=>")
    return key, value


def key_of(value: Value) -> Any:
    """Return the key by which a mapping finds a value."""
    return value.data if value.is_known else ("unknown", id(value.term))
