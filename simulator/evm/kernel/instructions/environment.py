"""0x30 to 0x4a: the frame's, the transaction's and the block's environment, and other accounts."""

# ruff: noqa: F841 - bodies assign to the interpreter's variables

from __future__ import annotations

from simulator.evm.kernel.exits import arena_full
from simulator.evm.kernel.feedback.reads import BLOCK, mark_balance, mark_volatile
from simulator.evm.kernel.instructions.macros import charge, checked, halt, instruction, macro, save_state
from simulator.evm.kernel.instructions.storage import need_slot
from simulator.evm.kernel.layout import access
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory.memory import copy_to_memory
from simulator.evm.kernel.records import Cell, Words, pointer
from simulator.evm.kernel.state.accesses import append_look
from simulator.evm.kernel.state.accounts import BLOCK_HASHES, access_cost, address_of, find_account
from simulator.evm.kernel.state.environment import block_hash, code_hash, code_size, is_forked_block
from simulator.evm.kernel.state.storage import find_slot
from simulator.evm.kernel.status import ARENA_ACCOUNTS, EXIT
from simulator.evm.kernel.words import Word, saturate, word


@macro
def need_account(machine: Context, record: Account) -> None:
    """Leave for a larger accounts arena when the account found no room."""
    if not record:
        save_state()
        arena_full(machine, ARENA_ACCOUNTS)
        halt(EXIT)


@instruction("ENVIRONMENT")
def environment(machine: Context, argument: int) -> Word:
    """ADDRESS, CALLER and whatever else is one word of the context: the argument is its offset."""
    return Cell(pointer(machine) + argument).word


@instruction("BLOCK_ENVIRONMENT")
def block_environment(machine: Context, argument: int) -> Word:
    """TIMESTAMP, NUMBER and whatever else changes from block to block."""
    mark_volatile(machine, BLOCK)
    return Cell(pointer(machine) + argument).word


@instruction("BLOCKHASH")
def blockhash(machine: Context, sp: Words) -> None:
    """Hashes of a forked chain's blocks are slots of an account that does not exist."""
    mark_volatile(machine, BLOCK)
    if is_forked_block(machine, sp[-1]):
        entry = find_slot(machine, BLOCK_HASHES, sp[-1])
        need_slot(machine, entry)
        sp[-1] = entry.value
    else:
        sp[-1] = block_hash(machine, sp[-1])


@instruction("BLOBHASH")
def blobhash(machine: Context, index: Word) -> Word:
    """EIP-4844."""
    hashed = word(0)
    if index < word(machine.blobhash_count):
        hashed = machine.blobhashes[saturate(index)]
    return hashed


@instruction("SELFBALANCE")
def selfbalance(machine: Context) -> Word:
    mark_balance(machine, machine.account)
    return machine.account.balance


@instruction("BALANCE")
def balance(machine: Context, sp: Words, gas: int) -> None:
    record = find_account(machine, address_of(sp[-1]))
    need_account(machine, record)
    mark_balance(machine, record)
    charge(gas, access_cost(machine, record))
    if machine.recording:
        append_look(machine, access.BALANCE, record, word(0))
    sp[-1] = record.balance


@instruction("EXTCODESIZE")
def extcodesize(machine: Context, sp: Words, gas: int) -> None:
    record = find_account(machine, address_of(sp[-1]))
    need_account(machine, record)
    charge(gas, access_cost(machine, record))
    if machine.recording:
        append_look(machine, access.EXTCODESIZE, record, word(0))
    sp[-1] = code_size(record)


@instruction("EXTCODEHASH")
def extcodehash(machine: Context, sp: Words, gas: int) -> None:
    record = find_account(machine, address_of(sp[-1]))
    need_account(machine, record)
    charge(gas, access_cost(machine, record))
    if machine.recording:
        append_look(machine, access.EXTCODEHASH, record, word(0))
    sp[-1] = code_hash(machine, record)


@instruction("EXTCODECOPY")
def extcodecopy(machine: Context, sp: Words, gas: int, memory_size: int) -> None:
    record = find_account(machine, address_of(sp[-1]))
    need_account(machine, record)
    charge(gas, access_cost(machine, record))
    if machine.recording:
        append_look(machine, access.EXTCODECOPY, record, word(0))
    save_state()
    other = record.code
    gas = copy_to_memory(
        machine,
        saturate(sp[-2]),
        other.bytes,
        other.bytes_size,
        saturate(sp[-3]),
        saturate(sp[-4]),
        gas,
    )
    checked(gas)
    memory_size = machine.memory_size
    sp -= 4
