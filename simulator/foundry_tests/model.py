"""Model of a Foundry test: the world of the campaign, the calls, and what must not happen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from simulator.evm.block import BlockEnvironment
from simulator.forked_block import ForkedBlock
from simulator.initialization import InitialStep
from simulator.transaction import DEFAULT_GAS, Sequence

FORK_VARIABLE = "ECHIDNA_RPC_URL"


@dataclass(frozen=True)
class ExportedDeployment:
    """A contract put at `address` (20 bytes). `arguments` are ABI-encoded, `value` is wei.

    Its creation code is that of `contract` in `import_path`, or `code` for bytes that have no source. With `by_name`
    the test asks forge for the code, because the file cannot be imported: its compiler is older than the test's.
    """

    import_path: str
    contract: str
    address: bytes
    arguments: bytes = b""
    value: int = 0
    code: bytes = b""
    by_name: bool = False


@dataclass(frozen=True)
class ExportedWorld:
    """State of the chain that contracts can see.

    `evm_version` is the compiler's name of its rules, `compiled_for` of those that the target was compiled for, which
    may be older. `code_size_limit` is None for no limit. With `fork`, block and accounts are those of that block at the
    node that FORK_VARIABLE names.
    """

    block: BlockEnvironment = field(default_factory=BlockEnvironment)
    gas_price: int = 0
    evm_version: str = "cancun"
    compiled_for: str = "cancun"
    code_size_limit: int | None = None
    fork: ForkedBlock | None = None


@dataclass(frozen=True)
class PropertyCheck:
    """After the calls, `signature` called by `sender` must return true; with `expects_revert` it must revert."""

    signature: str
    sender: bytes
    expects_revert: bool = False
    gas: int = DEFAULT_GAS


@dataclass(frozen=True)
class AssertionCheck:
    """The last call must not fail an assertion: no `Panic` of one of these codes, and where 1 is among them, no invalid
    opcode, `assertion failed...` or event."""

    panics: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class EventCheck:
    """The last call must not emit `AssertionFailed(..)`."""


@dataclass(frozen=True)
class OverflowCheck:
    """The last call must not revert with `Panic(0x11)`."""


@dataclass(frozen=True)
class OptimizationCheck:
    """After the calls, `signature` called by `sender` must return less than `value`."""

    signature: str
    sender: bytes
    value: int
    gas: int = DEFAULT_GAS


@dataclass(frozen=True)
class DestructionCheck:
    """The last call must not destroy `address` (20 bytes), or any contract where that is empty."""

    address: bytes = b""


@dataclass(frozen=True)
class SuccessCheck:
    """The last call must not revert, nor mark its test as failed, as forge asks of tests."""


@dataclass(frozen=True)
class InvariantCheck:
    """As forge asks of invariants: the last call fails no assertion, and with `is_strict` does not revert; then
    `signature` must not revert, nor mark its test as failed; with `asks_after`, `afterInvariant()` must not either."""

    signature: str
    sender: bytes
    gas: int = DEFAULT_GAS
    is_strict: bool = False
    asks_after: bool = False


Check: TypeAlias = (
    PropertyCheck
    | AssertionCheck
    | EventCheck
    | OverflowCheck
    | OptimizationCheck
    | DestructionCheck
    | SuccessCheck
    | InvariantCheck
)
CALL_CHECKS = (AssertionCheck, EventCheck, OverflowCheck, DestructionCheck, SuccessCheck)
"""Checks of how the last call ends."""


@dataclass(frozen=True)
class FoundryTest:
    """One finding, or a sequence of which nothing is asked: its `check` is None. `initial` steps come first, then
    `deployments` are done in order by `deployer`. The target has the test: it is the one at `target_address` (20
    bytes), or the last one where none is there. Its `setUp()` follows with `runs_set_up`. `topics` are the first topics
    of assertion events, 32 bytes each.

    `pranks_inside`: the contracts begin pranks that last, which forge refuses while another one is in force.
    With `inherits`, forge itself deploys the target: the test is a contract derived from it, at forge's address.
    """

    name: str
    deployments: tuple[ExportedDeployment, ...]
    sequence: Sequence
    check: Check | None
    deployer: bytes
    balances: tuple[tuple[bytes, int], ...] = ()
    world: ExportedWorld = field(default_factory=ExportedWorld)
    topics: tuple[bytes, ...] = ()
    runs_set_up: bool = False
    inherits: bool = False
    pranks_inside: bool = False
    initial: tuple[InitialStep, ...] = ()
    target_address: bytes = b""

    @property
    def target_index(self) -> int:
        """Return which of the deployments is the target."""
        addresses = [each.address for each in self.deployments]
        return addresses.index(self.target_address) if self.target_address in addresses else len(addresses) - 1

    @property
    def target(self) -> ExportedDeployment:
        """The deployment that has the test."""
        return self.deployments[self.target_index]
