"""Adaptive minimisation of one ABI value: the smallest value of its type that still makes a predicate true.

Simplest means: integers toward 0 (positive before negative), false, the zero address and then known ones, zero bytes,
short arrays and strings. Each function returns a value for which `fails` is true, given one for which it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from simulator.abi.types import AbiType, Address, Array, Bool, Bytes, FixedBytes, FunctionType, Int, String, Tuple, UInt
from simulator.fuzz.shrinking.integers import QUICK, Guide, minimize_integer, minimize_signed

Value = TypeVar("Value")
Fails = Callable[[Any], bool]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "
"""Characters of a string from the simplest on."""


@dataclass(frozen=True)
class ValueGuide:
    """Knowledge of numbers, and of addresses in order of preference."""

    numbers: Guide = QUICK
    addresses: tuple[int, ...] = ()


PLAIN = ValueGuide()
FEW = Guide(small=2)
"""For bytes of what is a number as well: a hash has many of them, each of which costs."""


def minimize_value(abi_type: AbiType, value: Any, fails: Fails, guide: ValueGuide = PLAIN) -> Any:
    """Minimise a decoded ABI value; `fails` receives whole candidate values of the same type."""
    match abi_type:
        case UInt():
            return minimize_integer(value, fails, guide.numbers)
        case Int():
            return minimize_signed(value, fails, guide.numbers)
        case Bool():
            return False if value and fails(False) else value
        case Address():
            return minimize_address(value, fails, guide)
        case FixedBytes(size=size):
            return _minimize_fixed_bytes(value, size, fails, guide)
        case FunctionType():
            return _minimize_fixed_bytes(value, 24, fails, guide)
        case Bytes():
            return minimize_bytes(value, fails)
        case String():
            return _minimize_text(value, fails)
        case Array(element=element, length=length):
            return _minimize_array(element, length, list(value), fails, guide)
        case Tuple(members=members):
            return _minimize_members(members, list(value), fails, guide)
    raise TypeError(f"not an ABI type: {abi_type!r}")


def minimize_address(value: int, fails: Fails, guide: ValueGuide) -> int:
    """The zero address, the first known one, or a small number where none of them is known."""
    preferred = (0, *guide.addresses)
    for address in preferred:
        if address == value or fails(address):
            return address
    return minimize_integer(value, fails, guide.numbers)


def minimize_list(items: list[Value], fails: Callable[[list[Value]], bool]) -> list[Value]:
    """Delta debugging: drop chunks of halving size, from the end, until no single item can be dropped."""
    chunk = len(items)
    while chunk >= 1:
        start = len(items)
        while start > 0:
            start = max(0, start - chunk)
            shorter = items[:start] + items[start + chunk :]
            if len(shorter) < len(items) and fails(shorter):
                items = shorter
        chunk = min(chunk // 2, len(items)) if chunk > 1 else 0
    return items


def minimize_bytes(value: bytes, fails: Fails) -> bytes:
    """As few bytes as possible, then each as small as possible."""
    shorter = bytes(minimize_list(list(value), lambda items: fails(bytes(items))))
    return bytes(_minimize_items(shorter, lambda items: fails(bytes(items))))


def _minimize_fixed_bytes(value: bytes, size: int, fails: Fails, guide: ValueGuide) -> bytes:
    if any(value) and fails(bytes(size)):
        return bytes(size)
    value = bytes(_minimize_items(value, lambda items: fails(bytes(items)), FEW))
    number = int.from_bytes(value, "big")
    return minimize_integer(number, lambda n: fails(n.to_bytes(size, "big")), guide.numbers).to_bytes(size, "big")


def _minimize_text(value: str, fails: Fails) -> str:
    plain = "".join(each if each.isascii() else "a" * byte_size(each) for each in value)
    value = plain if plain != value and fails(plain) else value
    shorter = minimize_list(list(value), lambda items: fails("".join(items)))
    ranks = [_rank(character) for character in shorter]
    smallest = _minimize_items(ranks, lambda items: all(map(_is_text, items)) and fails(_text(items)))
    return _text(smallest)


def _minimize_items(items: Sequence[int], fails: Callable[[list[int]], bool], guide: Guide = QUICK) -> list[int]:
    """Chunks of nought of halving size, then number by number, then equal numbers together."""
    best = list(items)
    chunk = len(best)
    while chunk > 1:
        for start in range(0, len(best), chunk):
            blank = min(chunk, len(best) - start)
            if any(best[start : start + blank]) and fails([*best[:start], *[0] * blank, *best[start + blank :]]):
                best[start : start + blank] = [0] * blank
        chunk //= 2
    for index, item in enumerate(best):
        best[index] = minimize_integer(item, _replacing(best, index, fails), guide)
    for item in [item for item, count in Counter(best).items() if item and count > 1]:
        smallest = minimize_integer(item, _replacing_all(best, item, fails), guide)
        best = [smallest if each == item else each for each in best]
    return best


def _replacing_all(items: list[int], old: int, fails: Callable[[list[int]], bool]) -> Callable[[int], bool]:
    return lambda new: fails([new if item == old else item for item in items])


def _rank(character: str) -> int:
    """The place of a character in the order of simplicity; those outside of `LETTERS` follow by code point."""
    place = LETTERS.find(character)
    return place if place >= 0 else len(LETTERS) + ord(character)


def _character(rank: int) -> str:
    return LETTERS[rank] if rank < len(LETTERS) else chr(rank - len(LETTERS))


def _is_text(rank: int) -> bool:
    """Surrogates stand for single bytes that are not UTF-8; the others cannot be encoded."""
    return not (0xD800 <= ord(_character(rank)) < 0xDC80 or 0xDCFF < ord(_character(rank)) < 0xE000)


def _text(ranks: list[int]) -> str:
    return "".join(map(_character, ranks))


def byte_size(value: str) -> int:
    """The length that a contract sees."""
    return len(value.encode("utf-8", "surrogateescape"))


def text_key(value: str) -> list[int]:
    """The order of strings of equal length: the place of each character."""
    return [_rank(character) for character in value]


def _minimize_array(
    element: AbiType, length: int | None, items: list[Any], fails: Fails, guide: ValueGuide
) -> list[Any]:
    if length is None:
        items = minimize_list(items, fails)
    return _minimize_members([element] * len(items), items, fails, guide)


def _minimize_members(types: Any, items: list[Any], fails: Fails, guide: ValueGuide) -> list[Any]:
    for index, member in enumerate(types):
        items[index] = minimize_value(member, items[index], _replacing(items, index, fails), guide)
    return items


def _replacing(items: list[Any], index: int, fails: Fails) -> Fails:
    return lambda candidate: fails([*items[:index], candidate, *items[index + 1 :]])
