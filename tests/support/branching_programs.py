"""Random EVM programs with branches, loops and internal functions, as a compiler makes them, and worse."""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import strategies as st

from simulator.evm.assembly import assemble
from tests.support.random_programs import line

CONTRACT, OTHER, SENDER = 0xC0DE, 0x07E4, 0x5E4DE7
MAX_GAS = 400_000


@dataclass(frozen=True)
class Calls:
    """Two contracts, and transactions to the first: data, and gas that may not suffice."""

    main: bytes
    other: bytes
    transactions: tuple[tuple[bytes, int], ...]

    def __repr__(self) -> str:
        codes = f"bytes.fromhex('{self.main.hex()}'), bytes.fromhex('{self.other.hex()}')"
        return f"Calls({codes}, {self.transactions!r})"


def link(text: str) -> bytes:
    """Assemble a text in which `:name` is a JUMPDEST and `@name` pushes its program counter in two bytes."""
    words = text.split()
    places = {word[1:]: _size(words[:index]) for index, word in enumerate(words) if word.startswith(":")}
    return assemble(" ".join(_plain(word, places) for word in words))


def _plain(word: str, places: dict[str, int]) -> str:
    if word.startswith(":"):
        return "JUMPDEST"
    return f"PUSH2 {places.get(word[1:], 0)}" if word.startswith("@") else word


def _size(words: list[str]) -> int:
    return len(assemble(" ".join(_plain(word, {}) for word in words)))


class _Writer:
    """Makes one program from a random generator."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._labels = 0

    def program(self, size: int) -> bytes:
        body = self._statements(size)
        functions = " ".join(f":f{number} {self._statements(2)} JUMP" for number in range(3))
        ending = self._rng.choice(["STOP", "128 0 RETURN", "64 0 REVERT", "INVALID", "1 JUMP"])
        return link(f"{body} {ending} {functions}")

    def _label(self) -> str:
        self._labels += 1
        return f"l{self._labels}"

    def _statements(self, size: int) -> str:
        return " ".join(self._statement() for _ in range(size))

    def _statement(self) -> str:
        """Assembly that leaves the stack as it was."""
        rng = self._rng
        first, second = self._label(), self._label()
        condition = rng.choice(["CALLVALUE", "CALLDATASIZE", "0 CALLDATALOAD", "1", "3 SLOAD 7 LT", "2 SLOAD 2 SUB"])
        inside = line(rng.getrandbits(32))
        match rng.randrange(9):
            case 0:
                return f"{condition} @{first} JUMPI {inside} :{first}"
            case 1:
                return f"{condition} @{first} JUMPI {inside} @{second} JUMP :{first} {inside} :{second}"
            case 2:
                return f"{rng.randrange(1, 4)} :{first} {inside} 1 SWAP1 SUB DUP1 @{first} JUMPI POP"
            case 3:
                return f"@{first} @f{rng.randrange(3)} JUMP :{first}"
            case 4:
                return f"CALLVALUE 0 MUL @{first} ADD JUMP INVALID :{first}"
            case 5:
                return f"@{first} 640 MSTORE {inside} 640 MLOAD JUMP :{first} {inside}"
            case 6:
                return f"{condition} ISZERO {condition} @{first} CALLVALUE ADD JUMPI {inside} :{first} POP"
            case 7:
                return " ".join(f"DUP{rng.randrange(1, 3)}" for _ in range(3)).join(
                    ("1 2 ", " SWAP2 POP ADD XOR ADD POP")
                )
            case _:
                return inside


def _program(recipe: int, size: int) -> bytes:
    return _Writer(random.Random(recipe)).program(size)


calls = st.builds(
    Calls,
    st.builds(_program, st.integers(0, 2**32 - 1), st.integers(0, 8)),
    st.builds(_program, st.integers(0, 2**32 - 1), st.integers(0, 3)),
    st.lists(
        st.tuples(st.binary(max_size=40), st.one_of(st.integers(0, 60_000), st.just(MAX_GAS))), min_size=2, max_size=4
    ).map(tuple),
)
