"""The state root and the logs hash of a machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.evm.machine import Machine
from simulator.evm.results import EmittedLog
from simulator.evm.statetest.trie import trie_root
from simulator.rlp import encode


def _slots_by_owner(machine: Machine) -> dict[int, dict[bytes, bytes]]:
    slots: dict[int, dict[bytes, bytes]] = defaultdict(dict)
    for owner, key, value in machine.accounts.all_slots():
        slots[owner][key.to_bytes(32, "big")] = encode(value)
    return slots


def _exists(machine: Machine, record: Account, keep_empty: bool) -> bool:
    """Return whether the account is part of the state: not empty, or empty from before and not touched (EIP-161).
    Before EIP-161, touching an account made it present."""
    nonce = record.nonce
    empty_code = record.code == machine.code_store.empty
    if nonce or not empty_code or record.balance:
        return True
    present = record.present
    touched = record.touched_epoch == machine.context.epoch
    return present and (keep_empty or not touched)


def state_root(machine: Machine, *, keep_empty: bool = False) -> bytes:
    """Root of the whole state after the last transaction. `keep_empty` is the rule from before EIP-161."""
    slots = _slots_by_owner(machine)
    accounts = {}
    for record in machine.accounts.all_records():
        if not _exists(machine, record, keep_empty):
            continue
        storage = slots.get(record.storage_id, {})
        digest = record.code.hash.to_bytes(32, "big")
        nonce = record.nonce & 0xFFFFFFFFFFFFFFFF
        address = record.address.to_bytes(20, "big")
        accounts[address] = encode([nonce, record.balance, trie_root(storage), digest])
    return trie_root(accounts)


def logs_hash(logs: Iterable[EmittedLog]) -> bytes:
    """keccak(rlp(logs)), each as [address, topics, data]."""
    return keccak_bytes(
        encode(
            [
                [log.address.to_bytes(20, "big"), [topic.to_bytes(32, "big") for topic in log.topics], log.data]
                for log in logs
            ]
        )
    )
