"""The places of a call that hold a number which the caller chooses: argument words, value, delay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

from simulator.abi.contract import Function
from simulator.abi.slots import ArgumentSlot, SlotKind, find_slots
from simulator.errors import AbiError
from simulator.fuzz.comparisons.lengths import LengthPlace, lengths_of
from simulator.settings import CampaignSettings
from simulator.transaction import SELECTOR_SIZE, WORD_MAX, Transaction, wei_bytes

WORD_BITS = 256
MAX_WORDS = 16
MAX_BYTES = 32
MAX_CHUNKS = 4
_WORD_KINDS = (SlotKind.UINT, SlotKind.INT, SlotKind.ADDRESS, SlotKind.FIXED_BYTES)


@dataclass(frozen=True)
class ArgumentPlace:
    """One number of a call. `step` is the smallest change (more than 1 for left-aligned bytes); values run from 0 to
    `limit`, for signed words in two's complement of `bits` bits, sign-extended."""

    kind: Literal["word", "byte", "value", "seconds", "blocks"]
    offset: int = 0
    step: int = 1
    limit: int = WORD_MAX
    signed_bits: int = 0

    def get(self, transaction: Transaction) -> int:
        match self.kind:
            case "word":
                return int.from_bytes(transaction.data[self.offset : self.offset + 32], "big")
            case "byte":
                return transaction.data[self.offset]
            case "value":
                return transaction.wei
            case "seconds":
                return transaction.seconds
            case "blocks":
                return transaction.blocks

    def put(self, transaction: Transaction, number: int) -> Transaction | None:
        """The call with another number there, None when the number is out of range."""
        if not self._fits(number):
            return None
        match self.kind:
            case "word":
                head, tail = transaction.data[: self.offset], transaction.data[self.offset + 32 :]
                return msgspec.structs.replace(transaction, data=head + number.to_bytes(32, "big") + tail)
            case "byte":
                head, tail = transaction.data[: self.offset], transaction.data[self.offset + 1 :]
                return msgspec.structs.replace(transaction, data=head + bytes((number,)) + tail)
            case "value":
                return msgspec.structs.replace(transaction, value=wei_bytes(number))
            case "seconds":
                return msgspec.structs.replace(transaction, seconds=number)
            case "blocks":
                return msgspec.structs.replace(transaction, blocks=number)

    def _fits(self, number: int) -> bool:
        if self.signed_bits:
            value = number - (1 << WORD_BITS) if number >> (WORD_BITS - 1) else number
            return -(1 << (self.signed_bits - 1)) <= value < 1 << (self.signed_bits - 1)
        return 0 <= number <= self.limit and number % self.step == 0


def places_of(
    transaction: Transaction, function: Function, settings: CampaignSettings
) -> list[ArgumentPlace | LengthPlace]:
    """Every place of a call to `function`; arguments only when the calldata is well-formed."""
    try:
        slots = find_slots(function.inputs.members, transaction.data[SELECTOR_SIZE:])
    except AbiError:
        slots = ()
    places = [_place(slot) for slot in slots if slot.kind in _WORD_KINDS]
    if function.payable:
        places.append(ArgumentPlace("value", limit=int.from_bytes(settings.max_value, "big")))
    places.append(ArgumentPlace("seconds", limit=settings.max_time_delay))
    places.append(ArgumentPlace("blocks", limit=settings.max_block_delay))
    return [*places[:MAX_WORDS], *lengths_of(transaction, function), *_chunks_of(slots), *_bytes_of(slots)]


def _chunks_of(slots: tuple[ArgumentSlot, ...]) -> list[ArgumentPlace]:
    """The words of byte strings, the last one as far as it is filled."""
    return [
        _left_aligned(SELECTOR_SIZE + slot.offset + start, 8 * min(WORD_BITS // 8, slot.length - start))
        for slot in slots
        if slot.kind in (SlotKind.BYTES, SlotKind.STRING)
        for start in range(0, slot.length, WORD_BITS // 8)
    ][:MAX_CHUNKS]


def _bytes_of(slots: tuple[ArgumentSlot, ...]) -> list[ArgumentPlace]:
    """The bytes of byte strings and of words that are such, each a place of its own."""
    return [
        ArgumentPlace("byte", SELECTOR_SIZE + slot.offset + index, limit=0xFF)
        for slot in slots
        if slot.kind in (SlotKind.BYTES, SlotKind.STRING, SlotKind.FIXED_BYTES)
        for index in range(slot.bits // 8 if slot.kind is SlotKind.FIXED_BYTES else slot.length)
    ][:MAX_BYTES]


def _place(slot: ArgumentSlot) -> ArgumentPlace:
    offset = SELECTOR_SIZE + slot.offset
    if slot.kind is SlotKind.INT:
        return ArgumentPlace("word", offset, signed_bits=slot.bits)
    if slot.kind is SlotKind.FIXED_BYTES:
        return _left_aligned(offset, slot.bits)
    return ArgumentPlace("word", offset, limit=(1 << slot.bits) - 1)


def _left_aligned(offset: int, bits: int) -> ArgumentPlace:
    step = 1 << (WORD_BITS - bits)
    return ArgumentPlace("word", offset, step=step, limit=WORD_MAX - step + 1)
