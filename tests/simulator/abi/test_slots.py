"""Slots: the places of an encoding that may be overwritten."""

from __future__ import annotations

import random

from simulator.abi.codec import decode
from simulator.abi.slots import ArgumentSlot, SlotKind, encode_with_slots
from simulator.abi.types import Tuple, parse_type_text

TYPES = parse_type_text(
    "(uint8,int16,bool,address,bytes4,function,bytes,string,uint256[],(bool,bytes)[2],uint24[2],string[][])"
)
VALUES = (
    200,
    -3,
    True,
    0x10000,
    b"abcd",
    bytes(24),
    b"x" * 40,
    "",
    [7, 8],
    [(True, b"a"), (False, b"")],
    [1, 2],
    [["p", "qq"], []],
)


def test_every_leaf_has_one_slot_in_order() -> None:
    """Words are 32 bytes, runs have the length of their content; array lengths and offsets have no slot."""
    assert isinstance(TYPES, Tuple)
    _, slots = encode_with_slots(TYPES.members, VALUES)
    kinds = [(slot.kind.name, slot.bits, slot.length) for slot in slots]
    assert kinds == [
        ("UINT", 8, 32),
        ("INT", 16, 32),
        ("BOOL", 1, 32),
        ("ADDRESS", 160, 32),
        ("FIXED_BYTES", 32, 32),
        ("FUNCTION", 192, 32),
        ("BYTES", 8, 40),
        ("STRING", 8, 0),
        ("UINT", 256, 32),
        ("UINT", 256, 32),
        ("BOOL", 1, 32),
        ("BYTES", 8, 1),
        ("BOOL", 1, 32),
        ("BYTES", 8, 0),
        ("UINT", 24, 32),
        ("UINT", 24, 32),
        ("STRING", 8, 1),
        ("STRING", 8, 2),
    ]


def test_a_slot_points_at_its_value() -> None:
    """Offsets count from the start of the arguments."""
    data, slots = encode_with_slots((parse_type_text("uint8"), parse_type_text("bytes")), (9, b"hello"))
    assert slots == (ArgumentSlot(0, SlotKind.UINT, 8, 32), ArgumentSlot(96, SlotKind.BYTES, 8, 5))
    assert data[slots[0].offset + 31] == 9
    assert data[96:101] == b"hello"


def fill(slot: ArgumentSlot, rng: random.Random) -> bytes:
    content = rng.randbytes(slot.length)
    match slot.kind:
        case SlotKind.BYTES | SlotKind.STRING:
            return content
        case SlotKind.FIXED_BYTES | SlotKind.FUNCTION:
            return content[: slot.bits // 8].ljust(32, b"\0")
        case SlotKind.INT:
            half = 1 << (slot.bits - 1)
            return rng.randrange(-half, half).to_bytes(32, "big", signed=True)
        case _:
            return rng.getrandbits(slot.bits).to_bytes(32, "big")


def test_overwriting_every_slot_keeps_the_encoding_well_formed() -> None:
    """Any content of the slot's kind and width decodes strictly, with the same structure."""
    assert isinstance(TYPES, Tuple)
    rng = random.Random(1)
    data, slots = encode_with_slots(TYPES.members, VALUES)
    for _ in range(50):
        mutated = bytearray(data)
        for slot in slots:
            mutated[slot.offset : slot.offset + slot.length] = fill(slot, rng)
        decoded = decode(TYPES.members, bytes(mutated))
        assert encode_with_slots(TYPES.members, decoded) == (bytes(mutated), slots)
