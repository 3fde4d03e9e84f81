"""Identity of a campaign: digests of the target's code and of the settings that affect a sequence.

What only decides which sequences are tried (their length, weights, delays, filters) may change from one program to the
next: everything that a checkpoint holds stays true.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from simulator.project import Contract, Project
from simulator.settings import CampaignSettings

DECIDING = (
    *("test_mode", "prefix", "property_sender", "senders", "deployer", "contract_address", "sender_balance"),
    *("contract_balance", "property_gas", "transaction_gas", "gas_price", "max_code_size", "deploy_contracts"),
    *("deploy_bytecodes", "test_destruction", "allow_ffi", "target_balance", "block", "foundry"),
    *("medusa", "targets", "cheatcodes", "initial", "constructor_arguments"),
)
"""Settings on which it depends what a sequence of calls does, and which tests there are."""


def code_digests(project: Project, settings: CampaignSettings) -> dict[str, str]:
    """A digest by `path:Name` for the fuzzed contract, for those that are deployed before it, and for libraries."""
    named = {name for _, name in settings.deploy_contracts} | {each.name for each in settings.targets}
    return {
        contract.full_name: _digest(contract.creation_code, contract.runtime_code)
        for contract in sorted(project.contracts, key=lambda one: one.full_name)
        if contract.creation_code and _belongs(contract, settings.contract, named)
    }


def _belongs(contract: Contract, target: str, named: set[str]) -> bool:
    return (
        contract.full_name == target
        or contract.kind == "library"
        or not named.isdisjoint((contract.full_name, contract.name))
    )


def setting_digests(settings: CampaignSettings) -> dict[str, str]:
    """A digest for each setting of `DECIDING`, and for the block of a forked chain."""
    values = {name: getattr(settings, name) for name in DECIDING}
    values["fork"] = settings.fork.block if settings.fork is not None else None
    return {name: _digest(msgspec.msgpack.encode(value)) for name, value in values.items()}


def changed(before: dict[str, str], after: dict[str, str]) -> tuple[str, ...]:
    """Names whose digests differ or are on one side only, in order."""
    names: Iterable[str] = sorted(before.keys() | after.keys())
    return tuple(name for name in names if before.get(name) != after.get(name))


def _digest(*parts: bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:32]
