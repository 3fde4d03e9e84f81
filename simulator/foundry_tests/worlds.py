"""The world of an exported test: what the campaign's settings make of the chain."""

from __future__ import annotations

import re

from simulator.abi.contract import ContractAbi
from simulator.foundry_tests.model import ExportedWorld
from simulator.fuzz.targets.surroundings import compiled_rules, executed_rules, first_block
from simulator.modes.mode import Harness
from simulator.modes.table import MODES
from simulator.project import Project
from simulator.settings import CampaignSettings

_STARTS_PRANK = re.compile(r"\.\s*start(Prank|Broadcast)\s*\(")
UNLIMITED_CODE = 0xFFFFFFFF


def world_of(project: Project, settings: CampaignSettings) -> ExportedWorld:
    """Block, rules and limits that the target was deployed and called under."""
    limit = settings.max_code_size
    return ExportedWorld(
        block=first_block(settings),
        gas_price=int.from_bytes(settings.gas_price, "big"),
        evm_version=executed_rules(project, settings),
        compiled_for=compiled_rules(project, settings),
        code_size_limit=None if limit >= UNLIMITED_CODE else limit,
        fork=settings.fork.block if settings.fork else None,
    )


def balances_of(settings: CampaignSettings) -> tuple[tuple[bytes, int], ...]:
    """Accounts and what they begin with."""
    balance = int.from_bytes(settings.sender_balance, "big")
    accounts = dict.fromkeys((*settings.senders, settings.deployer, settings.property_sender))
    return tuple((account, balance) for account in accounts)


def runs_set_up(project: Project, settings: CampaignSettings) -> bool:
    """Return whether the campaign calls `setUp()` of the target after deploying it."""
    for contract in project.contracts:
        if contract.full_name == settings.contract:
            harness = Harness(contract.name, ContractAbi.from_json(contract.abi), settings.prefix)
            return MODES[settings.test_mode].sets_up(harness)
    return False


def starts_pranks(project: Project, settings: CampaignSettings) -> bool:
    """Return whether a source of the target calls `startPrank`; forge-std's own helpers do not count."""
    for unit in project.units:
        if any(settings.contract == contract.full_name for contract in unit.contracts):
            sources = (source for source in unit.sources if "forge-std/" not in source.path)
            return any(_STARTS_PRANK.search(source.content) for source in sources)
    return False
