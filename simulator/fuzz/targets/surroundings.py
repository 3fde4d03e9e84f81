"""Surroundings of a target: the block that sequences start in, the rules of the chain, and watched events."""

from __future__ import annotations

from contextlib import suppress

from simulator.abi.contract import ContractAbi
from simulator.errors import AbiError
from simulator.evm.block import BlockEnvironment
from simulator.forked_block import ForkedBlock
from simulator.forks import fork_named
from simulator.fuzz.checking.oracles import assertion_topics
from simulator.modes.world import StartBlock
from simulator.project import Project
from simulator.settings import CampaignSettings

DEFAULT_RULES = "cancun"
OLDEST_RULES = "istanbul"
"""Code for older rules runs under these."""


def started_block(block: StartBlock) -> BlockEnvironment:
    """The first block of a chain of our own."""
    return BlockEnvironment(
        number=block.number,
        timestamp=block.timestamp,
        coinbase=_number(block.coinbase),
        prevrandao=_number(block.prevrandao),
        gas_limit=block.gas_limit,
        base_fee=_number(block.base_fee),
        chain_id=block.chain_id,
    )


def forked_block(block: ForkedBlock) -> BlockEnvironment:
    """The block of a live chain that a campaign begins at."""
    return BlockEnvironment(
        number=block.number,
        timestamp=block.timestamp,
        coinbase=_number(block.coinbase),
        prevrandao=_number(block.prevrandao),
        gas_limit=block.gas_limit,
        base_fee=_number(block.base_fee),
        blob_base_fee=_number(block.blob_base_fee),
        chain_id=block.chain_id,
    )


def first_block(settings: CampaignSettings) -> BlockEnvironment:
    """The block that sequences start in."""
    return forked_block(settings.fork.block) if settings.fork else started_block(settings.block)


def compiled_rules(project: Project, settings: CampaignSettings) -> str:
    """The rules that the target was compiled for."""
    for unit in project.units:
        if any(settings.contract == contract.full_name for contract in unit.contracts):
            return unit.evm_version.lower() or DEFAULT_RULES
    return DEFAULT_RULES


def executed_rules(project: Project, settings: CampaignSettings) -> str:
    """The rules that the target runs under: its own, Istanbul's at least, and on a forked chain not older than those of
    the forked block."""
    forked = settings.fork.block.rules if settings.fork else ""
    candidates: list[str] = [compiled_rules(project, settings), OLDEST_RULES, *([forked] if forked else [])]
    return max(candidates, key=lambda name: fork_named(name).order)


def watched_topics(project: Project) -> tuple[bytes, ...]:
    """First topics of the events that are failed assertions."""
    found = []
    for contract in project.contracts:
        with suppress(AbiError):
            found.append(ContractAbi.from_json(contract.abi))
    return assertion_topics(found)


def _number(word: bytes) -> int:
    return int.from_bytes(word, "big")
