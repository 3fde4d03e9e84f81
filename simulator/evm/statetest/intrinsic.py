"""Intrinsic costs and validity of a transaction before its first instruction."""

from __future__ import annotations

from simulator.evm.machine import Machine
from simulator.evm.statetest.cases import BlockInput, TransactionInput
from simulator.forks import Fork

GAS_TRANSACTION = 21000
GAS_ZERO_BYTE = 4
GAS_ACCESS_ADDRESS = 2400
GAS_ACCESS_KEY = 1900
GAS_AUTHORIZATION = 25000
GAS_PER_BLOB = 1 << 17
TOKENS_PER_NONZERO_BYTE = 4
BLOB_VERSION = 1
WORD_LIMIT = 1 << 256
NONCE_LIMIT = (1 << 64) - 1
BERLIN, LONDON, CANCUN, PRAGUE, OSAKA = 2, 3, 6, 7, 8
BLOBS_PER_TRANSACTION = 6  # EIP-7594, from Osaka on
DELEGATION_MARK = b"\xef\x01\x00"
DELEGATION_SIZE = 23


def is_delegation(code: bytes) -> bool:
    """Return whether a code is EIP-7702's designation of another account: the mark and an address, nothing else."""
    return len(code) == DELEGATION_SIZE and code.startswith(DELEGATION_MARK)


def intrinsic_gas(fork: Fork, transaction: TransactionInput) -> int:
    """Gas of the transaction as such: calldata, creation, access list, authorizations."""
    zeros = transaction.data.count(0)
    gas = GAS_TRANSACTION + GAS_ZERO_BYTE * zeros + fork.calldata_byte * (len(transaction.data) - zeros)
    if transaction.to is None:
        gas += fork.creation + fork.initcode_word * ((len(transaction.data) + 31) // 32)
    for _, keys in transaction.access_list:
        gas += GAS_ACCESS_ADDRESS + GAS_ACCESS_KEY * len(keys)
    return gas + GAS_AUTHORIZATION * len(transaction.authorizations or ())


def floor_gas(fork: Fork, transaction: TransactionInput) -> int:
    """The least that a transaction pays for its calldata (EIP-7623)."""
    if not fork.calldata_floor:
        return 0
    zeros = transaction.data.count(0)
    tokens = zeros + TOKENS_PER_NONZERO_BYTE * (len(transaction.data) - zeros)
    return GAS_TRANSACTION + fork.calldata_floor * tokens


def blob_base_fee(fork: Fork, block: BlockInput) -> int:
    """Of the excess blob gas that the block has."""
    return fork.blob_fee(block.excess_blob_gas or 0)


def fees(transaction: TransactionInput) -> tuple[int, int]:
    """(most per gas, most to the coinbase per gas)."""
    if transaction.max_fee is not None:
        return transaction.max_fee, transaction.max_priority_fee or 0
    price = transaction.gas_price or 0
    return price, price


def effective_price(transaction: TransactionInput, base_fee: int) -> int:
    """Return the price that the sender pays for one gas (EIP-1559)."""
    most, priority = fees(transaction)
    return min(most, base_fee + priority)


def blob_gas(transaction: TransactionInput) -> int:
    return GAS_PER_BLOB * len(transaction.blob_hashes or ())


def _type_allowed(fork: Fork, transaction: TransactionInput) -> bool:
    if transaction.authorizations is not None:
        return fork.order >= PRAGUE
    if transaction.blob_hashes is not None or transaction.max_blob_fee is not None:
        return fork.order >= CANCUN
    if transaction.max_fee is not None:
        return fork.order >= LONDON
    return not transaction.has_access_list or fork.order >= BERLIN


def _blobs_valid(fork: Fork, block: BlockInput, transaction: TransactionInput) -> bool:
    if transaction.blob_hashes is None and transaction.max_blob_fee is None:
        return True
    hashes = transaction.blob_hashes or ()
    most = min(fork.blob_schedule[1], BLOBS_PER_TRANSACTION) if fork.order >= OSAKA else fork.blob_schedule[1]
    return (
        transaction.to is not None
        and 0 < len(hashes) <= most
        and all(value >> 248 == BLOB_VERSION for value in hashes)
        and (transaction.max_blob_fee or 0) >= blob_base_fee(fork, block)
    )


def _numbers_valid(transaction: TransactionInput) -> bool:
    words = (transaction.value, transaction.gas_price, transaction.max_fee, transaction.max_priority_fee)
    return all((number or 0) < WORD_LIMIT for number in words) and transaction.gas_limit < 1 << 64


def _fees_valid(fork: Fork, base_fee: int, transaction: TransactionInput) -> bool:
    most, priority = fees(transaction)
    if fork.order >= LONDON and most < base_fee:
        return False
    return transaction.max_fee is None or priority <= most


def _sender_valid(machine: Machine, fork: Fork, block: BlockInput, transaction: TransactionInput) -> bool:
    """Nonce, funds, and that the sender is no contract (EIP-3607), delegations aside."""
    nonce = machine.get_nonce(transaction.sender)
    code = machine.get_code(transaction.sender)
    if code and not (fork.delegation and is_delegation(code)):
        return False
    if nonce != transaction.nonce or nonce >= NONCE_LIMIT:
        return False
    most, _ = fees(transaction)
    cost = transaction.gas_limit * most + transaction.value
    cost += blob_gas(transaction) * (transaction.max_blob_fee or 0)
    return machine.get_balance(transaction.sender) >= cost


def is_valid(machine: Machine, fork: Fork, block: BlockInput, transaction: TransactionInput) -> bool:
    """Return whether the transaction may be part of the block."""
    needed = max(intrinsic_gas(fork, transaction), floor_gas(fork, transaction))
    if transaction.to is None and len(transaction.data) > fork.initcode_limit:
        return False
    if fork.transaction_gas_limit and transaction.gas_limit > fork.transaction_gas_limit:
        return False
    if transaction.authorizations is not None and (transaction.to is None or not transaction.authorizations):
        return False
    return (
        _type_allowed(fork, transaction)
        and _numbers_valid(transaction)
        and needed <= transaction.gas_limit <= block.gas_limit
        and _blobs_valid(fork, block, transaction)
        and _fees_valid(fork, machine.context.basefee, transaction)
        and _sender_valid(machine, fork, block, transaction)
    )
