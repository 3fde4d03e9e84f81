"""CREATE and CREATE2: the address, collisions, and the frame that runs the creation code."""

from __future__ import annotations

from simulator.evm.kernel.calls.calls import CREATE2, can_enter, fail_softly, give_up, kept_gas
from simulator.evm.kernel.calls.frames import (
    push_frame,
    set_account,
    set_calldata,
    set_code_position,
)
from simulator.evm.kernel.calls.pranks import enter_prank, find_prank, maker_of, payer_of, use_prank
from simulator.evm.kernel.code.codes import code_for
from simulator.evm.kernel.exits import arena_full, is_traced, request_exit
from simulator.evm.kernel.feedback.reads import ANYTHING, identity_readers, mark_volatile
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import CREATION, Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.layout.frame import Frame
from simulator.evm.kernel.layout.instruction import Instruction
from simulator.evm.kernel.layout.prank import Prank
from simulator.evm.kernel.memory.keccak import keccak
from simulator.evm.kernel.memory.memory import expand, words_of
from simulator.evm.kernel.memory_access import (
    store_u8,
    store_word_be,
)
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.state.accounts import (
    address_of,
    find_created,
    move_value,
    set_nonce,
    touch_account,
    warm_account,
)
from simulator.evm.kernel.state.journal import has_room, note_write
from simulator.evm.kernel.status import (
    ARENA_ACCOUNTS,
    ARENA_JOURNAL,
    EXIT,
    EXIT_TRACE_CALL,
    FRAME_SWITCHED,
    INITCODE_TOO_LARGE,
    RESUME_BLOCK,
    RESUME_INSTRUCTION,
    STATIC_VIOLATION,
)
from simulator.evm.kernel.words import Word, is_zero, saturate, word

GAS_HASH_WORD = 6
ADDRESS_BYTES = 20
NONCE_MAXIMUM = -1  # 2**64 - 1 (EIP-2681)


@kernel
def write_address(target: int, address: Word) -> None:
    """The 20 bytes of an address; the 12 bytes before `target` are overwritten with zeros."""
    store_word_be(target - 12, address)


@kernel
def write_nonce(rlp: int, nonce: int) -> int:
    """The RLP form of a nonce. Returns its size."""
    if nonce == 0:
        store_u8(rlp, 0x80)
        return 1
    if 0 < nonce < 0x80:
        store_u8(rlp, nonce)
        return 1
    size = 8
    while size > 1 and (nonce >> (8 * (size - 1))) & 255 == 0:
        size -= 1
    store_u8(rlp, 0x80 + size)
    for index in range(size):
        store_u8(rlp + 1 + index, nonce >> (8 * (size - 1 - index)))
    return size + 1


@kernel
def create_address(machine: Context, sender: Word, nonce: int) -> Word:
    """keccak(rlp([sender, nonce]))[12:]"""
    rlp = pointer(machine.scratch) + 32
    write_address(rlp + 2, sender)
    store_u8(rlp + 1, 0x80 + ADDRESS_BYTES)
    size = write_nonce(rlp + 2 + ADDRESS_BYTES, nonce)
    store_u8(rlp, 0xC0 + 1 + ADDRESS_BYTES + size)
    return address_of(keccak(rlp, 2 + ADDRESS_BYTES + size))


@kernel
def create2_address(machine: Context, sender: Word, salt: Word, digest: Word) -> Word:
    """keccak(0xff ++ sender ++ salt ++ keccak(creation code))[12:] (EIP-1014)"""
    preimage = pointer(machine.scratch) + 32
    write_address(preimage + 1, sender)
    store_u8(preimage, 0xFF)
    store_word_be(preimage + 1 + ADDRESS_BYTES, salt)
    store_word_be(preimage + 1 + ADDRESS_BYTES + 32, digest)
    return address_of(keccak(preimage, 1 + ADDRESS_BYTES + 64))


@kernel
def has_storage(machine: Context, record: Account) -> bool:
    """Return whether any slot of the account is not zero. Looks through the whole map: only for accounts without
    code and nonce that are not empty otherwise."""
    mark_volatile(machine, ANYTHING)
    owner = record.storage_id
    start = machine.slots
    for index in range(machine.slots_mask + 1):
        entry = start[index]
        if entry.owner == owner and not is_zero(entry.value):
            return True
    return False


@kernel
def collides(machine: Context, record: Account) -> bool:
    """The address is taken: nonce, code or storage (EIP-684, EIP-7610)."""
    if record.nonce != 0 or record.code != machine.empty_code:
        return True
    return record.present and has_storage(machine, record)


@kernel
def begin_creation(machine: Context, record: Frame, created: Account) -> None:
    """Bring the account under creation to life, in the frame that was just pushed or marked."""
    record.created = created
    touch_account(machine, created)
    note_write(machine, created.identity_cell, identity_readers(created))
    created.nonce = 1 if machine.removes_empty else 0
    created.created_epoch = machine.epoch


@kernel
def creation_cost(machine: Context, kind: int, size: int) -> int:
    """Price of the creation code's length: EIP-3860, and hashing for CREATE2."""
    cost = machine.gas_initcode_word
    if kind == CREATE2:
        cost += GAS_HASH_WORD
    return cost * words_of(size)


@kernel
def creation_gas(machine: Context, kind: int, offset: int, size: int) -> int:
    """Memory and length of the creation code. Returns the gas left, or -status."""
    gas = machine.gas
    if size > machine.initcode_limit:
        return -INITCODE_TOO_LARGE
    return expand(machine, offset, size, gas - creation_cost(machine, kind, size))


@kernel
def new_address(machine: Context, kind: int, creator: Account, data: int, size: int, salt: Word) -> Word:
    sender = creator.address
    if kind == CREATE2:
        return create2_address(machine, sender, salt, keccak(data, size))
    return create_address(machine, sender, creator.nonce)


@kernel
def can_create(machine: Context, creator: Account, value: Word) -> bool:
    """Depth, balance and nonce allow a creation."""
    return can_enter(machine, creator, value) and creator.nonce != NONCE_MAXIMUM


@kernel
def enter_creation(
    machine: Context, kind: int, created: Account, code_record: Code, value: Word, gas: int, prank: Prank
) -> int:
    """Push the frame of a creation and start its code. `gas` is what the creating frame has, `prank` a prank record or
    0. Returns FRAME_SWITCHED or EXIT."""
    creator = payer_of(machine, prank)
    kept = kept_gas(machine, gas)
    sp = machine.sp - (4 if kind == CREATE2 else 3)
    machine.ip += Instruction.SIZE
    record = push_frame(machine, kind, created, sp, kept, 0, 0)
    begin_creation(machine, record, created)
    move_value(machine, creator, created, value)
    machine.caller = machine.address
    if prank:
        enter_prank(machine, prank, False)
        machine.caller = maker_of(machine, prank, kind == CREATE2).address
    machine.address = created.address
    machine.callvalue = value
    set_account(machine, created)
    set_calldata(machine, 0, 0)
    set_code_position(machine, code_record)
    machine.gas = gas - kept
    if is_traced(machine):
        return request_exit(machine, EXIT_TRACE_CALL, RESUME_BLOCK)
    return FRAME_SWITCHED


@kernel
def create(machine: Context, kind: int) -> int:
    """CREATE or CREATE2; the frame's state is in the context. Returns FRAME_SWITCHED, EXIT, or the status with which
    the creator fails."""
    if machine.static:
        return STATIC_VIOLATION
    sp = machine.sp
    memory_size = machine.memory_size
    value = sp[-1]
    offset = saturate(sp[-2])
    size = saturate(sp[-3])
    salt = sp[-4] if kind == CREATE2 else word(0)
    result = sp - (4 if kind == CREATE2 else 3)
    if not has_room(machine):
        return arena_full(machine, ARENA_JOURNAL)
    gas = creation_gas(machine, kind, offset, size)
    if gas == -EXIT:
        return give_up(machine, memory_size, machine.exit_detail)
    if gas < 0:
        return -gas
    data = machine.memory + offset
    code_record = code_for(machine, data, size, CREATION, RESUME_INSTRUCTION)
    if not code_record:
        machine.memory_size = memory_size
        return EXIT
    prank = find_prank(machine) if machine.prank_count else Prank(0)
    creator = payer_of(machine, prank)
    if not can_create(machine, creator, value):
        return fail_softly(machine, result, gas)
    maker = maker_of(machine, prank, kind == CREATE2)
    created = find_created(machine, creator, new_address(machine, kind, maker, data, size, salt))
    if not created:
        return give_up(machine, memory_size, ARENA_ACCOUNTS)
    if prank:
        use_prank(machine, prank)
    set_nonce(machine, creator, creator.nonce + 1)
    warm_account(machine, created)
    if collides(machine, created):
        return fail_softly(machine, result, kept_gas(machine, gas))
    return enter_creation(machine, kind, created, code_record, value, gas, prank)
