"""The world of an exported test: what the campaign's settings make of the chain."""

from __future__ import annotations

import re
from contextlib import suppress

from simulator.abi.contract import ContractAbi
from simulator.errors import AbiError
from simulator.evm.machine import BlockEnvironment
from simulator.forked_block import ForkedBlock
from simulator.forks import fork_named
from simulator.foundry_tests.model import World
from simulator.fuzz.checking.oracles import assertion_topics
from simulator.modes.mode import Harness
from simulator.modes.table import MODES
from simulator.modes.world import StartBlock
from simulator.project import Project
from simulator.settings import CampaignSettings

_STARTS_PRANK = re.compile(r"\.\s*start(Prank|Broadcast)\s*\(")
UNLIMITED_CODE = 0xFFFFFFFF
DEFAULT_RULES = "cancun"
OLDEST_RULES = "istanbul"
"""Campaigns on code for older rules run under these."""


def world_of(project: Project, settings: CampaignSettings) -> World:
    """Block, rules and limits that the target was deployed and called under."""
    fork = settings.fork.block if settings.fork else None
    limit, rules = settings.max_code_size, _rules(project, settings)
    return World(
        block=forked_environment(fork) if fork else _started(settings.block),
        gas_price=int.from_bytes(settings.gas_price, "big"),
        evm_version=max(rules, OLDEST_RULES, key=lambda name: fork_named(name).order),
        compiled_for=rules,
        code_size_limit=None if limit >= UNLIMITED_CODE else limit,
        fork=fork,
    )


def balances_of(settings: CampaignSettings) -> tuple[tuple[bytes, int], ...]:
    """Accounts and what they begin with."""
    balance = int.from_bytes(settings.sender_balance, "big")
    accounts = dict.fromkeys((*settings.senders, settings.deployer, settings.property_sender))
    return tuple((account, balance) for account in accounts)


def topics_of(project: Project) -> tuple[bytes, ...]:
    """First topics of the events that are failed assertions."""
    abis = []
    for contract in project.contracts:
        with suppress(AbiError):
            abis.append(ContractAbi.from_json(contract.abi))
    return assertion_topics(abis)


def runs_set_up(project: Project, settings: CampaignSettings) -> bool:
    """Whether the campaign calls `setUp()` of the target after deploying it."""
    for contract in project.contracts:
        if contract.full_name == settings.contract:
            harness = Harness(contract.name, ContractAbi.from_json(contract.abi), settings.prefix)
            return MODES[settings.test_mode].sets_up(harness)
    return False


def starts_pranks(project: Project, settings: CampaignSettings) -> bool:
    """Whether a source of the target calls `startPrank`; forge-std's own helpers do not count."""
    for unit in project.units:
        if any(settings.contract == contract.full_name for contract in unit.contracts):
            sources = (source for source in unit.sources if "forge-std/" not in source.path)
            return any(_STARTS_PRANK.search(source.content) for source in sources)
    return False


def _rules(project: Project, settings: CampaignSettings) -> str:
    for unit in project.units:
        if any(settings.contract == contract.full_name for contract in unit.contracts):
            return unit.evm_version.lower() or DEFAULT_RULES
    return DEFAULT_RULES


def forked_environment(block: ForkedBlock) -> BlockEnvironment:
    """The environment of a forked block."""

    def number(word: bytes) -> int:
        return int.from_bytes(word, "big")

    return BlockEnvironment(
        number=block.number,
        timestamp=block.timestamp,
        coinbase=number(block.coinbase),
        prevrandao=number(block.prevrandao),
        gas_limit=block.gas_limit,
        base_fee=number(block.base_fee),
        blob_base_fee=number(block.blob_base_fee),
        chain_id=block.chain_id,
    )


def _started(block: StartBlock) -> BlockEnvironment:
    return BlockEnvironment(
        number=block.number,
        timestamp=block.timestamp,
        coinbase=int.from_bytes(block.coinbase, "big"),
        prevrandao=int.from_bytes(block.prevrandao, "big"),
        gas_limit=block.gas_limit,
        base_fee=int.from_bytes(block.base_fee, "big"),
        chain_id=block.chain_id,
    )
