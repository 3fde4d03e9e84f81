"""Executes a whole transaction as a block would: fees, nonce, access list, refund, coinbase."""

from __future__ import annotations

import coincurve

from simulator.evm.addresses import contract_address
from simulator.evm.host_memory import as_word
from simulator.evm.kernel import commands
from simulator.evm.kernel import status as statuses
from simulator.evm.kernel.calls import calls
from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.evm.machine import Machine
from simulator.evm.statetest.cases import Authorization, BlockInput, TransactionInput
from simulator.evm.statetest.intrinsic import (
    DELEGATION_MARK,
    blob_base_fee,
    blob_gas,
    effective_price,
    floor_gas,
    intrinsic_gas,
    is_delegation,
    is_valid,
)
from simulator.forks import Fork
from simulator.precompiles.ecrecover import GROUP_ORDER
from simulator.rlp import encode

REFUND_EXISTING_AUTHORITY = 12500
AUTHORIZATION_MAGIC = b"\x05"


def execute(machine: Machine, fork: Fork, block: BlockInput, transaction: TransactionInput) -> bool:
    """Run the transaction on the machine's state. False, with nothing changed, when it is not valid."""
    if not is_valid(machine, fork, block, transaction):
        return False
    base_fee = machine.context.basefee
    price = effective_price(transaction, base_fee)
    sender = transaction.sender
    blob_fee = blob_gas(transaction) * blob_base_fee(fork, block)
    machine.set_balance(sender, machine.get_balance(sender) - transaction.gas_limit * price - blob_fee)
    machine.set_nonce(sender, transaction.nonce + 1)
    refund = sum(_authorize(machine, entry) for entry in transaction.authorizations or ())
    _prepare(machine, fork, transaction, price)
    while machine.native(commands.BEGIN_TRANSACTION) == statuses.EXIT:
        machine.host.serve()
    _warm(machine, fork, transaction)
    final = machine.run()
    refund += machine.context.refund if final <= statuses.RETURN else 0
    used = transaction.gas_limit - machine.context.gas
    used -= min(refund, used // fork.refund_quotient)
    used = max(used, floor_gas(fork, transaction))
    machine.set_balance(sender, machine.get_balance(sender) + (transaction.gas_limit - used) * price)
    tip = price - base_fee if fork.base_fee else price
    machine.set_balance(block.coinbase, machine.get_balance(block.coinbase) + used * tip)
    machine.native(commands.FINISH_TRANSACTION)
    return True


def touch(machine: Machine, fork: Fork, address: int) -> None:
    """Let an empty account vanish at the end of the transaction (EIP-161), or, before that, be there from then on."""
    record = machine.accounts.record(address)
    record.touched_epoch = machine.context.epoch
    if not fork.removes_empty:
        record.present = True


def _prepare(machine: Machine, fork: Fork, transaction: TransactionInput, price: int) -> None:
    to = transaction.to
    target = contract_address(transaction.sender, transaction.nonce) if to is None else to
    machine.context.tx_sender = as_word(transaction.sender)
    machine.context.tx_value = as_word(transaction.value)
    machine.context.gasprice = as_word(price)
    machine.context.tx_kind = calls.CREATE if to is None else calls.CALL
    machine.context.tx_to = machine.accounts.record(target)
    machine.context.tx_data = machine.place_calldata(transaction.data)
    machine.context.tx_data_size = len(transaction.data)
    machine.context.tx_gas = transaction.gas_limit - intrinsic_gas(fork, transaction)
    machine.context.tx_mint = False
    machine.context.tracing = machine.tracer is not None
    hashes = transaction.blob_hashes or ()
    machine.context.blobhash_count = len(hashes)
    for index, value in enumerate(hashes):
        machine.context.blobhashes[index] = as_word(value)


def _warm(machine: Machine, fork: Fork, transaction: TransactionInput) -> None:
    """Make the access list warm, in the epoch that has just begun (EIP-2930), and the target's delegate (EIP-7702)."""
    epoch = machine.context.epoch
    for address, keys in transaction.access_list:
        record = machine.accounts.record(address)
        if record.warm_epoch < epoch:
            record.warm_epoch = epoch
        for key in keys:
            machine.accounts.slot_entry(record, key).warm_epoch = epoch
    for entry in transaction.authorizations or ():
        signer = _signer(entry)
        if signer is not None and _considered(machine, entry):
            _warm_account(machine, signer)
    if fork.delegation and transaction.to is not None:
        own = machine.accounts.record(transaction.to).code
        if own.delegate:
            data = machine.code_store.data_of(own)
            _warm_account(machine, int.from_bytes(data[3:], "big"))


def _warm_account(machine: Machine, address: int) -> None:
    record = machine.accounts.record(address)
    epoch = machine.context.epoch
    if record.warm_epoch < epoch:
        record.warm_epoch = epoch


def _considered(machine: Machine, entry: Authorization) -> bool:
    chain = machine.context.chainid
    return entry.chain_id in (0, chain) and entry.nonce < (1 << 64) - 1


def _signer(entry: Authorization) -> int | None:
    """Return the signer of an authorization, or None."""
    if entry.y_parity > 1 or not 0 < entry.r < GROUP_ORDER or not 0 < entry.s <= GROUP_ORDER // 2:
        return None
    message = AUTHORIZATION_MAGIC + encode([entry.chain_id, entry.address.to_bytes(20, "big"), entry.nonce])
    signature = entry.r.to_bytes(32, "big") + entry.s.to_bytes(32, "big") + bytes((entry.y_parity,))
    try:
        key = coincurve.PublicKey.from_signature_and_message(signature, keccak_bytes(message), hasher=None)
    except ValueError:
        return None
    return int.from_bytes(keccak_bytes(key.format(compressed=False)[1:])[12:], "big")


def _authorize(machine: Machine, entry: Authorization) -> int:
    """Apply one authorization (EIP-7702). Returns what it adds to the refund."""
    if not _considered(machine, entry):
        return 0
    signer = _signer(entry)
    if signer is None:
        return 0
    present = machine.get_code(signer)
    if present and not is_delegation(present):
        return 0
    if machine.get_nonce(signer) != entry.nonce:
        return 0
    exists = bool(present or machine.get_nonce(signer) or machine.get_balance(signer))
    delegation = DELEGATION_MARK + entry.address.to_bytes(20, "big") if entry.address else b""
    machine.set_code(signer, delegation)
    machine.set_nonce(signer, entry.nonce + 1)
    return REFUND_EXISTING_AUTHORITY if exists else 0
