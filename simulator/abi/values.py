"""Values made for fuzzing: the simplest one of a type, and random ones.

This is the structural half of input generation: lengths of arrays and bytes are chosen here, while the words inside an
existing encoding are mutated in place by native code (`simulator.abi.slots`). Everything is a function of the random
generator handed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol, assert_never, cast

from simulator.abi.call_parser import Argument, ParsedCall
from simulator.abi.literals import Wildcard
from simulator.abi.types import (
    AbiType,
    Address,
    Array,
    Bool,
    Bytes,
    FixedBytes,
    FunctionType,
    Int,
    String,
    Tuple,
    UInt,
    Value,
)

MAX_ARRAY = 32
MAX_RUN = 256
MAX_PARTS = 512
DICTIONARY_FREQUENCY = 0.40

# What Echidna sends to, and what contracts compare with.
_ADDRESSES = (0xFFFFFFFF, 0x1FFFFFFFE, 0x2FFFFFFFD, 0, 1, 0xDEADBEEF)


class KnownValues(Protocol):
    """Known interesting values."""

    def pick(self, abi_type: AbiType, rng: Random) -> Value | None:
        """A value in the range of `abi_type`, an elementary type, chosen with `rng`; None when there is none."""
        ...

    def addresses(self) -> Sequence[int]:
        """All known addresses."""
        ...


@dataclass(frozen=True)
class EmptyDictionary:
    """Knows nothing."""

    def pick(self, abi_type: AbiType, rng: Random) -> Value | None:
        return None

    def addresses(self) -> Sequence[int]:
        return ()


def simplest_value(abi_type: AbiType) -> Value:
    """Zero, false, empty, or as many of these as a fixed length asks for."""
    match abi_type:
        case UInt() | Int() | Address():
            return 0
        case Bool():
            return False
        case FixedBytes(size) | FunctionType(size=size):
            return bytes(size)
        case Bytes():
            return b""
        case String():
            return ""
        case Array(element, length):
            return (simplest_value(element),) * (length or 0)
        case Tuple(members):
            return tuple(map(simplest_value, members))
        case _:
            assert_never(abi_type)


def generate(abi_type: AbiType, rng: Random, dictionary: KnownValues, frequency: float = DICTIONARY_FREQUENCY) -> Value:
    """A random value of any type.

    Each leaf comes from the dictionary with probability `frequency`. Every value of an elementary type of fixed size
    can come out, the ends of its range often. Dynamic arrays have 0..32 elements and byte runs 0..256 bytes, mostly
    few; once a value has 512 parts, what dynamic parts are left are empty.
    """
    return _Generator(rng, dictionary, frequency).value(abi_type)


def generate_arguments(
    types: Sequence[AbiType], rng: Random, dictionary: KnownValues, frequency: float = DICTIONARY_FREQUENCY
) -> tuple[Value, ...]:
    """The arguments of one call; the limit of parts holds for all of them together."""
    generator = _Generator(rng, dictionary, frequency)
    return tuple(generator.value(member) for member in types)


def fill_wildcards(
    call: ParsedCall, rng: Random, dictionary: KnownValues, frequency: float = DICTIONARY_FREQUENCY
) -> tuple[Value, ...]:
    """The arguments of a call with values in place of its wildcards.

    `?` is generated. An elided literal gives a known address with that prefix, if there is one, else the prefix and
    random digits, for addresses and bytes; a number or a composite value is generated.
    """
    generator = _Generator(rng, dictionary, frequency)
    return tuple(map(generator.fill, call.function.inputs.members, call.arguments))


class _Generator:
    def __init__(self, rng: Random, dictionary: KnownValues, frequency: float) -> None:
        self._rng = rng
        self._dictionary = dictionary
        self._frequency = frequency
        self._parts_left = MAX_PARTS

    def value(self, abi_type: AbiType) -> Value:
        self._parts_left -= 1
        match abi_type:
            case Array(element, length):
                count = self._array_length() if length is None else length
                return tuple(self.value(element) for _ in range(count))
            case Tuple(members):
                return tuple(map(self.value, members))
            case _:
                known = self._dictionary.pick(abi_type, self._rng) if self._rng.random() < self._frequency else None
                return self._leaf(abi_type) if known is None else known

    def fill(self, abi_type: AbiType, argument: Argument) -> Value:
        if isinstance(argument, Wildcard):
            return self._from_prefix(abi_type, argument.prefix) if argument.prefix else self.value(abi_type)
        match abi_type:
            case Array(element):
                return tuple(self.fill(element, item) for item in cast("Sequence[Argument]", argument))
            case Tuple(members):
                return tuple(map(self.fill, members, cast("Sequence[Argument]", argument)))
            case _:
                return cast("Value", argument)

    def _leaf(self, abi_type: UInt | Int | Bool | Address | FixedBytes | FunctionType | Bytes | String) -> Value:
        match abi_type:
            case UInt(bits):
                return random_integer(self._rng, 0, (1 << bits) - 1)
            case Int(bits):
                return random_integer(self._rng, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
            case Bool():
                return self._rng.random() < 0.5
            case Address():
                return self._rng.choice(_ADDRESSES) if self._rng.random() < 0.8 else self._rng.getrandbits(160)
            case FixedBytes(size) | FunctionType(size=size):
                return self._bytes_of(size)
            case Bytes():
                return self._bytes_of(self._run_length())
            case String():
                return self._bytes_of(self._run_length()).decode("utf-8", "surrogateescape")
            case _:
                assert_never(abi_type)

    def _array_length(self) -> int:
        return min(_skewed(self._rng, (0, 3, 8, MAX_ARRAY)), max(0, self._parts_left))

    def _run_length(self) -> int:
        return _skewed(self._rng, (0, 32, 64, MAX_RUN)) if self._parts_left >= 0 else 0

    def _bytes_of(self, size: int) -> bytes:
        kind = self._rng.randrange(8)
        if kind == 0:
            return bytes(size)
        if kind == 1:
            return b"\xff" * size
        if kind <= 4:
            return bytes(self._rng.randrange(0x20, 0x7F) for _ in range(size))
        return self._rng.randbytes(size)

    def _from_prefix(self, abi_type: AbiType, prefix: str) -> Value:
        match abi_type:
            case Address():
                known = [address for address in self._dictionary.addresses() if f"{address:040x}".startswith(prefix)]
                return self._rng.choice(known) if known else int(self._completed(prefix, 40), 16)
            case FixedBytes(size) | FunctionType(size=size):
                return bytes.fromhex(self._completed(prefix, 2 * size))
            case Bytes():
                length = max(2 * self._run_length(), len(prefix) + len(prefix) % 2)
                return bytes.fromhex(self._completed(prefix, length))
            case _:
                return self.value(abi_type)

    def _completed(self, prefix: str, digits: int) -> str:
        return (prefix + self._rng.randbytes(digits // 2 + 1).hex())[:digits]


def random_integer(rng: Random, low: int, high: int) -> int:
    """An integer of `low..high`, ends included: half of them from the whole range, the others small, near an end, or
    next to a power of two. Negative ones are as likely as positive ones where the range allows it."""
    kind = rng.randrange(16)
    if kind < 8:
        return rng.randint(low, high)
    if kind < 11:
        return rng.randint(max(low, -1023), min(high, 1023))
    if kind < 13:
        return (
            rng.choice((low, high))
            if high - low < 16
            else rng.choice((low + rng.randrange(5), high - rng.randrange(5)))
        )
    power = (1 << rng.randrange(max(1, high.bit_length()))) + rng.choice((-1, 0, 1))
    return max(low, min(high, -power if low < 0 and rng.random() < 0.5 else power))


def _skewed(rng: Random, limits: tuple[int, int, int, int]) -> int:
    """A length: 1 in 10 is the first limit, 6 in 10 up to the second, 2 in 10 to the third, 1 in 10 to the last."""
    step = (0, 1, 1, 1, 1, 1, 1, 2, 2, 3)[rng.randrange(10)]
    return limits[0] if step == 0 else rng.randint(limits[step - 1] + 1, limits[step])
