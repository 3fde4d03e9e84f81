"""Contracts, functions and senders of a Foundry invariant campaign, as `setUp()` chose with forge-std.

The order of precedence is forge's: contracts of `setUp()` as `targetContracts`, `excludeContracts` and the artifact
lists say, then interfaces, then selectors; each list of selectors brings its contract in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from simulator.abi.contract import ContractAbi, Function
from simulator.abi.hashing import checksum_address
from simulator.errors import AbiError
from simulator.evm.addresses import CHEATCODE_ADDRESS, CONSOLE_ADDRESS
from simulator.fuzz.targets.target import DeployedContract
from simulator.modes.foundry import is_reserved
from simulator.modes.world import CREATE2_FACTORY
from simulator.project import Contract, Project
from simulator.transaction import address_bytes

_NOT_FOUND = " not found in the project. Allowed format: `contract_name` or `contract_path:contract_name`."
NO_SENDERS = frozenset(
    (CREATE2_FACTORY, *map(address_bytes, (CHEATCODE_ADDRESS, CONSOLE_ADDRESS, *range(1, 0x12), 0x100)))
)
"""What forge lets no call come from, also when `targetSender` names it: precompiles and the addresses of its own."""
Call = Callable[[bytes], bytes | None]
"""What the test answers to calldata, None when it reverts."""


@dataclass
class Targeted:
    """One contract to call: the selectors in `only`, where there are any, else all that change state but `never`."""

    deployed: DeployedContract
    only: set[bytes] = field(default_factory=set)
    never: set[bytes] = field(default_factory=set)

    def functions(self) -> list[Function]:
        """Return the functions that forge calls, in the order of the ABI."""
        if self.only:
            return [each for each in self.deployed.abi.functions if each.selector in self.only]
        return [each for each in self.deployed.abi.functions if not each.is_view and each.selector not in self.never]


class TargetReader:
    """Reads the choices of one test contract."""

    def __init__(
        self, target: DeployedContract, deployed: Iterable[DeployedContract], project: Project, call: Call
    ) -> None:
        self._target = target
        self._deployed = {each.address: each for each in (target, *deployed)}
        self._project = project
        self._call = call

    def contracts(self) -> list[Targeted]:
        """All that is to be called, without contracts that leave nothing."""
        found = {each.address: Targeted(each) for each in self._deployed.values() if self._is_wanted(each)}
        self._add_interfaces(found)
        self._add_selectors(found)
        return [each for each in found.values() if each.functions()]

    def senders(self, usual: Sequence[bytes]) -> tuple[bytes, ...]:
        """`targetSenders`, else the usual ones, without `excludeSenders`. The first of the usual ones stands for those
        that forge never uses as a sender."""
        targeted = [_address_bytes(each) for each in self._list("targetSenders()")]
        excluded = {_address_bytes(each) for each in self._list("excludeSenders()")}
        for chosen in (targeted, usual):
            if wanted := [each for each in chosen if each not in excluded]:
                return tuple(dict.fromkeys(usual[0] if each in NO_SENDERS else each for each in wanted))
        return tuple(usual[:1])

    def takes_created(self) -> bool:
        """Return whether contracts that handlers create are called too: where none was chosen by its address."""
        return not self._list("targetContracts()")

    def created(self, deployed: DeployedContract) -> list[Function]:
        """Return the called functions of a contract that a handler has created."""
        if deployed.contract.kind != "contract" or not self._artifact_matches(deployed.contract):
            return []
        entry = Targeted(deployed)
        for name, selectors in self._artifact_selectors():
            if _is_called(deployed.contract, name):
                entry.only.update(selectors)
        return entry.functions()

    # --- mistakes ----------------------------------------------------------------------------------------------------

    def problem(self) -> str:
        """Return the problem with the chosen artifacts and selectors, in forge's words; empty where they are sound.
        Forge fails all invariants then."""
        return next(self._problems(), "")

    def _problems(self) -> Iterator[str]:
        for name, selectors in self._artifact_selectors():
            artifact = self._artifact(name)
            if artifact is None:
                yield name + _NOT_FOUND
                return
            yield from _unknown(name, ContractAbi.from_json(artifact.abi), selectors)
        for list_ in ("targetArtifacts", "excludeArtifacts"):
            for name in self._list(f"{list_}()"):
                if self._artifact(name) is None:
                    yield name + _NOT_FOUND
        found: dict[int, Targeted] = {}
        self._add_interfaces(found)
        for list_ in ("targetSelectors", "excludeSelectors"):
            for address, selectors in self._list(f"{list_}()"):
                known = found.get(address)
                deployed = self._deployed.get(address) if known is None else known.deployed
                if selectors and deployed is None:
                    yield f"[{list_}] address does not have an associated contract: {checksum_address(address)}"
                elif deployed is not None:
                    yield from _unknown(deployed.contract.full_name, deployed.abi, selectors)

    def _artifact(self, name: str) -> Contract | None:
        return next((each for each in self._project.contracts if _is_called(each, name)), None)

    # --- contracts ---------------------------------------------------------------------------------------------------

    def _is_wanted(self, deployed: DeployedContract) -> bool:
        chosen, excluded = self._list("targetContracts()"), self._list("excludeContracts()")
        if deployed.address == self._target.address:
            return deployed.address in chosen
        if deployed.contract.kind != "contract" or deployed.address in excluded:
            return False
        return (not chosen or deployed.address in chosen) and self._artifact_matches(deployed.contract)

    def _artifact_matches(self, contract: Contract) -> bool:
        targeted = [*self._list("targetArtifacts()"), *(name for name, _ in self._artifact_selectors())]
        if any(_is_called(contract, name) for name in self._list("excludeArtifacts()")):
            return any(_is_called(contract, name) for name, _ in self._artifact_selectors())
        return not targeted or any(_is_called(contract, name) for name in targeted)

    def _add_interfaces(self, found: dict[int, Targeted]) -> None:
        combined: dict[int, list[Contract]] = {}
        for address, names in self._list("targetInterfaces()"):
            artifacts = [each for name in names for each in self._project.contracts if _is_called(each, name)]
            combined.setdefault(address, []).extend(artifacts)
        for address, contracts in combined.items():
            if contracts:
                functions = {f.signature: f for each in contracts for f in ContractAbi.from_json(each.abi).functions}
                abi = ContractAbi(functions=tuple(functions.values()))
                found[address] = Targeted(DeployedContract(address, contracts[0], abi))

    # --- selectors ---------------------------------------------------------------------------------------------------

    def _add_selectors(self, found: dict[int, Targeted]) -> None:
        for name, selectors in self._artifact_selectors():
            for deployed in self._deployed.values():
                if _is_called(deployed.contract, name):
                    self._entry(found, deployed.address, selectors, lambda entry: entry.only)
        for address, selectors in self._list("targetSelectors()"):
            self._entry(found, address, selectors, lambda entry: entry.only)
        for address, selectors in self._list("excludeSelectors()"):
            self._entry(found, address, selectors, lambda entry: entry.never)
        own = found.get(self._target.address)
        if own is not None and not own.only:
            own.never |= {each.selector for each in self._target.abi.functions if is_reserved(each)}

    def _entry(
        self, found: dict[int, Targeted], address: int, selectors: Sequence[bytes], of: Callable[[Targeted], set[bytes]]
    ) -> None:
        if not selectors or (address not in found and address not in self._deployed):
            return
        entry = found.setdefault(address, Targeted(self._deployed[address])) if address not in found else found[address]
        of(entry).update(selectors)

    def _artifact_selectors(self) -> list[tuple[str, Sequence[bytes]]]:
        return cast("list[tuple[str, Sequence[bytes]]]", list(self._list("targetArtifactSelectors()")))

    # --- reading -----------------------------------------------------------------------------------------------------

    def _list(self, signature: str) -> Sequence[Any]:
        """The one list that the function returns; empty where there is no such function or it fails."""
        function = self._target.abi.by_signature.get(signature)
        if function is None or len(function.outputs.members) != 1:
            return ()
        output = self._call(function.selector)
        try:
            return () if output is None else cast("Sequence[Any]", function.decode_result(output, strict=False)[0])
        except AbiError:
            return ()


def _unknown(name: str, abi: ContractAbi, selectors: Sequence[bytes]) -> Iterator[str]:
    for selector in selectors:
        if selector not in abi.by_selector:
            yield f"{name} does not have the selector 0x{selector.hex()}"


def _address_bytes(address: int) -> bytes:
    return address.to_bytes(20, "big")


def _is_called(contract: Contract, name: str) -> bool:
    """Return whether an artifact's name, `Name` or `path:Name`, means this contract."""
    return name in (contract.name, contract.full_name) or contract.full_name.endswith(f"/{name}")
