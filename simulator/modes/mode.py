"""Description of a test mode."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field

from simulator.abi.contract import ContractAbi, Function
from simulator.errors import TargetError
from simulator.modes.checks import TestDescription
from simulator.modes.medusa_tests import MedusaTests
from simulator.modes.world import World


@dataclass(frozen=True)
class Harness:
    """A contract as modes look at it.

    `callable` are the functions that sequences call; empty while the mode is being chosen. `asserts` says whether its
    code can fail an assertion, `in_foundry_project` whether a `foundry.toml` lies above its source. `decided` says, by
    signature, why tests have failed before any call; the invariants in `strict` fail when a call reverts, those in
    `depths` are asked after so many calls of a sequence only. `medusa` are the tests of that mode.
    """

    contract: str
    abi: ContractAbi
    prefix: str
    callable: tuple[Function, ...] = ()
    asserts: bool = False
    in_foundry_project: bool = False
    decided: Mapping[str, str] = field(default_factory=dict)
    strict: Container[str] = ()
    medusa: MedusaTests = field(default_factory=MedusaTests)
    depths: Mapping[str, int] = field(default_factory=dict)

    def prefixed(self) -> list[Function]:
        """Functions whose names begin with the prefix of properties."""
        return [function for function in self.abi.functions if function.name.startswith(self.prefix)]

    def has(self, signature: str) -> bool:
        """Return whether the contract has this function."""
        return signature in self.abi.by_signature


Tests = Callable[[Harness], Iterable[TestDescription]]


@dataclass(frozen=True)
class Mode:
    """One test mode.

    * `meaning`: one sentence for people.
    * `world`: accounts, balances and block at the start.
    * `tests`: all tests in a stable order. Raises `TargetError` when there are none or one is malformed.
    * `recognises`: why a contract is meant for this mode, None when it is not.
    * `is_called`: whether sequences may call a function of the target.
    * `sets_up`: whether `setUp()` is called once after deployment.
    * `view_weight`: share of calls of a view function, beside 1 for others.
    * `judges_set_up`: whether a failing `setUp()` is a finding, and no error of the target.
    * `watches_events`: whether the event `AssertionFailed` is a failure.
    * `forge_cheatcodes`: whether cheatcodes follow forge where it differs from Echidna: what outlives a revert or a
      transaction, such as pranks, and the words of failures.
    """

    name: str
    meaning: str
    world: World
    tests: Tests
    recognises: Callable[[Harness], str | None]
    is_called: Callable[[Harness, Function], bool]
    sets_up: Callable[[Harness], bool]
    view_weight: float = 1 / 64
    forge_cheatcodes: bool = False
    judges_set_up: bool = False
    watches_events: bool = True


def nothing_found(harness: Harness, mode: str, what: str, hint: str = "") -> TargetError:
    """The error of a contract without any test of a mode."""
    return TargetError(f"no tests found in {harness.contract}: {mode} mode looks for {what}{hint}")
