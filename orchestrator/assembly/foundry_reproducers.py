"""Foundry tests for findings, next to the reproducers in the corpus folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.campaign.tests import TestRecord
from orchestrator.assembly.result import CampaignMaterial
from simulator.corpus.foundry_test import (
    AssertionCheck,
    Check,
    FoundryDeployment,
    FoundryTest,
    OptimizationCheck,
    OverflowCheck,
    PropertyCheck,
    render_foundry_test,
    reproducer_identifier,
)
from simulator.corpus.store import CorpusStore
from simulator.errors import CorpusError
from simulator.fuzz.checking.oracles import ASSERTION_EVENT
from simulator.modes.overflow import OVERFLOW_TEST
from simulator.modes.property import REVERT_INFIX
from simulator.settings import CampaignSettings

_CALL_CHECKS: dict[str, Check] = {OVERFLOW_TEST: OverflowCheck(), ASSERTION_EVENT: AssertionCheck()}


def write_foundry_tests(material: CampaignMaterial) -> tuple[str, ...]:
    """One test for each finding with a sequence; without a corpus folder none. Blocks on the disk. Returns a sentence
    for each that could not be written."""
    folder = material.request.corpus_directory
    if folder is None:
        return ()
    store = CorpusStore(folder, material.book.abi)
    problems = []
    for test in foundry_tests(material):
        try:
            source = render_foundry_test(test, material.book.abi)
            store.save_foundry_test(reproducer_identifier(test.name, test.sequence), source)
        except CorpusError as error:
            problems.append(f"{test.name}: no Foundry test: {error}")
    return tuple(problems)


def foundry_tests(material: CampaignMaterial) -> Iterator[FoundryTest]:
    """Files to write, one for every failed test that has a sequence and can be checked in Foundry."""
    settings = material.settings
    deployments = (*_others(material), _target(material))
    balance = int.from_bytes(settings.sender_balance, "big")
    balances = tuple((sender, balance) for sender in settings.senders)
    fork = settings.fork.block if settings.fork else None
    for record in material.end.tests:
        check = _check(record, settings)
        if record.found and record.sequence and check is not None:
            yield FoundryTest(record.info.name, deployments, record.sequence, check, settings.deployer, balances, fork)


def _target(material: CampaignMaterial) -> FoundryDeployment:
    settings = material.settings
    path, _, name = settings.contract.rpartition(":")
    value = int.from_bytes(settings.contract_balance, "big")
    return FoundryDeployment(_import_path(path, material.project.root), name, settings.contract_address, value=value)


def _others(material: CampaignMaterial) -> Iterator[FoundryDeployment]:
    """Contracts of `deployContracts`; creation codes of `deployBytecodes` have no name in Solidity."""
    for address, name in material.settings.deploy_contracts:
        contract = next((each for each in material.project.contracts if each.name == name), None)
        if contract is not None:
            yield FoundryDeployment(_import_path(contract.path, material.project.root), name, address)


def _import_path(path: str, root: str) -> str:
    """Relative to the project's root, which is where a Foundry test is run."""
    return str(Path(path).relative_to(root)) if Path(path).is_relative_to(root) else path


def _check(record: TestRecord, settings: CampaignSettings) -> Check | None:
    signature = f"{record.info.name}()"
    match record.info.kind:
        case "property":
            reverts = record.info.name.startswith(settings.prefix + REVERT_INFIX)
            return PropertyCheck(signature, settings.property_sender, reverts, settings.property_gas)
        case "assertion":
            return AssertionCheck()
        case "call":
            return _CALL_CHECKS.get(record.info.name)
        case "optimization":
            return OptimizationCheck(signature, settings.property_sender, int(record.value), settings.property_gas)
        case "exploration" | "crash":
            return None
