"""CREATE and CREATE2: the address, collisions, and the frame that runs the creation code."""

from __future__ import annotations

from simulator.evm.kernel.accounts import address_of, find_created, move_value, set_nonce, touch_account, warm_account
from simulator.evm.kernel.calls import CREATE2, can_enter, fail_softly, give_up, kept_gas
from simulator.evm.kernel.codes import code_for
from simulator.evm.kernel.exits import arena_full, is_traced, request_exit
from simulator.evm.kernel.frames import (
    push_frame,
    set_account,
    set_calldata,
    set_code_position,
)
from simulator.evm.kernel.journal import has_room, note_write
from simulator.evm.kernel.keccak import keccak
from simulator.evm.kernel.layout import account, code, context, frame, instruction, slot
from simulator.evm.kernel.memory import expand, words_of
from simulator.evm.kernel.memory_access import (
    load_i64,
    load_word,
    store_i64,
    store_u8,
    store_word,
    store_word_be,
)
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.pranks import enter_prank, find_prank, payer_of, use_prank
from simulator.evm.kernel.reads import ANYTHING, identity_readers, mark_volatile
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
def write_address(target: int, address: Word) -> int:
    """The 20 bytes of an address; the 12 bytes before `target` are overwritten with zeros."""
    store_word_be(target - 12, address)
    return 0


@kernel
def write_nonce(target: int, nonce: int) -> int:
    """The RLP form of a nonce. Returns its size."""
    if nonce == 0:
        store_u8(target, 0x80)
        return 1
    if 0 < nonce < 0x80:
        store_u8(target, nonce)
        return 1
    size = 8
    while size > 1 and (nonce >> (8 * (size - 1))) & 255 == 0:
        size -= 1
    store_u8(target, 0x80 + size)
    for index in range(size):
        store_u8(target + 1 + index, nonce >> (8 * (size - 1 - index)))
    return size + 1


@kernel
def create_address(c: int, sender: Word, nonce: int) -> Word:
    """keccak(rlp([sender, nonce]))[12:]"""
    start = c + context.SCRATCH + 32
    write_address(start + 2, sender)
    store_u8(start + 1, 0x80 + ADDRESS_BYTES)
    size = write_nonce(start + 2 + ADDRESS_BYTES, nonce)
    store_u8(start, 0xC0 + 1 + ADDRESS_BYTES + size)
    return address_of(keccak(start, 2 + ADDRESS_BYTES + size))


@kernel
def create2_address(c: int, sender: Word, salt: Word, digest: Word) -> Word:
    """keccak(0xff ++ sender ++ salt ++ keccak(creation code))[12:] (EIP-1014)"""
    start = c + context.SCRATCH + 32
    write_address(start + 1, sender)
    store_u8(start, 0xFF)
    store_word_be(start + 1 + ADDRESS_BYTES, salt)
    store_word_be(start + 1 + ADDRESS_BYTES + 32, digest)
    return address_of(keccak(start, 1 + ADDRESS_BYTES + 64))


@kernel
def has_storage(c: int, record: int) -> bool:
    """Whether any slot of the account is not zero. Looks through the whole map: only for accounts without code and
    nonce that are not empty otherwise."""
    mark_volatile(c, ANYTHING)
    owner = load_i64(record + account.STORAGE_ID)
    start = load_i64(c + context.SLOTS)
    for index in range(load_i64(c + context.SLOTS_MASK) + 1):
        entry = start + index * slot.SIZE
        if load_i64(entry + slot.OWNER) == owner and not is_zero(load_word(entry + slot.VALUE)):
            return True
    return False


@kernel
def collides(c: int, record: int) -> bool:
    """The address is taken: nonce, code or storage (EIP-684, EIP-7610)."""
    if load_i64(record + account.NONCE) != 0 or load_i64(record + account.CODE) != load_i64(c + context.EMPTY_CODE):
        return True
    return load_i64(record + account.PRESENT) != 0 and has_storage(c, record)


@kernel
def begin_creation(c: int, record: int, created: int) -> int:
    """Bring the account under creation to life, in the frame that was just pushed or marked."""
    store_i64(record + frame.CREATED, created)
    touch_account(c, created)
    note_write(c, created + account.IDENTITY_CELL, identity_readers(created))
    store_i64(created + account.NONCE, load_i64(c + context.REMOVES_EMPTY))
    store_i64(created + account.CREATED_EPOCH, load_i64(c + context.EPOCH))
    return 0


@kernel
def creation_cost(c: int, kind: int, size: int) -> int:
    """Price of the creation code's length: EIP-3860, and hashing for CREATE2."""
    cost = load_i64(c + context.GAS_INITCODE_WORD)
    if kind == CREATE2:
        cost += GAS_HASH_WORD
    return cost * words_of(size)


@kernel
def creation_gas(c: int, kind: int, offset: int, size: int) -> int:
    """Memory and length of the creation code. Returns the gas left, or -status."""
    gas = load_i64(c + context.GAS)
    if size > load_i64(c + context.INITCODE_LIMIT):
        return -INITCODE_TOO_LARGE
    return expand(c, offset, size, gas - creation_cost(c, kind, size))


@kernel
def new_address(c: int, kind: int, creator: int, data: int, size: int, salt: Word) -> Word:
    sender = load_word(creator + account.ADDRESS)
    if kind == CREATE2:
        return create2_address(c, sender, salt, keccak(data, size))
    return create_address(c, sender, load_i64(creator + account.NONCE))


@kernel
def can_create(c: int, creator: int, value: Word) -> bool:
    """Depth, balance and nonce allow a creation."""
    return can_enter(c, creator, value) and load_i64(creator + account.NONCE) != NONCE_MAXIMUM


@kernel
def enter_creation(c: int, kind: int, created: int, code_record: int, value: Word, gas: int, prank: int) -> int:
    """Push the frame of a creation and start its code. `gas` is what the creating frame has, `prank` a prank record or
    0. Returns FRAME_SWITCHED or EXIT."""
    creator = payer_of(c, prank)
    kept = kept_gas(c, gas)
    sp = load_i64(c + context.SP) - (128 if kind == CREATE2 else 96)
    store_i64(c + context.IP, load_i64(c + context.IP) + instruction.SIZE)
    record = push_frame(c, kind, created, sp, kept, 0, 0)
    begin_creation(c, record, created)
    move_value(c, creator, created, value)
    store_word(c + context.CALLER, load_word(c + context.ADDRESS))
    if prank:
        enter_prank(c, prank, False)
    store_word(c + context.ADDRESS, load_word(created + account.ADDRESS))
    store_word(c + context.CALLVALUE, value)
    set_account(c, created)
    set_calldata(c, 0, 0)
    set_code_position(c, code_record)
    store_i64(c + context.GAS, gas - kept)
    if is_traced(c):
        return request_exit(c, EXIT_TRACE_CALL, RESUME_BLOCK)
    return FRAME_SWITCHED


@kernel
def create(c: int, kind: int) -> int:
    """CREATE or CREATE2; the frame's state is in the context. Returns FRAME_SWITCHED, EXIT, or the status with which
    the creator fails."""
    if load_i64(c + context.STATIC):
        return STATIC_VIOLATION
    sp = load_i64(c + context.SP)
    memory_size = load_i64(c + context.MEMORY_SIZE)
    value = load_word(sp - 32)
    offset = saturate(load_word(sp - 64))
    size = saturate(load_word(sp - 96))
    salt = load_word(sp - 128) if kind == CREATE2 else word(0)
    result = sp - (128 if kind == CREATE2 else 96)
    if not has_room(c):
        return arena_full(c, ARENA_JOURNAL)
    gas = creation_gas(c, kind, offset, size)
    if gas == -EXIT:
        return give_up(c, memory_size, load_i64(c + context.EXIT_DETAIL))
    if gas < 0:
        return -gas
    data = load_i64(c + context.MEMORY) + offset
    code_record = code_for(c, data, size, code.CREATION, RESUME_INSTRUCTION)
    if code_record == 0:
        store_i64(c + context.MEMORY_SIZE, memory_size)
        return EXIT
    prank = find_prank(c) if load_i64(c + context.PRANK_COUNT) else 0
    creator = payer_of(c, prank)
    if not can_create(c, creator, value):
        return fail_softly(c, result, gas)
    created = find_created(c, creator, new_address(c, kind, creator, data, size, salt))
    if created == 0:
        return give_up(c, memory_size, ARENA_ACCOUNTS)
    if prank:
        use_prank(c, prank)
    set_nonce(c, creator, load_i64(creator + account.NONCE) + 1)
    warm_account(c, created)
    if collides(c, created):
        return fail_softly(c, result, kept_gas(c, gas))
    return enter_creation(c, kind, created, code_record, value, gas, prank)
