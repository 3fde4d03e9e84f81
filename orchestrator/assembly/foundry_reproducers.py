"""Foundry tests for findings: what each one replays and checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from actors.campaign.tests import TestRecord
from orchestrator.assembly.result import CampaignMaterial
from simulator.errors import CorpusError
from simulator.foundry_tests.deployments import deployments
from simulator.foundry_tests.model import (
    CALL_CHECKS,
    AssertionCheck,
    Check,
    DestructionCheck,
    EventCheck,
    FoundryTest,
    InvariantCheck,
    OptimizationCheck,
    OverflowCheck,
    PropertyCheck,
    SuccessCheck,
)
from simulator.foundry_tests.worlds import balances_of, runs_set_up, starts_pranks, world_of
from simulator.fuzz.checking.oracles import (
    ANY_DESTROYED,
    ASSERTION_EVENT,
    TARGET_DESTROYED,
)
from simulator.fuzz.targets.surroundings import watched_topics
from simulator.modes.foundry import AFTER_INVARIANT, INVARIANTS
from simulator.modes.medusa import MEDUSA
from simulator.modes.overflow import OVERFLOW_TEST
from simulator.modes.property import REVERT_INFIX
from simulator.modes.table import MODES
from simulator.project import Project
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence

FOUNDRY_MODE = "foundry"
MAX_STEPS = 500
MAX_INITIAL = 1 << 18
"""Steps of `initialize`, and bytes of their data, that a test holds."""
_AFTER_INVARIANT = AFTER_INVARIANT.removesuffix("()")


def foundry_tests(material: CampaignMaterial) -> Iterator[FoundryTest]:
    """One test for every failed test that can be checked in Foundry. Raises as `foundry_test_of`."""
    for record in material.end.tests:
        test = foundry_test_of(record, material)
        if test is not None:
            yield test


def foundry_test_of(record: TestRecord, material: CampaignMaterial) -> FoundryTest | None:
    """The test of a finding, None for what is none or cannot be checked in Foundry. Raises `CorpusError` and
    `LinkError` when the target cannot be deployed again from its sources."""
    info = record.info
    settings = material.settings
    check = check_of(info.name, info.kind, record.value, settings) if record.found else None
    if isinstance(check, InvariantCheck) and record.reason.startswith(f"{_AFTER_INVARIANT}: "):
        check = replace(check, asks_after=True)
    if check is None or _why_impossible(check, record.sequence, settings):
        return None
    return foundry_test(info.name, record.sequence, check, material.project, settings, info.contract)


def foundry_test(
    name: str,
    sequence: Sequence,
    check: Check | None,
    project: Project,
    settings: CampaignSettings,
    contract: str = "",
) -> FoundryTest:
    """One finding of a campaign with these settings, or a sequence of which nothing is asked. `contract` is the plain
    name of the one that has the test, where several are fuzzed. Raises as `foundry_test_of`."""
    return FoundryTest(
        name,
        deployments(project, settings),
        sequence,
        check,
        settings.deployer,
        balances_of(settings),
        world_of(project, settings),
        watched_topics(project) if MODES[settings.test_mode].watches_events else (),
        runs_set_up(project, settings),
        _is_foundry_mode(settings),
        starts_pranks(project, settings),
        settings.initial,
        _address_of(contract, settings),
    )


def foundry_replay(name: str, sequence: Sequence, project: Project, settings: CampaignSettings) -> FoundryTest:
    """A test that makes the calls and checks nothing. Raises as `foundry_test_of`, and `CorpusError` where Foundry
    cannot make them."""
    if problem := _why_impossible(None, sequence, settings):
        raise CorpusError(f"there is no Foundry test of it: {problem}")
    return foundry_test(name, sequence, None, project, settings)


def _address_of(contract: str, settings: CampaignSettings) -> bytes:
    """The address of a contract among several that are fuzzed; the settings' contract where it is none of them."""
    names = {each.name.rpartition(":")[2]: each.address for each in reversed(settings.targets)}
    return names.get(contract, settings.contract_address)


def why_not_exported(record: TestRecord, settings: CampaignSettings) -> str | None:
    """For people, why a finding has no Foundry test; None where it has one."""
    check = check_of(record.info.name, record.info.kind, record.value, settings)
    if check is None:
        return f"forge cannot check findings of the kind {record.info.kind}"
    return _why_impossible(check, record.sequence, settings)


def _why_impossible(check: Check | None, sequence: Sequence, settings: CampaignSettings) -> str | None:
    if not sequence and isinstance(check, CALL_CHECKS):
        return "it has no call"
    if _is_foundry_mode(settings) and settings.initial:
        return "forge creates a test before the steps of initialize could be executed"
    if sum(len(step.data) for step in settings.initial) > MAX_INITIAL or len(settings.initial) > MAX_STEPS:
        return f"initialize has more than {MAX_STEPS} steps or {MAX_INITIAL:,} bytes, which no test can hold"
    return None


def check_of(name: str, kind: str, value: str, settings: CampaignSettings) -> Check | None:
    """Return the kind of check of a test of this name and kind; None for what forge cannot check."""
    signature = name if name.endswith(")") else f"{name}()"
    if _is_foundry_mode(settings):
        if not name.startswith(INVARIANTS):
            return SuccessCheck()
        is_strict = settings.foundry.is_strict(settings.contract, signature.partition("(")[0])
        return InvariantCheck(signature, settings.property_sender, settings.property_gas, is_strict)
    match kind:
        case "property":
            reverts = name.startswith(settings.prefix + REVERT_INFIX)
            return PropertyCheck(signature, settings.property_sender, reverts, settings.property_gas)
        case "assertion":
            return AssertionCheck(settings.medusa.panic_codes if settings.test_mode == MEDUSA.name else (1,))
        case "call":
            return _CALLS.get(name) or (
                DestructionCheck(settings.contract_address) if name == TARGET_DESTROYED else None
            )
        case "optimization":
            return OptimizationCheck(signature, settings.property_sender, int(value), settings.property_gas)
        case _:
            return None


_CALLS: dict[str, Check] = {
    OVERFLOW_TEST: OverflowCheck(),
    ASSERTION_EVENT: EventCheck(),
    ANY_DESTROYED: DestructionCheck(),
}


def _is_foundry_mode(settings: CampaignSettings) -> bool:
    return str(settings.test_mode) == FOUNDRY_MODE
