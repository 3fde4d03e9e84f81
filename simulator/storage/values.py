"""Values of storage at a place, as text. Slots are asked for in turns: which ones belong to a string or a dynamic
array follows from what others hold."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.abi.text import format_value
from simulator.abi.types import Address, Bool, Bytes, FixedBytes, Int, String, Value
from simulator.errors import AbiError
from simulator.storage.layout import StorageLayout
from simulator.storage.places import SLOT_BYTES, SLOT_MASK, StoragePlace, abi_type, element, first_of, fixed_length

MAX_ITEMS = 32
MAX_CONTENT = 1 << 12
MAX_DEPTH = 8
MAX_SLOTS = 512
MAX_VALUES = 2_000
"""Values that one text is made of; what is beyond them is shown as `...`."""
SHORT = 31


class StorageReader:
    """Reads a place with the slots that are known. What is missing is noted in `missing`, and what is returned then is
    not to be used."""

    def __init__(self, layout: StorageLayout, known: Mapping[int, int]) -> None:
        self._layout = layout
        self._known = known
        self.missing: dict[int, None] = {}
        self._left = MAX_VALUES

    def text(self, place: StoragePlace) -> str:
        """The value as text: arrays as `[a, b]`, structs as `{name: a}`, cut after `MAX_ITEMS`. Raises `AbiError` for a
        mapping, which is nothing without a key."""
        if place.type.encoding == "mapping":
            raise AbiError(f"it is a {place.type.label}; name a key in brackets")
        return self._text(place, 0)

    def _text(self, place: StoragePlace, depth: int) -> str:
        kind = place.type
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0 or len(self.missing) > MAX_SLOTS:
            return "..."
        if kind.encoding == "mapping":
            return kind.label
        if kind.encoding == "bytes":
            return self._content(place)
        if kind.members:
            return self._struct(place, depth)
        if kind.encoding == "dynamic_array":
            return self._array(place, self._word(place.slot), first_of(place), depth)
        if kind.base:
            return self._array(place, fixed_length(kind), place.slot, depth)
        return self._number(place)

    def _struct(self, place: StoragePlace, depth: int) -> str:
        parts = []
        for member in place.type.members[:MAX_ITEMS]:
            slot = (place.slot + int(member.slot)) & SLOT_MASK
            inner = StoragePlace(slot, member.offset, self._layout.type_of(member.type))
            parts.append(f"{member.label}: {self._text(inner, depth + 1)}")
        more = ", ..." if len(place.type.members) > MAX_ITEMS else ""
        return f"{{{', '.join(parts)}{more}}}"

    def _array(self, place: StoragePlace, length: int, first: int, depth: int) -> str:
        shown = min(length, MAX_ITEMS) if self._left > 0 else 0
        items = [self._text(element(self._layout, place, index, first), depth + 1) for index in range(shown)]
        more = f", ... {length - MAX_ITEMS} more" if length > MAX_ITEMS else ""
        return f"[{', '.join(items)}{more}]"

    def _content(self, place: StoragePlace) -> str:
        word = self._word(place.slot)
        data = word.to_bytes(SLOT_BYTES, "big")
        if not word & 1:
            length = min(data[-1] // 2, SHORT)
            content, rest = data[:length], 0
        else:
            length = word >> 1
            taken = min(length, MAX_CONTENT)
            first = first_of(place)
            slots = (self._word((first + index) & SLOT_MASK) for index in range(-(-taken // SLOT_BYTES)))
            content = b"".join(each.to_bytes(SLOT_BYTES, "big") for each in slots)[:taken]
            rest = length - taken
        more = f"... {rest} more bytes" if rest else ""
        if place.type.label == "string":
            return format_value(String(), content.decode("utf-8", "surrogateescape")) + more
        return format_value(Bytes(), content) + more

    def _number(self, place: StoragePlace) -> str:
        size = min(place.type.size, SLOT_BYTES)
        number = self._word(place.slot) >> 8 * place.offset & (1 << 8 * size) - 1
        if place.type.label.startswith("function"):
            return f"0x{number:0{2 * size}x}"
        kind = abi_type(place.type)
        value: Value = number
        if isinstance(kind, FixedBytes):
            value = number.to_bytes(size, "big")
        elif isinstance(kind, Bool):
            value = bool(number)
        elif isinstance(kind, Int) and number >> 8 * size - 1:
            value = number - (1 << 8 * size)
        elif isinstance(kind, Address):
            value = number
        return format_value(kind, value)

    def _word(self, slot: int) -> int:
        word = self._known.get(slot)
        if word is None:
            self.missing[slot] = None
            return 0
        return word
