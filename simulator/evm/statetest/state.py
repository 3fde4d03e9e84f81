"""The state root and the logs hash of a machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from simulator.evm.kernel.layout.account import Account
from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.evm.machine import Machine
from simulator.evm.results import EmittedLog
from simulator.rlp import Item, encode

EMPTY_ROOT = keccak_bytes(encode(b""))
Pair = tuple[bytes, bytes]


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


def _compact(path: bytes, leaf: bool) -> bytes:
    """Hex-prefix encoding of nibbles."""
    flag = 2 * leaf + len(path) % 2
    nibbles = bytes((flag,)) + path if len(path) % 2 else bytes((flag, 0)) + path
    return bytes(nibbles[index] << 4 | nibbles[index + 1] for index in range(0, len(nibbles), 2))


def _reference(node: Item) -> Item:
    """Return a parent's reference to a node: itself when it is short, else its hash."""
    encoded = encode(node)
    return node if len(encoded) < 32 else keccak_bytes(encoded)


def _common_prefix(first: bytes, last: bytes, start: int) -> int:
    """Number of nibbles from `start` that two keys share; keys in between share them too when the list is sorted."""
    length = start
    while length < len(first) and first[length] == last[length]:
        length += 1
    return length - start


def _node(pairs: list[Pair], depth: int) -> Item:
    """The node for sorted pairs whose keys (nibbles, all of one length) agree in the first `depth` nibbles."""
    if len(pairs) == 1:
        key, value = pairs[0]
        return [_compact(key[depth:], leaf=True), value]
    shared = _common_prefix(pairs[0][0], pairs[-1][0], depth)
    if shared:
        path = pairs[0][0][depth : depth + shared]
        return [_compact(path, leaf=False), _reference(_node(pairs, depth + shared))]
    branch: list[Item] = []
    for nibble in range(16):
        below = [pair for pair in pairs if pair[0][depth] == nibble]
        branch.append(_reference(_node(below, depth + 1)) if below else b"")
    return [*branch, b""]


def trie_root(items: Mapping[bytes, bytes]) -> bytes:
    """Root of the secure Merkle Patricia trie of these encoded values (yellow paper, appendix D): keys are hashed."""
    if not items:
        return EMPTY_ROOT
    pairs = []
    for key, value in items.items():
        hashed = keccak_bytes(key)
        pairs.append((bytes(nibble for byte in hashed for nibble in (byte >> 4, byte & 15)), value))
    return keccak_bytes(encode(_node(sorted(pairs), 0)))
