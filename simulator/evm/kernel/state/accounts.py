"""Accounts: records in one arena, found by address; balances, warmth, emptiness."""

from __future__ import annotations

from simulator.evm.kernel.exits import MISSING_ACCOUNT, note_missing
from simulator.evm.kernel.feedback.reads import EVERYTHING, identity_readers, make_dirty, mark_balance, mark_identity
from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.layout.code import Code
from simulator.evm.kernel.layout.context import Context
from simulator.evm.kernel.memory_access import zero_memory
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel.state.journal import note, note_write
from simulator.evm.kernel.words import Word, hash_word, is_zero, shift_left, shift_right, word

ALWAYS_WARM = 1 << 62  # `warm_epoch` of precompiles
BLOCK_HASHES = 1 << 41  # storage id of block hashes by number: of a forked chain, or given by cheatcodes
CHAIN_STORAGE = 1 << 40  # storage ids from here on are those of accounts of a forked chain


@kernel
def address_of(value: Word) -> Word:
    """The low 20 bytes, which are what address operands mean."""
    return shift_right(shift_left(value, word(96)), word(96))


@kernel
def add_account(machine: Context, index: int, address: Word) -> Account:
    """A new, empty account record, entered in the index; 0 when there is no room, or when the host must look on a
    forked chain first."""
    if machine.forked:
        return Account(note_missing(machine, MISSING_ACCOUNT, 0, address))
    used = machine.accounts_used + 1
    if used > machine.accounts_limit or used * 2 > machine.account_index_mask:
        return Account(note_missing(machine, MISSING_ACCOUNT, 0, address))
    record = machine.accounts[used - 1]
    storage_id = machine.next_storage_id
    machine.accounts_used = used
    machine.next_storage_id = storage_id + 1
    zero_memory(pointer(record), Account.SIZE)
    record.address = address
    record.code = machine.empty_code
    record.storage_id = storage_id
    machine.account_index[index] = record
    return record


@kernel
def find_account(machine: Context, address: Word) -> Account:
    """The record of an address (20 bytes, see `address_of`), made when it is missing; 0 when there is no room."""
    mask = machine.account_index_mask
    table = machine.account_index
    index = hash_word(address, 0) & mask
    while True:
        record = table[index]
        if not record:
            return add_account(machine, index, address)
        if record.address == address:
            return record
        index = (index + 1) & mask


@kernel
def find_created(machine: Context, creator: Account, address: Word) -> Account:
    """As `find_account`, for the address of a contract that `creator` makes. What a contract of this machine creates
    cannot stand on a forked chain, so the host is not asked to look there."""
    forked = machine.forked
    if creator.storage_id < CHAIN_STORAGE:
        machine.forked = False
    record = find_account(machine, address)
    machine.forked = forked
    return record


@kernel
def find_account_command(machine: Context) -> int:
    """Command: the record of the address in `key`, or 0."""
    return pointer(find_account(machine, machine.key))


@kernel
def index_accounts_command(machine: Context) -> int:
    """Command: fill the (zeroed) account index from the account records."""
    mask = machine.account_index_mask
    table = machine.account_index
    for number in range(machine.accounts_used):
        record = machine.accounts[number]
        index = hash_word(record.address, 0) & mask
        while table[index]:
            index = (index + 1) & mask
        table[index] = record
    return 0


@kernel
def is_cold(machine: Context, record: Account) -> bool:
    return record.warm_epoch < machine.epoch


@kernel
def warm_account(machine: Context, record: Account) -> None:
    """Make the account warm for the rest of the transaction (EIP-2929)."""
    if is_cold(machine, record):
        mark_identity(machine, record)
        note(machine, record.transaction_cell)
        record.warm_epoch = machine.epoch


@kernel
def access_cost(machine: Context, record: Account) -> int:
    """Price of touching an account, which is warm afterwards."""
    if not is_cold(machine, record):
        return machine.gas_warm_account
    warm_account(machine, record)
    return machine.gas_cold_account


@kernel
def touch_account(machine: Context, record: Account) -> None:
    """Note that the transaction sent a message to the account, which removes it when it is empty (EIP-161)."""
    epoch = machine.epoch
    if record.touched_epoch != epoch:
        note(machine, record.transaction_cell)
        record.touched_epoch = epoch
        if not machine.removes_empty:
            if not record.present:
                make_dirty(machine, EVERYTHING)
            record.present = True


@kernel
def is_empty(machine: Context, record: Account) -> bool:
    """No balance, no nonce, no code (EIP-161)."""
    mark_identity(machine, record)
    mark_balance(machine, record)
    return record.nonce == 0 and record.code == machine.empty_code and is_zero(record.balance)


@kernel
def set_balance(machine: Context, record: Account, balance: Word) -> None:
    note_write(machine, record.balance_cell, record.balance_readers)
    record.balance = balance


@kernel
def move_value(machine: Context, source: Account, target: Account, value: Word) -> None:
    """Move wei that the source is known to have."""
    if not is_zero(value):
        set_balance(machine, source, source.balance - value)
        set_balance(machine, target, target.balance + value)


@kernel
def mint_value(machine: Context, target: Account, value: Word) -> None:
    """Fuzz accounting: value appears at the target."""
    if not is_zero(value):
        set_balance(machine, target, target.balance + value)


@kernel
def set_nonce(machine: Context, record: Account, nonce: int) -> None:
    note_write(machine, record.identity_cell, identity_readers(record))
    record.nonce = nonce


@kernel
def set_code(machine: Context, record: Account, code: Code) -> None:
    """Give the account a code record."""
    note_write(machine, record.identity_cell, identity_readers(record))
    record.code = code


@kernel
def clear_account(machine: Context, record: Account) -> None:
    """Remove the account with its storage, as at the end of a transaction that destroyed it."""
    note_write(machine, record.balance_cell, record.balance_readers)
    note_write(machine, record.identity_cell, identity_readers(record))
    note(machine, record.transaction_cell)
    storage_id = machine.next_storage_id
    machine.next_storage_id = storage_id + 1
    record.balance = word(0)
    record.nonce = 0
    record.code = machine.empty_code
    record.storage_id = storage_id
    record.present = False
