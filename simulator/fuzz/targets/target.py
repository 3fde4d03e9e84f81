"""Target of a campaign: deployed contracts and their functions, after Echidna's filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from simulator.abi.contract import ContractAbi, Function
from simulator.abi.hashing import selector
from simulator.abi.types import Tuple
from simulator.modes.mode import Harness
from simulator.modes.table import MODES
from simulator.project import Contract
from simulator.settings import CampaignSettings
from simulator.transaction import SELECTOR_SIZE, Sequence


@dataclass(frozen=True)
class DeployedContract:
    """A contract at its address, with its parsed ABI."""

    address: int
    contract: Contract
    abi: ContractAbi


@dataclass(frozen=True)
class TargetFunction:
    """One callable function; `index` numbers the functions of the campaign. `weight` is its share of fresh calls: 0 if
    only given sequences call it. Calls of what stands `alone` are sequences of their own, with the calls `before` it.

    `selector` is how its calldata begins: empty for `receive`. That of `fallback`, which takes any calldata that fits
    nothing else, is Echidna's selector of `()`.
    """

    index: int
    deployed: DeployedContract
    function: Function
    weight: float
    selector: bytes
    alone: bool = False
    before: Sequence = ()

    @property
    def is_fallback(self) -> bool:
        """Return whether any calldata that no function and not `receive` answers to is a call of this."""
        return self.selector == FALLBACK_SELECTOR and self.function == _fallback(self.function.payable)

    def takes(self, data: bytes) -> bool:
        """For `fallback`: whether this calldata gets there."""
        abi = self.deployed.abi
        return data[:SELECTOR_SIZE] not in abi.by_selector if data else not abi.receive

    @property
    def qualified_name(self) -> str:
        """`Contract.f(types)`, the form of Echidna's filters."""
        return f"{self.deployed.contract.name}.{self.function.signature}"

    def is_named(self, name: str) -> bool:
        """Return whether the user's name for functions means this one: `f(types)`, `Contract.f(types)`, or bare `f`
        for every overload."""
        return name in (self.function.signature, self.qualified_name, self.function.name)


RECEIVE, FALLBACK = "receive", "fallback"
MAX_BEFORE = 1024
"""Calls before one that stands alone."""
FALLBACK_SELECTOR = selector("()")


def target_functions(
    settings: CampaignSettings,
    deployed: list[DeployedContract],
    first: int = 0,
    admits: Callable[[DeployedContract, Function], bool] = lambda _deployed, _function: True,
) -> list[TargetFunction]:
    """The functions to call, in the order of deployment and ABI, then `receive` and `fallback`; test functions and
    what `admits` turns away left out. Indexes begin at `first`."""
    found: list[TargetFunction] = []
    for contract in deployed:
        for function, start in _entry_points(contract.abi):
            candidate = TargetFunction(first + len(found), contract, function, _weight(settings, function), start)
            if _is_wanted(settings, candidate) and admits(contract, function):
                found.append(candidate)
    return found


def _entry_points(abi: ContractAbi) -> list[tuple[Function, bytes]]:
    points = [(function, function.selector) for function in abi.functions]
    if abi.receive:
        points.append((Function(RECEIVE, Tuple(()), mutability="payable"), b""))
    if abi.fallback is not None:
        points.append((_fallback(abi.fallback.payable), FALLBACK_SELECTOR))
    return points


def _fallback(payable: bool) -> Function:
    return Function(FALLBACK, Tuple(()), mutability="payable" if payable else "nonpayable")


def _weight(settings: CampaignSettings, function: Function) -> float:
    return MODES[settings.test_mode].view_weight if function.is_view else 1.0


def _is_wanted(settings: CampaignSettings, candidate: TargetFunction) -> bool:
    function, deployed = candidate.function, candidate.deployed
    harness = Harness(deployed.contract.name, deployed.abi, settings.prefix, medusa=settings.medusa)
    if not MODES[settings.test_mode].is_called(harness, function):
        return False
    if settings.exclude_view_pure and function.is_view:
        return False
    listed = candidate.qualified_name in settings.filter_functions
    return (
        listed != settings.filter_is_blacklist
        if settings.filter_functions or not settings.filter_is_blacklist
        else True
    )


def state_changing(targets: Iterable[TargetFunction]) -> tuple[Function, ...]:
    """Return the functions besides views of these functions' contracts, filtered or not, each signature once."""
    abis = {target.deployed.address: target.deployed.abi for target in targets}
    found = {f.signature: f for abi in abis.values() for f in abi.functions if not f.is_view}
    return tuple(found.values())


def unmatched_filters(settings: CampaignSettings, deployed: list[DeployedContract]) -> tuple[str, ...]:
    """Entries of `filterFunctions` that name no function of these contracts, in their order."""
    known = {
        f"{contract.contract.name}.{function.signature}"
        for contract in deployed
        for function, _ in _entry_points(contract.abi)
    }
    return tuple(entry for entry in settings.filter_functions if entry not in known)


def nothing_to_call(settings: CampaignSettings, deployed: list[DeployedContract]) -> str:
    """Why `target_functions` found none, for people."""
    unmatched = unmatched_filters(settings, deployed)
    if unmatched and not settings.filter_is_blacklist:
        names = ", ".join(unmatched)
        return (
            f"{settings.contract}: no function left to call: filterFunctions names {names}; "
            f"write {deployed[0].contract.name}.function(types), also for what is inherited"
        )
    if settings.filter_functions or settings.exclude_view_pure:
        return f"{settings.contract}: no function left to call; see filterFunctions and excludeViewPure"
    hint = "" if settings.all_contracts else ", or give --all-contracts to call the contracts that it deploys"
    return f"{settings.contract}: no function to call besides the tests; write functions that act on it{hint}"
