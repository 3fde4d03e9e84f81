"""Root of a Merkle Patricia trie (yellow paper, appendix D), computed from all of its pairs at once."""

from __future__ import annotations

from collections.abc import Mapping

from simulator.evm.kernel.plain.keccak import keccak_bytes
from simulator.rlp import Item, encode

EMPTY_ROOT = keccak_bytes(encode(b""))
Pair = tuple[bytes, bytes]


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
    """Root of the secure trie (keys are hashed) of these encoded values."""
    if not items:
        return EMPTY_ROOT
    pairs = []
    for key, value in items.items():
        hashed = keccak_bytes(key)
        pairs.append((bytes(nibble for byte in hashed for nibble in (byte >> 4, byte & 15)), value))
    return keccak_bytes(encode(_node(sorted(pairs), 0)))
