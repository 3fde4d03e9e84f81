"""Accounts: records in one arena, found by address; balances, warmth, emptiness."""

from __future__ import annotations

from simulator.evm.kernel.exits import MISSING_ACCOUNT, note_missing
from simulator.evm.kernel.journal import note, note_write
from simulator.evm.kernel.layout import account, context
from simulator.evm.kernel.memory_access import load_i64, load_word, store_i64, store_word
from simulator.evm.kernel.mode import kernel
from simulator.evm.kernel.reads import EVERYTHING, identity_readers, make_dirty, mark_balance, mark_identity
from simulator.evm.kernel.words import Word, hash_word, is_zero, shift_left, shift_right, word

ALWAYS_WARM = 1 << 62  # WARM_EPOCH of precompiles
BLOCK_HASHES = 1 << 41  # storage id of block hashes by number: of a forked chain, or given by cheatcodes
CHAIN_STORAGE = 1 << 40  # storage ids from here on are those of accounts of a forked chain


@kernel
def address_of(value: Word) -> Word:
    """The low 20 bytes, which are what address operands mean."""
    return shift_right(shift_left(value, word(96)), word(96))


@kernel
def add_account(c: int, place: int, address: Word) -> int:
    """A new, empty account record; 0 when there is no room, or when the host must look on a forked chain first."""
    if load_i64(c + context.FORKED):
        return note_missing(c, MISSING_ACCOUNT, 0, address)
    used = load_i64(c + context.ACCOUNTS_USED) + 1
    if used > load_i64(c + context.ACCOUNTS_LIMIT) or used * 2 > load_i64(c + context.ACCOUNT_INDEX_MASK):
        return note_missing(c, MISSING_ACCOUNT, 0, address)
    record = load_i64(c + context.ACCOUNTS) + (used - 1) * account.SIZE
    storage_id = load_i64(c + context.NEXT_STORAGE_ID)
    store_i64(c + context.ACCOUNTS_USED, used)
    store_i64(c + context.NEXT_STORAGE_ID, storage_id + 1)
    for offset in range(0, account.SIZE, 32):
        store_word(record + offset, word(0))
    store_word(record + account.ADDRESS, address)
    store_i64(record + account.CODE, load_i64(c + context.EMPTY_CODE))
    store_i64(record + account.STORAGE_ID, storage_id)
    store_i64(place, record)
    return record


@kernel
def find_account(c: int, address: Word) -> int:
    """The record of an address (20 bytes, see `address_of`), made when it is missing; 0 when there is no room."""
    mask = load_i64(c + context.ACCOUNT_INDEX_MASK)
    start = load_i64(c + context.ACCOUNT_INDEX)
    index = hash_word(address, 0) & mask
    while True:
        place = start + index * 8
        record = load_i64(place)
        if record == 0:
            return add_account(c, place, address)
        if load_word(record + account.ADDRESS) == address:
            return record
        index = (index + 1) & mask


@kernel
def find_created(c: int, creator: int, address: Word) -> int:
    """As `find_account`, for the address of a contract that `creator` makes. What a contract of this machine creates
    cannot stand on a forked chain, so the host is not asked to look there."""
    forked = load_i64(c + context.FORKED)
    if load_i64(creator + account.STORAGE_ID) < CHAIN_STORAGE:
        store_i64(c + context.FORKED, 0)
    record = find_account(c, address)
    store_i64(c + context.FORKED, forked)
    return record


@kernel
def find_account_command(c: int) -> int:
    """Command: the record of the address in KEY, or 0."""
    return find_account(c, load_word(c + context.KEY))


@kernel
def index_accounts_command(c: int) -> int:
    """Command: fill the (zeroed) account index from the account records."""
    mask = load_i64(c + context.ACCOUNT_INDEX_MASK)
    start = load_i64(c + context.ACCOUNT_INDEX)
    for number in range(load_i64(c + context.ACCOUNTS_USED)):
        record = load_i64(c + context.ACCOUNTS) + number * account.SIZE
        index = hash_word(load_word(record + account.ADDRESS), 0) & mask
        while load_i64(start + index * 8) != 0:
            index = (index + 1) & mask
        store_i64(start + index * 8, record)
    return 0


@kernel
def is_cold(c: int, record: int) -> bool:
    return load_i64(record + account.WARM_EPOCH) < load_i64(c + context.EPOCH)


@kernel
def warm_account(c: int, record: int) -> int:
    """Make the account warm for the rest of the transaction (EIP-2929)."""
    if is_cold(c, record):
        mark_identity(c, record)
        note(c, record + account.TRANSACTION_CELL)
        store_i64(record + account.WARM_EPOCH, load_i64(c + context.EPOCH))
    return 0


@kernel
def access_cost(c: int, record: int) -> int:
    """Price of touching an account, which is warm afterwards."""
    if not is_cold(c, record):
        return load_i64(c + context.GAS_WARM_ACCOUNT)
    warm_account(c, record)
    return load_i64(c + context.GAS_COLD_ACCOUNT)


@kernel
def touch_account(c: int, record: int) -> int:
    """Note that the transaction sent a message to the account, which removes it when it is empty (EIP-161)."""
    epoch = load_i64(c + context.EPOCH)
    if load_i64(record + account.TOUCHED_EPOCH) != epoch:
        note(c, record + account.TRANSACTION_CELL)
        store_i64(record + account.TOUCHED_EPOCH, epoch)
        if load_i64(c + context.REMOVES_EMPTY) == 0:
            if load_i64(record + account.PRESENT) == 0:
                make_dirty(c, EVERYTHING)
            store_i64(record + account.PRESENT, 1)
    return 0


@kernel
def is_empty(c: int, record: int) -> bool:
    """No balance, no nonce, no code (EIP-161)."""
    mark_identity(c, record)
    mark_balance(c, record)
    return (
        load_i64(record + account.NONCE) == 0
        and load_i64(record + account.CODE) == load_i64(c + context.EMPTY_CODE)
        and is_zero(load_word(record + account.BALANCE))
    )


@kernel
def set_balance(c: int, record: int, balance: Word) -> int:
    note_write(c, record + account.BALANCE, load_i64(record + account.BALANCE_READERS))
    store_word(record + account.BALANCE, balance)
    return 0


@kernel
def move_value(c: int, source: int, target: int, value: Word) -> int:
    """Move wei that the source is known to have."""
    if not is_zero(value):
        set_balance(c, source, load_word(source + account.BALANCE) - value)
        set_balance(c, target, load_word(target + account.BALANCE) + value)
    return 0


@kernel
def mint_value(c: int, target: int, value: Word) -> int:
    """Fuzz accounting: value appears at the target."""
    if not is_zero(value):
        set_balance(c, target, load_word(target + account.BALANCE) + value)
    return 0


@kernel
def set_nonce(c: int, record: int, nonce: int) -> int:
    note_write(c, record + account.IDENTITY_CELL, identity_readers(record))
    store_i64(record + account.NONCE, nonce)
    return 0


@kernel
def set_code(c: int, record: int, code: int) -> int:
    """Give the account a code record."""
    note_write(c, record + account.IDENTITY_CELL, identity_readers(record))
    store_i64(record + account.CODE, code)
    return 0


@kernel
def clear_account(c: int, record: int) -> int:
    """Remove the account with its storage, as at the end of a transaction that destroyed it."""
    note_write(c, record + account.BALANCE, load_i64(record + account.BALANCE_READERS))
    note_write(c, record + account.IDENTITY_CELL, identity_readers(record))
    note(c, record + account.TRANSACTION_CELL)
    storage_id = load_i64(c + context.NEXT_STORAGE_ID)
    store_i64(c + context.NEXT_STORAGE_ID, storage_id + 1)
    store_word(record + account.BALANCE, word(0))
    store_i64(record + account.NONCE, 0)
    store_i64(record + account.CODE, load_i64(c + context.EMPTY_CODE))
    store_i64(record + account.STORAGE_ID, storage_id)
    store_i64(record + account.PRESENT, 0)
    return 0
