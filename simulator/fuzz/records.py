"""Transactions as native records, and back."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from simulator.abi.contract import Function
from simulator.abi.slots import Slot, SlotKind, find_slots
from simulator.errors import AbiError
from simulator.evm.arenas import read_bytes
from simulator.fuzz.arena import WORD_BYTES, Arena, integers
from simulator.fuzz.native.layout import slot_record, template_record, transaction_record
from simulator.transaction import SELECTOR_SIZE, Transaction, wei_bytes

_KINDS = {
    SlotKind.UINT: slot_record.KIND_UINT,
    SlotKind.INT: slot_record.KIND_INT,
    SlotKind.BOOL: slot_record.KIND_BOOL,
    SlotKind.ADDRESS: slot_record.KIND_ADDRESS,
    SlotKind.FIXED_BYTES: slot_record.KIND_FIXED_BYTES,
    SlotKind.FUNCTION: slot_record.KIND_FUNCTION,
    SlotKind.BYTES: slot_record.KIND_BYTES,
    SlotKind.STRING: slot_record.KIND_BYTES,
}
_INTEGERS = struct.Struct("<7q")


@dataclass(frozen=True)
class Template:
    """An encoded call in native memory: `address` of its template record; `arena` keeps it alive."""

    address: int
    arena: Arena


def pack_slot(slot: Slot) -> bytes:
    """A slot record; offsets in records count from the start of the calldata."""
    kind = _KINDS[slot.kind]
    if kind == slot_record.KIND_FIXED_BYTES:
        width = slot.bits // 8
    elif kind == slot_record.KIND_BYTES:
        width = slot.length
    else:
        width = slot.bits
    return integers([SELECTOR_SIZE + slot.offset, kind, width]).ljust(slot_record.SIZE, b"\0")


def make_template(data: bytes, slots: tuple[Slot, ...]) -> Template:
    """A template record with its slots and a copy of the calldata."""
    padded = data.ljust(-(-len(data) // WORD_BYTES) * WORD_BYTES + WORD_BYTES, b"\0")
    slots_at = template_record.SIZE
    data_at = slots_at + slot_record.SIZE * len(slots)
    arena = Arena(data_at + len(padded))
    for index, slot in enumerate(slots):
        arena.write(slots_at + slot_record.SIZE * index, pack_slot(slot))
    arena.write(data_at, padded)
    arena.set_int(template_record.DATA_SIZE, len(data))
    arena.set_int(template_record.DATA, arena.address + data_at)
    arena.set_int(template_record.SLOTS, arena.address + slots_at)
    arena.set_int(template_record.SLOT_COUNT, len(slots))
    return Template(arena.address, arena)


def raw_template(data: bytes) -> Template:
    """A template of calldata of no function: words where it looks like a call of one, else one run of bytes."""
    words, rest = divmod(len(data) - SELECTOR_SIZE, WORD_BYTES)
    if words > 0 and not rest:
        return make_template(
            data, tuple(Slot(WORD_BYTES * word, SlotKind.UINT, 256, WORD_BYTES) for word in range(words))
        )
    return make_template(data, (Slot(-SELECTOR_SIZE, SlotKind.BYTES, 8, len(data)),))


def template_of_call(function: Function, data: bytes) -> Template | None:
    """The template of existing calldata, None when it is not well-formed for the function."""
    try:
        return make_template(data, find_slots(function.inputs.members, data[SELECTOR_SIZE:]))
    except AbiError:
        return None


def pack_transaction(transaction: Transaction, function: int, template: int) -> bytes:
    """A transaction record; `function` and `template` are addresses of records or 0."""
    head = _INTEGERS.pack(
        function,
        template,
        transaction.seconds,
        transaction.blocks,
        len(transaction.data),
        int(transaction.is_wait),
        transaction.gas,
    )
    words = b"".join(
        part[::-1].ljust(WORD_BYTES, b"\0") for part in (transaction.sender, transaction.to, transaction.value)
    )
    body = transaction.data.ljust(-(-len(transaction.data) // WORD_BYTES) * WORD_BYTES + WORD_BYTES, b"\0")
    return head.ljust(transaction_record.SENDER, b"\0") + words + body


def unpack_transaction(address: int, read: Callable[[int, int], bytes] = read_bytes) -> Transaction:
    """The transaction of the record at `address`; `read` gives bytes by address and size."""
    head = read(address, transaction_record.DATA)
    _, _, seconds, blocks, size, is_wait, gas = _INTEGERS.unpack_from(head)
    sender, target, value = (
        head[offset : offset + WORD_BYTES][::-1]
        for offset in (transaction_record.SENDER, transaction_record.TARGET, transaction_record.VALUE)
    )
    return Transaction(
        sender=sender[12:],
        to=b"" if is_wait else target[12:],
        data=read(address + transaction_record.DATA, size),
        value=wei_bytes(int.from_bytes(value, "big")),
        seconds=seconds,
        blocks=blocks,
        gas=gas,
    )
