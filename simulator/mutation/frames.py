"""Frames between the program that tries mutants and its supervisor, framed as those of workers.

The supervisor sends `Begin` and hears `Begun` or `TargetRefused`; then a `Try` at a time, each answered by a `Tried`.
End of file ends the program."""

from __future__ import annotations

import msgspec

from simulator.mutation.mutant import MutantStatus
from simulator.transaction import Sequence
from simulator.worker.commands import Setup


class TestName(msgspec.Struct, frozen=True):
    """A test that can notice a mutant."""

    __test__ = False

    name: str
    contract: str


class Begin(msgspec.Struct, frozen=True, tag="begin"):
    """`mutants` and `corpus` are paths of files with tuples of `Mutant` and of sequences as MessagePack. A mutant that
    survives the corpus is fuzzed for `calls` calls and at most `seconds`; its sequence is shrunk in `attempts`."""

    setup: Setup
    mutants: bytes
    corpus: bytes
    calls: int
    seconds: float
    attempts: int


class Try(msgspec.Struct, frozen=True, tag="try"):
    """Try the mutant with this index."""

    index: int


class Begun(msgspec.Struct, frozen=True, tag="begun"):
    """The code as it is: its tests, the names of those that fail without any mutant and so notice none, and the indexes
    of mutants whose places the corpus executes. `addresses` are those of contracts, with their full names."""

    tests: tuple[TestName, ...]
    failing: tuple[str, ...]
    reached: tuple[int, ...]
    calls: int
    seconds: float
    addresses: tuple[tuple[bytes, str], ...] = ()


class TargetRefused(msgspec.Struct, frozen=True, tag="refused"):
    """The target cannot be deployed as it is, or the program failed."""

    code: str
    message: str


class Kill(msgspec.Struct, frozen=True):
    """A test that failed, after a sequence that the code as it is passes. `found` is the sequence before it was shrunk;
    only the trial's own process knows it."""

    test: str
    sequence: Sequence
    reason: str
    found: Sequence = ()


class Tried(msgspec.Struct, frozen=True, tag="tried"):
    """Result of a mutant's trial. `calls` were executed for it; `note` says what cut its trial short, or why the
    deployment failed."""

    index: int
    status: MutantStatus
    kills: tuple[Kill, ...]
    calls: int
    note: str = ""
    seconds: float = 0.0


ToTrier = Begin | Try
FromTrier = Begun | TargetRefused | Tried
