"""Keccak-256 of the kernel against the library, and its cache of pairs."""

from __future__ import annotations

import ctypes
import mmap
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from Crypto.Hash import keccak as library

from simulator.evm.assembly import assemble
from simulator.evm.host import Host
from simulator.evm.kernel import commands
from simulator.evm.kernel.layout.hashed_pair import HashedPair
from simulator.evm.kernel.memory.keccak import CACHE_ENTRIES
from simulator.evm.kernel.records import pointer
from simulator.evm.kernel_entry import Kernel
from simulator.evm.machine import Machine

PAGE = mmap.PAGESIZE
NO_ACCESS = 0
HASHER = 0xC0DE
HASH_A_PAIR = "0 CALLDATALOAD 0 MSTORE 32 CALLDATALOAD 32 MSTORE 64 0 KECCAK256 0 MSTORE 32 0 RETURN"


@pytest.fixture(scope="module")
def machine(compiled: Kernel) -> Machine:
    return Machine(compiled, Host)


def expected(data: bytes) -> bytes:
    return library.new(digest_bits=256, data=data).digest()


def digest_at(machine: Machine, address: int, size: int) -> bytes:
    output = ctypes.create_string_buffer(32)
    machine.context.command_a = address
    machine.context.command_b = size
    machine.context.command_c = ctypes.addressof(output)
    machine.native(commands.HASH)
    return output.raw


def digest(machine: Machine, data: bytes) -> bytes:
    source = ctypes.create_string_buffer(data + b"behind it", len(data) + 9)
    return digest_at(machine, ctypes.addressof(source), len(data))


def test_every_length_up_to_three_blocks_is_hashed_as_the_library_does(machine: Machine) -> None:
    """The padding falls into each byte of a block, and takes a block of its own."""
    source = random.Random(1)
    for size in range(3 * 136 + 2):
        data = source.randbytes(size)
        assert digest(machine, data) == expected(data), size


def test_long_inputs_of_random_lengths_are_hashed_as_the_library_does(machine: Machine) -> None:
    """The state goes from block to block."""
    source = random.Random(2)
    for _ in range(40):
        data = source.randbytes(source.randrange(20_000))
        assert digest(machine, data) == expected(data), len(data)


def test_bits_of_every_lane_reach_the_hash(machine: Machine) -> None:
    """One bit set in a block, wherever it is."""
    for place in range(136):
        data = bytes(place) + b"\x80" + bytes(135 - place)
        assert digest(machine, data) == expected(data), place


def test_nothing_behind_the_input_is_read(machine: Machine) -> None:
    """An input may end where memory ends."""
    memory = mmap.mmap(-1, 2 * PAGE)
    anchor = ctypes.c_char.from_buffer(memory)
    start = ctypes.addressof(anchor)
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + PAGE), ctypes.c_size_t(PAGE), NO_ACCESS) == 0
    for size in (0, 1, 7, 8, 39, 40, 41, 64, 119, 120, 135, 136, 137, 300):
        data = random.Random(size).randbytes(size)
        memory[PAGE - size : PAGE] = data
        assert digest_at(machine, start + PAGE - size, size) == expected(data), size


def test_pairs_of_small_numbers_have_places_of_their_own_in_the_cache(compiled: Kernel) -> None:
    """A key in several mappings, and several keys in one: hardly more of them meet than by chance."""
    machine = Machine(compiled, Host)
    machine.set_account(HASHER, code=assemble(HASH_A_PAIR))
    for key in range(40):
        for slot in range(1, 9):
            machine.transact(sender=1, to=HASHER, data=key.to_bytes(32, "big") + slot.to_bytes(32, "big"), gas=100_000)
    cache = ctypes.string_at(pointer(machine.context.hash_cache), CACHE_ENTRIES * HashedPair.SIZE)
    entries = [cache[start : start + 64] for start in range(0, len(cache), HashedPair.SIZE)]
    assert sum(any(entry) for entry in entries) > 40 * 8 * 0.9


def test_pairs_are_hashed_right_from_the_cache_and_past_it(machine: Machine) -> None:
    """The same pairs twice, with many others in between: entries are replaced, never mistaken."""
    machine.set_account(HASHER, code=assemble(HASH_A_PAIR))
    source = random.Random(3)
    words = [source.randrange(1 << 256) if index % 2 else index for index in range(60)]
    pairs = [first.to_bytes(32, "big") + second.to_bytes(32, "big") for first in words[:10] for second in words]
    for data in pairs + pairs:
        assert machine.transact(sender=1, to=HASHER, data=data, gas=1_000_000).output == expected(data)


@pytest.mark.nightly
def test_a_processor_without_wide_vectors_hashes_the_same(tmp_path: Path) -> None:
    """A kernel built as for one, in a cache of its own, passes this file."""
    environment = {**os.environ, "NUMBA_ENABLE_AVX": "0", "MONOTREME_CACHE": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", __file__, "-q", "-p", "no:cacheprovider", "-m", "not nightly"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
