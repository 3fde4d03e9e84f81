"""Generation and mutation of values, run as plain Python."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.abi.codec import decode
from simulator.abi.slots import ArgumentSlot, SlotKind
from simulator.abi.types import Address, Bool, FixedBytes, Int, UInt
from simulator.evm.kernel.plain.memory_access import register, unregister
from simulator.evm.kernel.records import Bytes, Cell, Records, Words
from simulator.fuzz.arena import MemoryBlock, words
from simulator.fuzz.native.layout.context import VOLATILE_SIZE, Fuzz
from simulator.fuzz.native.layout.slot_record import SlotRecord
from simulator.fuzz.native.values import generate_slot, mutate_slot
from simulator.fuzz.records import fill_slot

KINDS = [
    (SlotKind.UINT, 8, UInt(8)),
    (SlotKind.UINT, 256, UInt(256)),
    (SlotKind.INT, 8, Int(8)),
    (SlotKind.INT, 128, Int(128)),
    (SlotKind.INT, 256, Int(256)),
    (SlotKind.BOOL, 1, Bool()),
    (SlotKind.ADDRESS, 160, Address()),
    (SlotKind.FIXED_BYTES, 32, FixedBytes(4)),
    (SlotKind.FIXED_BYTES, 256, FixedBytes(32)),
]


class CheckedArena(MemoryBlock):
    """An arena that the plain twin of the kernel may touch."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        register(self.address, size)

    def __del__(self) -> None:
        unregister(self.address)


class Generator:
    """A fuzz context with a small dictionary, and one call's memory."""

    def __init__(self, seed: int) -> None:
        self.memory = CheckedArena(Fuzz.SIZE)
        self.tables = [CheckedArena(32 * VOLATILE_SIZE) for _ in range(5)]
        self.calldata = CheckedArena(256)
        pools = ([0, 1, 2**255, 2**256 - 1, 0xDEAD], [0xABCD << 240], [0x10000, 0x20000])
        for table, values in zip(self.tables, pools, strict=False):
            table.write(0, words(values))
        numbers, fixed_bytes, addresses, volatile, strangers = (table.address for table in self.tables)
        self.fuzz = Fuzz(self.memory.address)
        self.fuzz.numbers, self.fuzz.number_count = Records[Cell](numbers), 5
        self.fuzz.fixed_bytes, self.fuzz.fixed_bytes_count = Words(fixed_bytes), 1
        self.fuzz.addresses, self.fuzz.address_count = Words(addresses), 2
        self.fuzz.senders, self.fuzz.sender_count = Words(addresses), 2
        self.fuzz.volatile, self.fuzz.strangers = Records[Cell](volatile), Records[Cell](strangers)
        self.fuzz.random = seed
        self.fuzz.dictionary_chance = 400

    def run(self, slot: ArgumentSlot, rounds: int, step) -> Iterator[bytes]:
        record = CheckedArena(64)
        described = SlotRecord(record.address)
        fill_slot(described, slot)
        for _ in range(rounds):
            step(self.fuzz, Bytes(self.calldata.address), described)
            yield self.calldata.read(4 + slot.offset, 32)


@pytest.mark.parametrize(("kind", "bits", "abi_type"), KINDS)
@given(seed=st.integers(1, 2**62))
@settings(max_examples=20)
def test_generated_words_are_canonical_for_their_type(kind, bits, abi_type, seed):
    """A strict decoder accepts every generated and every mutated word."""
    generator, slot = Generator(seed), ArgumentSlot(0, kind, bits, 32)
    for step in (generate_slot, mutate_slot):
        for word in generator.run(slot, 20, step):
            decode((abi_type,), word)


def test_negative_numbers_and_extremes_are_generated():
    """Echidna's weak spot: signed values below zero come without a dictionary entry, and so does a type's maximum."""
    generator = Generator(7)
    seen = {
        decode((Int(16),), word)[0]
        for word in generator.run(ArgumentSlot(0, SlotKind.INT, 16, 32), 3000, generate_slot)
    }
    assert min(seen) < -1000
    assert -1 in seen
    assert max(seen) > 1000


def test_the_same_seed_generates_the_same_values():
    """Nothing but the seed decides."""
    slot = ArgumentSlot(0, SlotKind.UINT, 256, 32)
    assert list(Generator(99).run(slot, 50, generate_slot)) == list(Generator(99).run(slot, 50, generate_slot))


def test_byte_runs_keep_their_length_and_their_neighbours():
    """Mutation of a string writes inside of it only."""
    generator, slot = Generator(5), ArgumentSlot(32, SlotKind.STRING, 8, 5)
    generator.calldata.write(0, b"\xee" * 256)
    for _ in generator.run(slot, 200, generate_slot):
        assert generator.calldata.read(0, 36) == b"\xee" * 36
        assert generator.calldata.read(41, 60) == b"\xee" * 60
