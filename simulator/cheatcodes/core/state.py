"""State that cheatcodes keep between calls, apart from the chain's.

A state is never changed, only replaced. The machine's context holds the number of the one that counts, in a cell that
is written through the journal: so going back to an earlier point of execution, natively or from Python, goes back to
the state of that point too. Numbers only grow along the journal; the states behind the current one are therefore dead
when a new one is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.evm.results import EmittedLog


@dataclass(frozen=True)
class ExpectedRevert:
    """The next `count` calls of the frame at `depth` revert: with `data`, or with data that begins with it (`partial`),
    and in the contract `reverter`. None means any. `seen` have done so. Who reverted first is kept under `id`."""

    id: int
    depth: int
    data: bytes | None = None
    partial: bool = False
    reverter: int | None = None
    count: int = 1
    seen: int = 0


@dataclass(frozen=True)
class ExpectedCall:
    """A call to come before the transaction ends: exactly `count` times, or, with None, at least `least` times. The
    number of times so far is kept under `id`, because a revert does not make a call unseen."""

    id: int
    callee: int
    data: bytes
    value: int | None = None
    gas: int | None = None
    least_gas: int | None = None
    count: int | None = None
    least: int = 1


@dataclass(frozen=True)
class ExpectedCreation:
    """A creation of `code` by `deployer` to come before the transaction ends, counted under `id` as calls are."""

    id: int
    code: bytes
    deployer: int
    is_salted: bool


@dataclass(frozen=True)
class ExpectedEmit:
    """The next log after the record address `start` is the model of one that the next call of the frame at `depth`
    must emit `count` times. `topics` says which of the four must be equal. `lost` logs of frames that failed came
    before. Unless it `is_anonymous`, its model has a topic."""

    depth: int
    start: int
    lost: int
    topics: tuple[bool, bool, bool, bool]
    data: bool
    emitter: int | None = None
    count: int = 1
    is_anonymous: bool = False


@dataclass(frozen=True)
class PossibleRevert:
    """A revert in `reverter`, or anywhere with 0, with `data`, or with data that begins with it (`partial`)."""

    reverter: int
    partial: bool
    data: bytes


@dataclass(frozen=True)
class AssumedSuccess:
    """The next call of the frame at `depth` that reverts makes the transaction of no interest; with `reverts`, only
    when it does so in one of these ways. Who reverted first is kept under `id`."""

    id: int
    depth: int
    reverts: tuple[PossibleRevert, ...] = ()


@dataclass(frozen=True)
class Mock:
    """Calls of `callee` whose calldata begins with `data`, of `value` when that is not None, are answered with the
    first of `outputs`; all but the last are used up."""

    callee: int
    value: int | None
    data: bytes
    outputs: tuple[bytes, ...]
    reverts: bool


@dataclass(frozen=True)
class MockedFunction:
    """Calls of `callee` with `data` as selector or as whole calldata run the code of `target`."""

    callee: int
    data: bytes
    target: int


@dataclass(frozen=True)
class Broadcast:
    """Calls at this depth from `sender` are transactions, the first one alone with `once`."""

    depth: int
    sender: int
    once: bool


@dataclass(frozen=True)
class CallGas:
    """The gas that a call was given and used, and by how much the refund grew in it."""

    limit: int
    used: int
    refunded: int


@dataclass(frozen=True)
class PausedGas:
    """Gas is not metered since the frame at `depth`, or one that it called, had `gas` left."""

    depth: int
    gas: int


@dataclass(frozen=True)
class Snapshot:
    """A position of the journal, and the block's time, which passes outside of it."""

    mark: int
    timestamp: int
    number: int


@dataclass(frozen=True)
class RecordedLogs:
    """Position at which recorded logs begin: epoch of a transaction, offset in its logs, and how many were lost
    before. `earlier` are those of transactions that have ended."""

    epoch: int
    offset: int
    lost: int
    earlier: tuple[EmittedLog, ...] = ()


@dataclass(frozen=True)
class State:
    """`variables` are set with `setEnv`, `drawn` is how many random words were used since `seed` was set. Deleted
    snapshots leave None in their place. `objects` are being serialized, `lines` says how many lines of a file were
    read, `wallets` are private keys by their addresses, `gas_snapshots` the gas that was left when each began.
    `last_call` is kept in projects that ask for it. `accesses` are the first and, once `record` was stopped, the end of
    the kernel's records of slots. `recorder` is the number of the recorder of a state diff, 0 for none. `intercepts` is
    set while the next creation is to fail. `mappings` is the first of the kernel's records that tell of mappings.
    `blob_fee` is what was set where that is not the fee itself."""

    variables: Mapping[str, str] = field(default_factory=dict)
    drawn: int = 0
    seed: bytes = b""
    expected_revert: ExpectedRevert | None = None
    expected_calls: tuple[ExpectedCall, ...] = ()
    expected_emits: tuple[ExpectedEmit, ...] = ()
    mocks: tuple[Mock, ...] = ()
    mocked_functions: tuple[MockedFunction, ...] = ()
    logs: RecordedLogs | None = None
    snapshots: tuple[Snapshot | None, ...] = ()
    expected_creations: tuple[ExpectedCreation, ...] = ()
    assumed_success: AssumedSuccess | None = None
    objects: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    wallets: Mapping[int, int] = field(default_factory=dict)
    gas_snapshots: Mapping[tuple[str, str], int] = field(default_factory=dict)
    last_call: CallGas | None = None
    accesses: tuple[int, int | None] | None = None
    recorder: int = 0
    intercepts: bool = False
    mappings: int | None = None
    broadcast: Broadcast | None = None
    blob_fee: int | None = None
    paused_gas: PausedGas | None = None

    @property
    def watches(self) -> bool:
        """Return whether the kernel must show every frame's beginning and end."""
        return bool(
            self.expected_revert
            or self.expected_calls
            or self.expected_emits
            or self.expected_creations
            or self.assumed_success
            or self.mocks
            or self.mocked_functions
            or self.logs
            or self.recorder
            or self.intercepts
            or self.broadcast
            or self.paused_gas
        )
