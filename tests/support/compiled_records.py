"""Kernel functions on records, for both twins. As a program with MONOTREME_KERNEL_BUILD=1 it compiles them and prints
what they do and what the compiler refuses."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from typing import Any

from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import (
    Bytes,
    Cell,
    Flag,
    Inline,
    Int32,
    Int32s,
    Int64,
    Int64s,
    Record,
    Records,
    References,
    To,
    Word256,
    Words,
    pointer,
)
from simulator.evm.kernel.words import word

MEMORY_BYTES = 1024


class Oracle(Record):
    open = Flag()
    small = Int32()
    best = Word256()
    cells = Inline(Int64s, 4)


class Fuzz(Record):
    calls = Int64()
    oracles = To(Records[Oracle])
    chosen = To(References[Oracle])
    tail = Inline(Bytes, 32)
    work = Inline(Cell)
    choices = Inline(Int32s, 8)
    seen = Inline(Words, 2)


@kernel
def first_open(fuzz: Fuzz) -> Oracle:
    index = 0
    while not fuzz.oracles[index].open:
        index += 1
    return fuzz.oracles[index]


@kernel
def work_on(fuzz: Fuzz) -> None:
    fuzz.calls += 5
    fuzz.oracles = Records[Oracle](pointer(fuzz) + 512)
    fuzz.chosen = References[Oracle](pointer(fuzz) + 960)
    fuzz.oracles[2].open = True
    oracle = first_open(fuzz)
    oracle.small -= 7
    oracle.best = oracle.best + word(9)
    oracle.cells[3] = pointer(oracle) - pointer(fuzz.oracles)
    oracle.open = fuzz.calls < 0
    fuzz.chosen[1] = oracle
    fuzz.tail[2] = 300
    fuzz.work.word = fuzz.chosen[1].best
    fuzz.choices[5] = oracle.small
    fuzz.seen[1] = fuzz.work.word + word(Oracle.best.offset + Oracle.SIZE)
    last = fuzz.seen + 2
    last -= 1
    last[-1] = last[0]


@kernel
def answer(fuzz: Fuzz) -> int:
    """One bit for each fact about places."""
    same = fuzz.chosen[1] == fuzz.oracles[2] and fuzz.chosen[1] != fuzz.oracles[1]
    empty = not fuzz.chosen[0] and not Oracle(0)
    found = bool(fuzz.chosen[1]) and not fuzz.chosen[1].open
    return (1 if same else 0) + (2 if empty else 0) + (4 if found else 0)


@kernel
def unknown_field(fuzz: Fuzz) -> int:
    return fuzz.cals  # type: ignore[attr-defined]


@kernel
def wrong_record(fuzz: Fuzz) -> int:
    return answer(fuzz.oracles[0])  # type: ignore[arg-type]


@kernel
def number_for_a_record(fuzz: Fuzz) -> int:
    return answer(fuzz.calls)  # type: ignore[arg-type]


@kernel
def wrong_value(fuzz: Fuzz) -> int:
    fuzz.work.word = fuzz.calls  # type: ignore[assignment]
    return 0


REFUSED: tuple[Callable[[Fuzz], int], ...] = (unknown_field, wrong_record, number_for_a_record, wrong_value)


def outcome(run: Callable[[int], int]) -> tuple[int, str]:
    """The answer of `run` for the address of a zeroed `Fuzz`, and the memory then, addresses taken from it."""
    memory = ctypes.create_string_buffer(MEMORY_BYTES + 32)
    start = -(-ctypes.addressof(memory) // 32) * 32
    answered = run(start)
    content = ctypes.string_at(start, MEMORY_BYTES)
    for place in range(512, 1024, 8):
        content = content.replace((start + place).to_bytes(8, "little"), place.to_bytes(8, "little"))
    return answered, content.hex()


def main() -> None:
    from numba import njit
    from numba.core.errors import NumbaError

    from simulator.evm.kernel.compiler import declarations as compiler

    refused: list[str] = []
    for dispatcher, arguments in compiler._declared:
        try:
            dispatcher.compile(arguments)
        except NumbaError:
            refused.append(dispatcher.__name__)
        else:
            dispatcher.disable_compile()

    @njit
    def run(address: Any) -> Any:
        fuzz = Fuzz(address)
        work_on(fuzz)
        return answer(fuzz)

    print(json.dumps({"outcome": outcome(run), "refused": refused}))


if __name__ == "__main__":
    main()
