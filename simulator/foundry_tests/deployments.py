"""Deployments of an exported test: the same contracts at the same addresses, in the order of the campaign."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from simulator.abi.contract import ContractAbi
from simulator.compile.projects.linking import libraries_of
from simulator.compile.solc.version import Version, VersionError, parse_version
from simulator.errors import CorpusError
from simulator.foundry_tests.model import ExportedDeployment
from simulator.fuzz.targets.deployment import FIRST_LIBRARY, RESERVED_ADDRESSES, planned_arguments
from simulator.project import Contract, Project
from simulator.settings import CampaignSettings, PlannedContract
from simulator.transaction import address_bytes, address_int

OLDEST_IMPORTED: Version = (0, 6, 2)
"""Files that only older compilers take cannot be imported by a test: it asks forge for their code."""


def deployments(project: Project, settings: CampaignSettings) -> tuple[ExportedDeployment, ...]:
    """Libraries before what needs them, then further contracts, the target last, or all targets as planned. Raises
    `CorpusError` for a contract that is not part of the project, `LinkError`, and `TargetError` for arguments that do
    not fit a constructor."""
    plan = _Plan(project)
    for address, name in settings.deploy_contracts:
        plan.add(_find(project, name), address)
    for address, code in settings.deploy_bytecodes:
        plan.found.append(ExportedDeployment("", "", address, code=code))
    if settings.targets:
        plan.add_targets(settings.targets)
    else:
        value, arguments = int.from_bytes(settings.contract_balance), settings.constructor_arguments
        plan.add(_find(project, settings.contract), settings.contract_address, value, arguments)
    return tuple(plan.found)


def libraries(project: Project, settings: CampaignSettings) -> dict[str, bytes]:
    """The address of each library that is deployed, by `path:Name`."""
    plan = _Plan(project)
    for _, name in settings.deploy_contracts:
        plan.add_libraries(_find(project, name))
    for name in [each.name for each in settings.targets] or [settings.contract]:
        plan.add_libraries(_find(project, name))
    return plan.libraries


class _Plan:
    def __init__(self, project: Project) -> None:
        self.found: list[ExportedDeployment] = []
        self.libraries: dict[str, bytes] = {}
        self._project = project
        self._by_name = set(_asked_by_name(project))
        self._next = FIRST_LIBRARY

    def add(self, contract: Contract, address: bytes, value: int = 0, arguments: bytes = b"") -> None:
        self.add_libraries(contract)
        self.found.append(replace(self._deployment(contract, address, value), arguments=arguments))

    def add_targets(self, targets: Iterable[PlannedContract]) -> None:
        addresses: dict[str, int] = {}
        for planned in targets:
            contract = _find(self._project, planned.name)
            arguments = planned_arguments(contract, ContractAbi.from_json(contract.abi), planned, addresses)
            self.add(contract, planned.address, int.from_bytes(planned.value), arguments)
            addresses[contract.name] = address_int(planned.address)

    def add_libraries(self, contract: Contract) -> None:
        for library in libraries_of(contract, self._project):
            if library.full_name not in self.libraries:
                self.libraries[library.full_name] = address_bytes(self._next_address())
                self.found.append(self._deployment(library, self.libraries[library.full_name], 0))

    def _next_address(self) -> int:
        while self._next in RESERVED_ADDRESSES:
            self._next += 1
        self._next += 1
        return self._next - 1

    def _deployment(self, contract: Contract, address: bytes, value: int) -> ExportedDeployment:
        path = import_path(contract.path, self._project.root)
        by_name = contract.full_name in self._by_name
        return ExportedDeployment(path, contract.name, address, value=value, by_name=by_name)


def import_path(path: str, root: str) -> str:
    """A source as a test imports it: relative to the project's root, where it lies in there."""
    return str(Path(path).relative_to(root)) if Path(path).is_relative_to(root) else path


def _asked_by_name(project: Project) -> Iterator[str]:
    for unit in project.units:
        try:
            is_old = parse_version(unit.compiler) < OLDEST_IMPORTED
        except VersionError:
            is_old = True
        if is_old:
            yield from (contract.full_name for contract in unit.contracts)


def _find(project: Project, name: str) -> Contract:
    matches = [each for each in project.contracts if name in (each.full_name, each.name)]
    if not matches:
        raise CorpusError(f"no contract named {name} in the target")
    return matches[0]
