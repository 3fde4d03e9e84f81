"""Transactions as native records, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from simulator.abi.contract import Function
from simulator.abi.slots import ArgumentSlot, SlotKind, find_slots
from simulator.errors import AbiError
from simulator.evm.arenas import read_bytes
from simulator.evm.host_memory import packing, view
from simulator.evm.kernel.records import Records, pointer
from simulator.fuzz.arena import WORD_BYTES, MemoryBlock
from simulator.fuzz.native.layout import slot_record
from simulator.fuzz.native.layout.slot_record import SlotRecord
from simulator.fuzz.native.layout.template_record import TemplateRecord
from simulator.fuzz.native.layout.transaction_record import TransactionRecord
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


@dataclass(frozen=True)
class Template:
    """An encoded call in native memory: `address` of its template record; `arena` keeps it alive."""

    address: int
    arena: MemoryBlock


def fill_slot(record: SlotRecord, slot: ArgumentSlot) -> None:
    """Describe a slot; offsets in records count from the start of the calldata."""
    kind = _KINDS[slot.kind]
    if kind == slot_record.KIND_FIXED_BYTES:
        width = slot.bits // 8
    elif kind == slot_record.KIND_BYTES:
        width = slot.length
    else:
        width = slot.bits
    record.offset = SELECTOR_SIZE + slot.offset
    record.kind = kind
    record.width = width


def make_template(data: bytes, slots: tuple[ArgumentSlot, ...]) -> Template:
    """A template record with its slots and a copy of the calldata."""
    padded = data.ljust(-(-len(data) // WORD_BYTES) * WORD_BYTES + WORD_BYTES, b"\0")
    slots_at = TemplateRecord.SIZE
    data_at = slots_at + SlotRecord.SIZE * len(slots)
    arena = MemoryBlock(data_at + len(padded))
    arena.write(data_at, padded)
    record = view(TemplateRecord, arena.address)
    record.data_size = len(data)
    record.data = arena.address + data_at
    record.slots = view(Records[SlotRecord], arena.address + slots_at)
    record.slot_count = len(slots)
    for index, slot in enumerate(slots):
        fill_slot(record.slots[index], slot)
    return Template(arena.address, arena)


def raw_template(data: bytes) -> Template:
    """A template of calldata of no function: words where it looks like a call of one, else one run of bytes."""
    words, rest = divmod(len(data) - SELECTOR_SIZE, WORD_BYTES)
    if words > 0 and not rest:
        return make_template(
            data, tuple(ArgumentSlot(WORD_BYTES * word, SlotKind.UINT, 256, WORD_BYTES) for word in range(words))
        )
    return make_template(data, (ArgumentSlot(-SELECTOR_SIZE, SlotKind.BYTES, 8, len(data)),))


def template_of_call(function: Function, data: bytes) -> Template | None:
    """The template of existing calldata, None when it is not well-formed for the function."""
    try:
        return make_template(data, find_slots(function.inputs.members, data[SELECTOR_SIZE:]))
    except AbiError:
        return None


_HEAD = packing(
    TransactionRecord,
    ("function", "template", "seconds", "blocks", "data_size", "is_wait", "gas", "sender", "target", "value"),
)
_PADDING = bytes(TransactionRecord.data.offset - _HEAD.size)
_INT64 = (1 << 64) - 1


def pack_transaction(transaction: Transaction, function: int, template: int) -> bytes:
    """A transaction record; `function` and `template` are addresses of records or 0."""
    data = transaction.data
    head = _HEAD.pack(
        function,
        template,
        transaction.seconds & _INT64,
        transaction.blocks & _INT64,
        len(data),
        transaction.is_wait,
        transaction.gas & _INT64,
        _word(transaction.sender),
        _word(transaction.to),
        _word(transaction.value),
    )
    padded = -(-len(data) // WORD_BYTES) * WORD_BYTES + WORD_BYTES
    return head + _PADDING + data.ljust(padded, b"\0")


def _word(number: bytes) -> bytes:
    """A big-endian number as a word in memory."""
    return int.from_bytes(number, "big").to_bytes(WORD_BYTES, "little")


def unpack_transaction(record: TransactionRecord, read: Callable[[int, int], bytes] = read_bytes) -> Transaction:
    """The transaction of a record; `read` gives bytes of its memory by address and size."""
    address = pointer(record)
    head = _HEAD.unpack(read(address, _HEAD.size))
    _, _, seconds, blocks, size, is_wait, gas, sender, target, value = head
    return Transaction(
        sender=_address_bytes(sender),
        to=b"" if is_wait else _address_bytes(target),
        data=read(address + TransactionRecord.data.offset, size),
        value=wei_bytes(int.from_bytes(value, "little")),
        seconds=seconds,
        blocks=blocks,
        gas=gas,
    )


def _address_bytes(word: bytes) -> bytes:
    """The low 20 bytes of a word in memory."""
    return word[19::-1]
