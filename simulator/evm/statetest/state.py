"""The state root and the logs hash of a machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from simulator.evm.arenas import read_int, read_word
from simulator.evm.kernel.layout import account, code, context
from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.evm.machine import Machine
from simulator.evm.results import Log
from simulator.evm.statetest.rlp import encode
from simulator.evm.statetest.trie import trie_root


def _slots_by_owner(machine: Machine) -> dict[int, dict[bytes, bytes]]:
    slots: dict[int, dict[bytes, bytes]] = defaultdict(dict)
    for owner, key, value in machine.accounts.all_slots():
        slots[owner][key.to_bytes(32, "big")] = encode(value)
    return slots


def _exists(machine: Machine, record: int, keep_empty: bool) -> bool:
    """Whether the account is part of the state: not empty, or empty from before and not touched (EIP-161). Before
    EIP-161, touching an account made it present."""
    nonce = read_int(record + account.NONCE)
    empty_code = read_int(record + account.CODE) == machine.code_store.empty
    if nonce or not empty_code or read_word(record + account.BALANCE):
        return True
    present = read_int(record + account.PRESENT) == 1
    touched = read_int(record + account.TOUCHED_EPOCH) == machine.get(context.EPOCH)
    return present and (keep_empty or not touched)


def state_root(machine: Machine, *, keep_empty: bool = False) -> bytes:
    """Root of the whole state after the last transaction. `keep_empty` is the rule from before EIP-161."""
    slots = _slots_by_owner(machine)
    accounts = {}
    for record in machine.accounts.all_records():
        if not _exists(machine, record, keep_empty):
            continue
        storage = slots.get(read_int(record + account.STORAGE_ID), {})
        digest = read_word(read_int(record + account.CODE) + code.HASH).to_bytes(32, "big")
        nonce = read_int(record + account.NONCE) & 0xFFFFFFFFFFFFFFFF
        address = read_word(record + account.ADDRESS).to_bytes(20, "big")
        accounts[address] = encode([nonce, read_word(record + account.BALANCE), trie_root(storage), digest])
    return trie_root(accounts)


def logs_hash(logs: Iterable[Log]) -> bytes:
    """keccak(rlp(logs)), each as [address, topics, data]."""
    return keccak_bytes(
        encode(
            [
                [log.address.to_bytes(20, "big"), [topic.to_bytes(32, "big") for topic in log.topics], log.data]
                for log in logs
            ]
        )
    )
