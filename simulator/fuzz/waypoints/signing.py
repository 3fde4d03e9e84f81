"""Signatures: where a call hands one to `ecrecover`, it is replaced by one of a known key over what is asked for.

The call is traced with patterns in place of what may be a signature: `r` and `s` as neighbouring `bytes32` arguments
with `v` beside them, or 65 bytes in one. Where a pattern arrives at the precompile, its digest is signed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from simulator.abi.contract import Function
from simulator.abi.slots import ArgumentSlot, SlotKind, find_slots
from simulator.errors import AbiError
from simulator.evm.tracer import CallNode
from simulator.fuzz.checking.replay import Replayer
from simulator.fuzz.comparisons.lengths import lengths_of
from simulator.fuzz.loop.engine import FuzzEngine
from simulator.fuzz.waypoints.known_keys import KnownKeys, signed
from simulator.transaction import SELECTOR_SIZE, Sequence, Transaction

MAX_TRACED, IN_VAIN = 64, 24
"""Traces of the calls of one function; so many of them without `ecrecover` end it."""
MAX_KEYS = 4
_RECOVER = 1
_R, _S = (bytes([fill]) * 32 for fill in (0x21, 0x12))
_WORD, _BLOB = 32, 65


@dataclass(frozen=True)
class SignaturePlace:
    """Offsets in the calldata of `r` and `s`, and of the byte of `v`, -1 where there is none."""

    r: int
    s: int
    v: int

    def put(self, call: Transaction, v: int, r: bytes, s: bytes) -> Transaction:
        data = bytearray(call.data)
        data[self.r : self.r + _WORD] = r
        data[self.s : self.s + _WORD] = s
        if self.v >= 0:
            data[self.v] = v
        return msgspec.structs.replace(call, data=bytes(data))


class Signer:
    """Proposes sequences whose last call is signed. What it tries is bounded for each function."""

    def __init__(self, engine: FuzzEngine, replayer: Replayer) -> None:
        self._engine = engine
        self._replayer = replayer
        self._keys = KnownKeys(engine.dictionary)
        self._traced: Counter[tuple[bytes, bytes]] = Counter()
        self._met: set[tuple[bytes, bytes]] = set()

    def may_sign(self, call: Transaction) -> bool:
        """Return whether a call has room for a signature, as far as is known."""
        target = self._engine.target_of(call)
        return target is not None and self._has_tries(call) and any(_patterned(call, target.function))

    def _has_tries(self, call: Transaction) -> bool:
        name = _name(call)
        return self._traced[name] < (MAX_TRACED if name in self._met else IN_VAIN)

    def variants(self, sequence: Sequence) -> Iterator[Sequence]:
        """The sequence with signatures of known keys in its last call; none where it recovers no signer."""
        call = sequence[-1]
        target = self._engine.target_of(call)
        if target is None:
            return
        for place, patterned in _patterned(call, target.function):
            if not self._has_tries(call):
                return
            self._traced[_name(call)] += 1
            digest = self._digest((*sequence[:-1], patterned))
            if digest is not None:
                self._met.add(_name(call))
                yield from self._signed(sequence[:-1], patterned, place, digest)

    def _signed(self, before: Sequence, call: Transaction, place: SignaturePlace, digest: bytes) -> Iterator[Sequence]:
        """By the first keys; then by those of addresses that were compared with the first signer."""
        known = list(self._keys.by_address.values())
        first = (*before, place.put(call, *signed(known[0], digest)))
        compared = [word for each in self._engine.comparisons_of_last_call(first) for word in (each.left, each.right)]
        wanted = [self._keys.by_address[word] for word in compared if word in self._keys.by_address]
        yield first
        for key in list(dict.fromkeys([*wanted, *known[1:MAX_KEYS]])):
            if key != known[0]:
                yield (*before, place.put(call, *signed(key, digest)))

    def _digest(self, sequence: Sequence) -> bytes | None:
        """Return the digest that `ecrecover` got with the patterns."""
        replayed = self._replayer.replay(sequence, None, trace=True)
        for node in _nested(replayed.calls[-1:]):
            if node.code_address == _RECOVER and node.input[2 * _WORD : 4 * _WORD] == _R + _S:
                return node.input[:_WORD]
        return None


def _name(call: Transaction) -> tuple[bytes, bytes]:
    return call.to, call.data[:SELECTOR_SIZE]


def _nested(roots: Iterable[CallNode]) -> Iterator[CallNode]:
    pending = list(roots)
    while pending:
        node = pending.pop()
        yield node
        pending.extend(node.children)


def _patterned(call: Transaction, function: Function) -> Iterator[tuple[SignaturePlace, Transaction]]:
    """Yield the places of signatures, and the call with the pattern there."""
    try:
        slots = find_slots(function.inputs.members, call.data[SELECTOR_SIZE:])
    except AbiError:
        return
    for first, second in pairwise(slots):
        if _is_word(first) and _is_word(second):
            around = [slot for slot in slots if slot.kind is SlotKind.UINT and slot.bits == 8]
            near = min(around, key=lambda slot: abs(slot.offset - first.offset), default=None)
            v = -1 if near is None else SELECTOR_SIZE + near.offset + _WORD - 1
            place = SignaturePlace(SELECTOR_SIZE + first.offset, SELECTOR_SIZE + second.offset, v)
            yield place, place.put(call, 27, _R, _S)
    for length in lengths_of(call, function):
        resized = length.put(call, _BLOB)
        if resized is not None:
            yield from _in_bytes(resized, function)


def _in_bytes(call: Transaction, function: Function) -> Iterator[tuple[SignaturePlace, Transaction]]:
    for slot in find_slots(function.inputs.members, call.data[SELECTOR_SIZE:]):
        if slot.kind is SlotKind.BYTES and slot.length == _BLOB:
            start = SELECTOR_SIZE + slot.offset
            place = SignaturePlace(start, start + _WORD, start + 2 * _WORD)
            yield place, place.put(call, 27, _R, _S)


def _is_word(slot: ArgumentSlot) -> bool:
    return slot.kind is SlotKind.FIXED_BYTES and slot.bits == 256
