"""Keys of mappings that were written: `startMappingRecording`, `getMappingLength`, ...

A slot belongs to a mapping when it is the hash of a key and another slot. Which hash comes of what is looked up in the
kernel's cache of such hashes: a recording that spans thousands of different ones may miss the oldest.
"""

from __future__ import annotations

from collections.abc import Mapping

from simulator.cheatcodes.core.registry import cheatcode
from simulator.cheatcodes.core.session import RECORDS_MAPPINGS, Session
from simulator.evm.arenas import read_bytes
from simulator.evm.kernel.layout import access
from simulator.evm.kernel.layout.hashed_pair import HashedPair
from simulator.evm.kernel.memory.keccak import CACHE_ENTRIES
from simulator.evm.kernel.records import pointer

Origin = tuple[int, int]
"""Key, and the slot of the mapping."""


@cheatcode("startMappingRecording()")
def start_recording(vm: Session) -> None:
    if vm.state.mappings is None:
        vm.change(mappings=vm.record_accesses(RECORDS_MAPPINGS))


@cheatcode("stopMappingRecording()")
def stop_recording(vm: Session) -> None:
    """Forget what was recorded."""
    vm.change(mappings=None)
    vm.stop_recording(RECORDS_MAPPINGS)


def _hashes(vm: Session) -> Mapping[int, Origin]:
    """Return the two words behind each hash that the kernel knows."""
    data = read_bytes(pointer(vm.machine.context.hash_cache), CACHE_ENTRIES * HashedPair.SIZE)
    words = [int.from_bytes(data[start : start + 32], "little") for start in range(0, len(data), 32)]
    return {digest: (key, slot) for key, slot, digest in zip(words[::3], words[1::3], words[2::3], strict=True)}


def _written(vm: Session, address: int) -> list[int]:
    """Slots of an account in the order of writing."""
    first = vm.state.mappings
    if first is None:
        return []
    machine, owner = vm.machine, vm.machine.accounts.record(address)
    entries = (machine.context.accesses[index] for index in range(first, machine.context.accesses_count))
    return [entry.key for entry in entries if entry.kind == access.WRITE and entry.account == owner]


def _elements(vm: Session, address: int) -> dict[int, Origin]:
    """Key and mapping of each slot that was written, and of the mappings inside of others that they are in."""
    hashes = _hashes(vm)
    found: dict[int, Origin] = {}
    for slot in _written(vm, address):
        inner = slot
        while inner in hashes and inner not in found:
            found[inner] = hashes[inner]
            inner = hashes[inner][1]
    return found


def _children(vm: Session, address: int, mapping: bytes) -> list[int]:
    wanted = int.from_bytes(mapping, "big")
    return [slot for slot, (_, parent) in _elements(vm, address).items() if parent == wanted]


@cheatcode("getMappingLength(address,bytes32)")
def length(vm: Session, address: int, mapping: bytes) -> int:
    return len(_children(vm, address, mapping))


@cheatcode("getMappingSlotAt(address,bytes32,uint256)")
def slot_at(vm: Session, address: int, mapping: bytes, index: int) -> bytes:
    """In the order of the first writes; zero behind the last."""
    slots = _children(vm, address, mapping)
    return (slots[index] if index < len(slots) else 0).to_bytes(32, "big")


@cheatcode("getMappingKeyAndParentOf(address,bytes32)")
def key_and_parent(vm: Session, address: int, slot: bytes) -> tuple[bool, bytes, bytes]:
    origin = _elements(vm, address).get(int.from_bytes(slot, "big"))
    key, parent = origin or (0, 0)
    return origin is not None, key.to_bytes(32, "big"), parent.to_bytes(32, "big")
