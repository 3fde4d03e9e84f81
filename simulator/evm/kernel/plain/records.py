"""Records: what the kernel keeps in memory, declared once and read by name.

A record is a class whose fields stand in the order of their declaration. An instance is nothing but an address:

    class Oracle(Record):
        check = Int64()
        open = Flag()
        target = Word256()
        cells = Inline(Int64s, 4)       # inside of the record
        outcomes = To(Words)            # elsewhere: the record holds the address

    oracle = fuzz.oracles[index]
    if oracle.open and oracle.failed_at < 0:
        oracle.failed_at = fuzz.sequence_index

This file is the plain twin, and what type checkers see. While building, the same classes are types of one int64 for
numba, see `native/record_types.py`, and their fields are plain loads and stores. `Oracle.check.offset` and
`Oracle.SIZE` are constants on both sides.

A place reads through the memory that it was made with, and passes it on to what it leads to. Kernel code names none
and gets the checked one, which knows the regions of its machine. The host passes one of its own.
"""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar, cast, get_args, get_origin, overload

from simulator.evm.kernel.plain import memory_access
from simulator.evm.kernel.plain.words import Word

WORD_BYTES = 32
POINTER_BYTES = 8

PlaceT = TypeVar("PlaceT", bound="Place")
RecordT = TypeVar("RecordT", bound="Record")
FieldT = TypeVar("FieldT", bound="Field")
ArrayT = TypeVar("ArrayT", bound="_Array")


class Memory(Protocol):
    """Loads and stores by address. A word is held least significant byte first."""

    def load_i64(self, address: int, /) -> int: ...
    def store_i64(self, address: int, value: int, /) -> None: ...
    def load_i32(self, address: int, /) -> int: ...
    def store_i32(self, address: int, value: int, /) -> None: ...
    def load_u8(self, address: int, /) -> int: ...
    def store_u8(self, address: int, value: int, /) -> None: ...
    def load_word(self, address: int, /) -> Word: ...
    def store_word(self, address: int, value: Word, /) -> None: ...


class PlaceClass(type):
    """The class of all places. It tells numba's `typeof` records from other classes, and gives them no attributes but
    their fields."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any], **options: Any) -> PlaceClass:
        return super().__new__(cls, name, bases, {"__slots__": (), **body}, **options)


class Place(metaclass=PlaceClass):
    """An address with a type: a record or an array. Address 0 is no place, and false."""

    __slots__ = ("_address", "_memory")
    _address: int
    _memory: Memory

    def __init__(self, address: int, memory: Memory = memory_access) -> None:
        self._address = address
        self._memory = memory

    def __bool__(self) -> bool:
        return pointer(self) != 0

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and pointer(other) == pointer(self)

    def __hash__(self) -> int:
        return hash(pointer(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({pointer(self):#x})"


def pointer(place: Place) -> int:
    """The address of a place."""
    return place._address


def memory_of(place: Place) -> Memory:
    """The memory that a place reads through."""
    return place._memory


class Field:
    """A field of a record. It is aligned to its size or to `align`, or stands `step` bytes behind the field `at`.

    `accessor` names the memory's functions for it: `load_i64` and `store_i64` for "i64".
    """

    bytes = 8
    accessor = "i64"

    def __init__(self, *, align: int = 0, at: Field | None = None, step: int = 0) -> None:
        self.align = align or min(self.bytes, WORD_BYTES)
        self.at = at
        self.step = step
        self.name = ""
        self.offset = -1

    def __set_name__(self, owner: type[Record], name: str) -> None:
        self.name = name
        end = owner.__dict__.get("_end", 0)
        self.offset = self.at.offset + self.step if self.at is not None else -(-end // self.align) * self.align
        owner._end = max(end, self.offset + self.bytes)


class Int64(Field):
    """A signed integer."""

    @overload
    def __get__(self: FieldT, record: None, owner: type[Record]) -> FieldT: ...
    @overload
    def __get__(self, record: Record, owner: type[Record]) -> int: ...
    def __get__(self, record: Record | None, owner: type[Record]) -> Any:
        return self if record is None else record._memory.load_i64(record._address + self.offset)

    def __set__(self, record: Record, value: int) -> None:
        record._memory.store_i64(record._address + self.offset, value)


class Int32(Field):
    """A signed integer of 32 bits, an int64 once it is read."""

    bytes = 4
    accessor = "i32"

    @overload
    def __get__(self: FieldT, record: None, owner: type[Record]) -> FieldT: ...
    @overload
    def __get__(self, record: Record, owner: type[Record]) -> int: ...
    def __get__(self, record: Record | None, owner: type[Record]) -> Any:
        return self if record is None else record._memory.load_i32(record._address + self.offset)

    def __set__(self, record: Record, value: int) -> None:
        record._memory.store_i32(record._address + self.offset, value)


class Flag(Field):
    """A truth value, held as an integer of 64 bits."""

    @overload
    def __get__(self: FieldT, record: None, owner: type[Record]) -> FieldT: ...
    @overload
    def __get__(self, record: Record, owner: type[Record]) -> bool: ...
    def __get__(self, record: Record | None, owner: type[Record]) -> Any:
        return self if record is None else record._memory.load_i64(record._address + self.offset) != 0

    def __set__(self, record: Record, value: bool) -> None:
        record._memory.store_i64(record._address + self.offset, int(value))


class Word256(Field):
    """A word, least significant byte first."""

    bytes = 32
    accessor = "word"

    @overload
    def __get__(self: FieldT, record: None, owner: type[Record]) -> FieldT: ...
    @overload
    def __get__(self, record: Record, owner: type[Record]) -> Word: ...
    def __get__(self, record: Record | None, owner: type[Record]) -> Any:
        return self if record is None else record._memory.load_word(record._address + self.offset)

    def __set__(self, record: Record, value: Word) -> None:
        record._memory.store_word(record._address + self.offset, value)


class To(Field, Generic[PlaceT]):
    """The address of a record or of an array, which stands elsewhere."""

    def __init__(self, place: type[PlaceT], *, align: int = 0, at: Field | None = None, step: int = 0) -> None:
        super().__init__(align=align, at=at, step=step)
        self.place = place

    @overload
    def __get__(self: FieldT, record: None, owner: type[Record]) -> FieldT: ...
    @overload
    def __get__(self, record: Record, owner: type[Record]) -> PlaceT: ...
    def __get__(self, record: Record | None, owner: type[Record]) -> Any:
        if record is None:
            return self
        memory = record._memory
        return self.place(memory.load_i64(record._address + self.offset), memory)

    def __set__(self, record: Record, value: PlaceT) -> None:
        record._memory.store_i64(record._address + self.offset, value._address)


class Inline(Field, Generic[PlaceT]):
    """A record, or an array of `count` elements, inside of the record."""

    def __init__(self, place: type[PlaceT], count: int = 1, *, align: int = 0, at: Field | None = None) -> None:
        self.bytes = count * stride(place)
        super().__init__(align=align or WORD_BYTES, at=at)
        self.place = place
        self.count = count

    @overload
    def __get__(self: FieldT, record: None, owner: type[Record]) -> FieldT: ...
    @overload
    def __get__(self, record: Record, owner: type[Record]) -> PlaceT: ...
    def __get__(self, record: Record | None, owner: type[Record]) -> Any:
        return self if record is None else self.place(record._address + self.offset, record._memory)

    def __set__(self, record: Record, value: PlaceT) -> None:
        raise AttributeError(f"{self.name} is a part of the record and cannot be replaced")


class Record(Place):
    """The base of all records. `size` replaces the size that follows from the fields."""

    SIZE = 0
    _end = 0

    def __init_subclass__(cls, size: int = 0) -> None:
        cls.SIZE = size or -(-cls._end // WORD_BYTES) * WORD_BYTES

    @classmethod
    def fields(cls) -> list[Field]:
        """The fields in order of their declaration."""
        return [each for each in vars(cls).values() if isinstance(each, Field)]


class _Array(Place):
    """Elements one after the other, `bytes` each."""

    bytes = 8
    accessor = "i64"

    def __add__(self: ArrayT, count: int) -> ArrayT:
        """The array that begins `count` elements further on."""
        return type(self)(pointer(self) + self.bytes * count, memory_of(self))

    def __sub__(self: ArrayT, count: int) -> ArrayT:
        return self + -count

    def _load(self, index: int) -> Any:
        return getattr(memory_of(self), f"load_{self.accessor}")(pointer(self) + self.bytes * index)

    def _store(self, index: int, value: object) -> None:
        getattr(memory_of(self), f"store_{self.accessor}")(pointer(self) + self.bytes * index, value)


class _Numbers(_Array):
    def __getitem__(self, index: int) -> int:
        return cast("int", self._load(index))

    def __setitem__(self, index: int, value: int) -> None:
        self._store(index, value)


class Int64s(_Numbers):
    """Signed integers."""


class Int32s(_Numbers):
    """Signed integers of 32 bits, int64s once they are read."""

    bytes, accessor = 4, "i32"


class Bytes(_Numbers):
    """Unsigned bytes."""

    bytes, accessor = 1, "u8"


class Words(_Array):
    """Words, least significant byte first."""

    bytes, accessor = 32, "word"

    def __getitem__(self, index: int) -> Word:
        return cast("Word", self._load(index))

    def __setitem__(self, index: int, value: Word) -> None:
        self._store(index, value)


class _Of(Place, Generic[RecordT]):
    """An array that knows the class of its elements: `Records[Oracle](address)`."""

    __slots__ = ("__orig_class__",)  # where `Generic` keeps the class of the elements, once the place is made

    def element(self) -> type[RecordT]:
        """The class of the elements."""
        found: type[RecordT] = self.__orig_class__.__args__[0]  # type: ignore[attr-defined]
        return found


class Records(_Of[RecordT]):
    """Records, one after the other."""

    def __getitem__(self, index: int) -> RecordT:
        element = self.element()
        return element(pointer(self) + element.SIZE * index, memory_of(self))


class References(_Of[RecordT]):
    """Addresses of records."""

    def __getitem__(self, index: int) -> RecordT:
        memory = memory_of(self)
        return self.element()(memory.load_i64(pointer(self) + POINTER_BYTES * index), memory)

    def __setitem__(self, index: int, value: RecordT) -> None:
        memory_of(self).store_i64(pointer(self) + POINTER_BYTES * index, pointer(value))


class Cell(Record):
    """A word by its address: what the journal keeps, and what functions that change a word are given."""

    word = Word256()


def stride(place: Any) -> int:
    """Bytes of a record, or of an element of an array."""
    kind = get_origin(place) or place
    if issubclass(kind, Record):
        return int(kind.SIZE)
    if kind is References:
        return POINTER_BYTES
    if kind is Records:
        return int(get_args(place)[0].SIZE)
    return int(kind.bytes)
