"""The dictionary: values worth trying, from the source, the bytecode, the chain's set-up and, later, from execution.

Words are 256-bit integers as they stand in calldata (two's complement for signed numbers, left-aligned for `bytesN`).
The start dictionary depends only on the target, so one seed gives one campaign.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from simulator.compile.projects.matching import without_metadata
from simulator.project import Constant, Contract
from simulator.transaction import WORD_MAX

NEIGHBOURHOOD = 3
TIME_CONSTANTS = (1_524_785_992, 4_370_000)
WORD_BYTES = 32
MAX_BLOB = 1024
_PUSH1, _PUSH32, _JUMP, _JUMPI = 0x60, 0x7F, 0x56, 0x57


@dataclass
class Dictionary:
    """Pools by form. Insertion order is kept and duplicates are dropped, so that iteration is deterministic."""

    numbers: dict[int, None] = field(default_factory=dict)
    fixed_bytes: dict[int, None] = field(default_factory=dict)
    addresses: dict[int, None] = field(default_factory=dict)
    blobs: dict[bytes, None] = field(default_factory=dict)

    def add_number(self, value: int) -> None:
        """A number of the source and its neighbours, positive and negated."""
        for step in range(-NEIGHBOURHOOD, NEIGHBOURHOOD + 1):
            self.numbers[(value + step) & WORD_MAX] = None
            self.numbers[(-value + step) & WORD_MAX] = None

    def add_bytes(self, data: bytes) -> None:
        """A byte string: whole for `bytes` and `string`, left-aligned for `bytesN`, as a number when it fits."""
        self.blobs[data[:MAX_BLOB]] = None
        if 0 < len(data) <= WORD_BYTES:
            self.fixed_bytes[int.from_bytes(data.ljust(WORD_BYTES, b"\0"), "big")] = None
            self.numbers[int.from_bytes(data, "big")] = None

    def absorb(self, other: Dictionary) -> None:
        """Take over the values of another dictionary."""
        self.numbers |= other.numbers
        self.fixed_bytes |= other.fixed_bytes
        self.addresses |= other.addresses
        self.blobs |= other.blobs

    def add_constant(self, constant: Constant) -> None:
        match constant.type:
            case "uint" | "int":
                value = int(constant.value)
                self.add_number(value)
                self.fixed_bytes[value & WORD_MAX] = None
            case "address":
                self.addresses[int(constant.value, 16)] = None
            case "string" | "bytes":
                self.add_bytes(bytes.fromhex(constant.value.removeprefix("0x")))

    def add_code(self, code: bytes) -> None:
        """PUSH constants of a bytecode, jump targets left out."""
        for value, size in push_constants(code):
            self.numbers[value] = None
            self.fixed_bytes[value << (8 * (WORD_BYTES - size))] = None


def start_dictionary(contracts: Iterable[Contract], codes: Iterable[bytes], addresses: Iterable[int]) -> Dictionary:
    """Everything known before the first call (Echidna's sources, and PUSH constants besides)."""
    dictionary = Dictionary()
    for address in addresses:
        dictionary.addresses[address] = None
    _add_extremes(dictionary)
    for contract in contracts:
        for constant in contract.constants:
            dictionary.add_constant(constant)
    for code in codes:
        dictionary.add_code(code)
    return dictionary


def _add_extremes(dictionary: Dictionary) -> None:
    for moment in TIME_CONSTANTS:
        for step in (-1, 0, 1):
            dictionary.numbers[moment + step] = None
    for bits in range(8, 257, 8):
        for value in ((1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, -(1 << (bits - 1))):
            dictionary.numbers[value & WORD_MAX] = None


def push_constants(code: bytes) -> Iterable[tuple[int, int]]:
    """(value, size in bytes) of each PUSH whose constant is not a jump target; deterministic in code order."""
    code = without_metadata(code)
    position = 0
    while position < len(code):
        opcode = code[position]
        position += 1
        if _PUSH1 <= opcode <= _PUSH32:
            size = opcode - _PUSH1 + 1
            data = code[position : position + size]
            position += size
            follower = code[position] if position < len(code) else 0
            if len(data) == size and follower not in (_JUMP, _JUMPI):
                yield int.from_bytes(data, "big"), size
