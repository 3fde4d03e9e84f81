"""BLAKE2F against hashlib, and its compiled form against the interpreted one."""

from __future__ import annotations

import hashlib
import random
import struct

import pytest

from simulator.precompiles import blake2f, run_precompile


def _input(rounds: int, state: bytes, block: bytes, offset: int) -> bytes:
    return rounds.to_bytes(4, "big") + state + block.ljust(128, b"\0") + struct.pack("<2Q", offset, 0) + b"\1"


@pytest.mark.parametrize("message", [b"", b"abc", bytes(range(128))])
def test_twelve_rounds_are_blake2b(message: bytes) -> None:
    """A message of one block hashes to one call of F on BLAKE2b's first state."""
    first, *rest = blake2f.INITIALISATION_VECTOR
    state = struct.pack("<8Q", first ^ 0x01010040, *rest)
    result = run_precompile(9, _input(12, state, message, len(message)), 12, "istanbul")
    assert result.output == hashlib.blake2b(message).digest()


def test_compiled_rounds_equal_interpreted_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long runs are compiled; both forms are the same source and must agree."""
    data = _input(77, random.Random(1).randbytes(64), random.Random(2).randbytes(128), 2**63)
    interpreted = blake2f.compress(data)
    monkeypatch.setattr(blake2f, "ROUNDS_WORTH_COMPILING", 0)
    assert blake2f.compress(data) == interpreted


def test_millions_of_rounds_are_answered() -> None:
    """A transaction can pay for them: the compiled form makes that a fraction of a second."""
    result = run_precompile(9, _input(2_000_000, bytes(64), b"", 0), 12_500_000, "cancun")
    assert (result.success, result.gas_used) == (True, 2_000_000)
