"""0x30 to 0x4a: the frame's, the transaction's and the block's environment, and other accounts."""

# ruff: noqa: F841 - bodies assign to the interpreter's variables

from __future__ import annotations

from simulator.evm.kernel.accesses import append_look
from simulator.evm.kernel.accounts import BLOCK_HASHES, access_cost, address_of, find_account
from simulator.evm.kernel.environment import block_hash, code_hash, code_size, is_forked_block
from simulator.evm.kernel.exits import arena_full
from simulator.evm.kernel.instructions.macros import charge, checked, halt, instruction, macro, save_state
from simulator.evm.kernel.instructions.storage import need_slot
from simulator.evm.kernel.layout import access, account, code, context, slot
from simulator.evm.kernel.memory import copy_to_memory
from simulator.evm.kernel.memory_access import load_i64, load_word, store_word
from simulator.evm.kernel.reads import BLOCK, mark_balance, mark_volatile
from simulator.evm.kernel.status import ARENA_ACCOUNTS, EXIT
from simulator.evm.kernel.storage import find_slot
from simulator.evm.kernel.words import Word, saturate, word


@macro
def need_account(c: int, record: int) -> None:
    """Leave for a larger accounts arena when the account found no room."""
    if record == 0:
        save_state()
        arena_full(c, ARENA_ACCOUNTS)
        halt(EXIT)


@instruction("ENVIRONMENT")
def environment(c: int, argument: int) -> Word:
    """ADDRESS, CALLER and whatever else is one word of the context: the argument is its offset."""
    return load_word(c + argument)


@instruction("BLOCK_ENVIRONMENT")
def block_environment(c: int, argument: int) -> Word:
    """TIMESTAMP, NUMBER and whatever else changes from block to block."""
    mark_volatile(c, BLOCK)
    return load_word(c + argument)


@instruction("BLOCKHASH")
def blockhash(c: int, sp: int) -> None:
    """Hashes of a forked chain's blocks are slots of an account that does not exist."""
    mark_volatile(c, BLOCK)
    if is_forked_block(c, load_word(sp - 32)):
        entry = find_slot(c, BLOCK_HASHES, load_word(sp - 32))
        need_slot(c, entry)
        store_word(sp - 32, load_word(entry + slot.VALUE))
    else:
        store_word(sp - 32, block_hash(c, load_word(sp - 32)))


@instruction("BLOBHASH")
def blobhash(c: int, index: Word) -> Word:
    """EIP-4844."""
    hashed = word(0)
    if index < word(load_i64(c + context.BLOBHASH_COUNT)):
        hashed = load_word(load_i64(c + context.BLOBHASHES) + 32 * saturate(index))
    return hashed


@instruction("SELFBALANCE")
def selfbalance(c: int) -> Word:
    mark_balance(c, load_i64(c + context.ACCOUNT))
    return load_word(load_i64(c + context.ACCOUNT) + account.BALANCE)


@instruction("BALANCE")
def balance(c: int, sp: int, gas: int) -> None:
    record = find_account(c, address_of(load_word(sp - 32)))
    need_account(c, record)
    mark_balance(c, record)
    charge(gas, access_cost(c, record))
    if load_i64(c + context.RECORDING):
        append_look(c, access.BALANCE, record, word(0))
    store_word(sp - 32, load_word(record + account.BALANCE))


@instruction("EXTCODESIZE")
def extcodesize(c: int, sp: int, gas: int) -> None:
    record = find_account(c, address_of(load_word(sp - 32)))
    need_account(c, record)
    charge(gas, access_cost(c, record))
    if load_i64(c + context.RECORDING):
        append_look(c, access.EXTCODESIZE, record, word(0))
    store_word(sp - 32, code_size(record))


@instruction("EXTCODEHASH")
def extcodehash(c: int, sp: int, gas: int) -> None:
    record = find_account(c, address_of(load_word(sp - 32)))
    need_account(c, record)
    charge(gas, access_cost(c, record))
    if load_i64(c + context.RECORDING):
        append_look(c, access.EXTCODEHASH, record, word(0))
    store_word(sp - 32, code_hash(c, record))


@instruction("EXTCODECOPY")
def extcodecopy(c: int, sp: int, gas: int, memory_size: int) -> None:
    record = find_account(c, address_of(load_word(sp - 32)))
    need_account(c, record)
    charge(gas, access_cost(c, record))
    if load_i64(c + context.RECORDING):
        append_look(c, access.EXTCODECOPY, record, word(0))
    save_state()
    other = load_i64(record + account.CODE)
    gas = copy_to_memory(
        c,
        saturate(load_word(sp - 64)),
        load_i64(other + code.BYTES),
        load_i64(other + code.BYTES_SIZE),
        saturate(load_word(sp - 96)),
        saturate(load_word(sp - 128)),
        gas,
    )
    checked(gas)
    memory_size = load_i64(c + context.MEMORY_SIZE)
    sp -= 128
