"""Records: fields by name in Python, and the same in compiled code."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.evm.kernel.mode import BUILD_VARIABLE
from simulator.evm.kernel.plain.memory_access import MemoryAccessError, register, unregister
from simulator.evm.kernel.plain.records import Field, Int64, Record, Word256, memory_of
from simulator.evm.kernel.plain.words import Word
from simulator.evm.kernel.records import Records, References, pointer
from tests.support import compiled_records
from tests.support.compiled_records import MEMORY_BYTES, Fuzz, Oracle

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def start() -> Iterator[int]:
    """Address of zeroed memory that the address checker knows."""
    memory = ctypes.create_string_buffer(MEMORY_BYTES)
    address = ctypes.addressof(memory)
    register(address, MEMORY_BYTES)
    yield address
    unregister(address)


@pytest.fixture
def fuzz(start: int) -> Fuzz:
    fuzz = Fuzz(start)
    fuzz.oracles = Records[Oracle](start + 512)
    fuzz.chosen = References[Oracle](start + 960)
    return fuzz


def test_fields_stand_in_order_of_declaration_each_aligned_to_its_size() -> None:
    assert [field.offset for field in (Oracle.open, Oracle.small, Oracle.best, Oracle.cells)] == [0, 8, 32, 64]
    assert (Oracle.SIZE, Fuzz.calls.offset, Fuzz.tail.offset) == (96, 0, 32)
    assert [field.name for field in Oracle.fields()] == ["open", "small", "best", "cells"]


def test_fields_can_overlay_others_and_a_size_can_be_given() -> None:
    class Account(Record, size=128):
        first = Word256()
        nonce = Int64(align=32)
        code = Int64(at=nonce, step=8)
        last = Int64()

    assert (Account.nonce.offset, Account.code.offset, Account.last.offset, Account.SIZE) == (32, 40, 48, 128)


def test_what_is_written_by_a_name_is_read_by_it(fuzz: Fuzz) -> None:
    fuzz.calls += 2
    oracle = fuzz.oracles[2]
    oracle.small, oracle.open, oracle.best, oracle.cells[3] = -5, True, Word(1 << 255), 9
    assert (fuzz.calls, oracle.small, oracle.open, oracle.best, oracle.cells[3]) == (2, -5, True, 1 << 255, 9)
    assert pointer(oracle) == pointer(fuzz) + 512 + 2 * Oracle.SIZE


def test_a_place_at_0_is_false_and_places_are_equal_by_address_and_class(fuzz: Fuzz) -> None:
    assert not fuzz.chosen[1]
    fuzz.chosen[1] = fuzz.oracles[3]
    assert fuzz.chosen[1] == fuzz.oracles[3]
    assert fuzz.chosen[1] != fuzz.oracles[2]
    assert Fuzz(pointer(fuzz.oracles[3])) != fuzz.oracles[3]


def test_a_field_that_is_not_declared_can_neither_be_read_nor_written(fuzz: Fuzz) -> None:
    with pytest.raises(AttributeError):
        fuzz.cals += 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="no attribute"):
        fuzz.cals = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="cells is a part of the record"):
        fuzz.oracles[0].cells = fuzz.oracles[1].cells


def test_an_address_outside_of_the_machine_is_an_error(fuzz: Fuzz) -> None:
    with pytest.raises(MemoryAccessError):
        fuzz.oracles[100].open = True


def test_what_a_place_leads_to_is_read_through_the_same_memory(start: int) -> None:
    class Recorded:
        """Memory in a dictionary."""

        def __init__(self) -> None:
            self.held: dict[int, int] = {}

        def load_i64(self, address: int, /) -> int:
            return self.held.get(address, 0)

        def store_i64(self, address: int, value: int, /) -> None:
            self.held[address] = value

        load_i32 = load_u8 = load_i64
        store_i32 = store_u8 = store_i64

        def load_word(self, address: int, /) -> Word:
            return Word(self.load_i64(address))

        def store_word(self, address: int, value: Word, /) -> None:
            self.store_i64(address, value)

    memory = Recorded()
    fuzz = Fuzz(64, memory)
    fuzz.oracles = Records[Oracle](4096, memory)
    fuzz.oracles[1].cells[2] = 7
    assert memory.held[4096 + Oracle.SIZE + Oracle.cells.offset + 16] == 7
    assert memory_of(fuzz.oracles[1].cells) is memory


def test_every_record_of_the_kernel_ends_at_a_whole_number_of_eight_bytes() -> None:
    for record in Record.__subclasses__():
        assert record.SIZE % 8 == 0, record
        assert all(isinstance(field, Field) and field.offset >= 0 for field in record.fields())


def test_compiled_records_do_what_plain_ones_do_and_mistakes_are_refused(start: int) -> None:
    environment = {**os.environ, BUILD_VARIABLE: "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "tests" / "support" / "compiled_records.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)

    def run(address: int) -> int:
        register(address, MEMORY_BYTES)
        fuzz = Fuzz(address)
        compiled_records.work_on(fuzz)
        answered = compiled_records.answer(fuzz)
        unregister(address)
        return answered

    assert found["outcome"] == list(compiled_records.outcome(run))
    assert found["outcome"][0] == 7
    assert found["refused"] == [function.__name__ for function in compiled_records.REFUSED]
