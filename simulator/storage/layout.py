"""The layout of a contract's storage as solc describes it (`storageLayout`), cut down to what is read of it."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from simulator.errors import AbiError

MAX_LAYOUT = 1 << 20
MAX_DIGITS = 78
SLOT_BYTES = 32
CACHED = 64


class StorageVariable(msgspec.Struct, frozen=True):
    """A variable, or a member of a struct: it begins `offset` bytes from the right end of a slot. The slot of a member
    counts from the struct's. `type` is a key of `StorageLayout.types`."""

    label: str
    slot: str
    offset: int
    type: str


class StorageType(msgspec.Struct, frozen=True, rename="camel"):
    """`encoding` is `inplace`, `mapping`, `dynamic_array` or `bytes`. `label` is the type in Solidity. `base` is the
    type of an array's elements, `key` and `value` are those of a mapping."""

    encoding: str
    label: str
    number_of_bytes: str
    base: str = ""
    key: str = ""
    value: str = ""
    members: tuple[StorageVariable, ...] = ()

    @property
    def size(self) -> int:
        """Bytes in storage, at least one."""
        return max(1, int(self.number_of_bytes))


class StorageLayout(msgspec.Struct, frozen=True):
    """Variables in the order of their slots, and the types that they are made of."""

    storage: tuple[StorageVariable, ...] = ()
    types: dict[str, StorageType] | None = None

    def type_of(self, name: str) -> StorageType:
        """Raises `AbiError` for a type that the layout lacks."""
        found = (self.types or {}).get(name)
        if found is None:
            raise AbiError(f"the compiler's storage layout lacks the type {name[:100]}")
        return found


def packed_layout(given: object) -> bytes:
    """A layout of a compiler's output in the form that `read_layout` reads; empty where there is none to read, as of
    releases before 0.5.13."""
    if not isinstance(given, dict) or not given.get("storage"):
        return b""
    try:
        layout = msgspec.convert(given, StorageLayout)
    except (msgspec.ValidationError, RecursionError):
        return b""
    packed = msgspec.json.encode(layout)
    return packed if _is_sound(layout) and len(packed) <= MAX_LAYOUT else b""


def _is_sound(layout: StorageLayout) -> bool:
    """Return whether numbers are numbers, as of what may come from a file."""
    types = (layout.types or {}).values()
    variables = (*layout.storage, *(member for each in types for member in each.members))
    return all(_is_number(each.number_of_bytes) for each in types) and all(
        _is_number(each.slot) and 0 <= each.offset < SLOT_BYTES for each in variables
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS


@lru_cache(CACHED)
def read_layout(data: bytes) -> StorageLayout:
    """The layout that `packed_layout` packed; without variables where that is empty."""
    return msgspec.json.decode(data, type=StorageLayout) if data else StorageLayout()
