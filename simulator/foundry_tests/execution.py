"""Executing an exported test on our own EVM, in the world that forge gives its tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from simulator.abi.hashing import selector
from simulator.abi.reasons import decode_reason
from simulator.chain.opening import open_state
from simulator.chain.patience import Clock
from simulator.cheatcodes import install_cheatcodes
from simulator.compile.projects.linking import link
from simulator.evm.block import BlockEnvironment
from simulator.evm.forked_state import fork_chain
from simulator.evm.host import Host
from simulator.evm.machine import Machine
from simulator.evm.results import Result
from simulator.foundry_tests.model import FORK_VARIABLE
from simulator.foundry_tests.outcome import ExportOutcome
from simulator.foundry_tests.rendering import FUNCTION, TEST_ADDRESS
from simulator.fuzz.targets.surroundings import forked_block
from simulator.kernel_loader import load_kernel
from simulator.policy import USER, Policy
from simulator.project import Contract, Project
from simulator.settings import ForkSettings
from simulator.transaction import address_int

SENDER = 0x1804C8AB1F12E6BBF3894D4083F33E07309D1F38
BALANCE = (1 << 96) - 1
CHAIN_ID = 31_337
GAS = 1 << 40
ALIAS = "chain-of-the-campaign"


class Execution(msgspec.Struct, frozen=True):
    """One run: `contract` is the `path:Name` of the test in `project`. `libraries` are the addresses (20 bytes) that
    code is linked to, by `path:Name`. `fork` is the chain that the tests stand on."""

    project: Project
    contracts: tuple[str, ...]
    libraries: dict[str, bytes]
    evm_version: str
    gas_limit: int
    allow_ffi: bool = False
    policy: Policy = USER
    fork: ForkSettings | None = None


def execute(execution: Execution) -> dict[str, ExportOutcome]:
    """Execute `test_reproduce` of each contract and return the outcomes. Raises `SimulatorError` when there is no
    kernel to run it."""
    found = {each.full_name: each for each in execution.project.contracts}
    libraries = {name: address_int(address) for name, address in execution.libraries.items()}
    return {name: _run(execution, found[name], libraries) for name in execution.contracts}


def _run(execution: Execution, contract: Contract, libraries: Mapping[str, int]) -> ExportOutcome:
    machine = Machine(
        load_kernel(),
        Host,
        fork=execution.evm_version,
        chain=BlockEnvironment(gas_limit=execution.gas_limit, chain_id=CHAIN_ID),
        code_size_limit=0xFFFFFFFF,
    )
    unsupported: list[str] = []
    policy = execution.policy
    if execution.fork is not None:
        _put_on(machine, execution.fork, policy, unsupported.append)
        if policy.variables is not None:
            policy = replace(policy, variables=(*policy.variables, FORK_VARIABLE))
    install_cheatcodes(
        machine,
        execution.project,
        allow_ffi=execution.allow_ffi,
        warn=unsupported.append,
        fork=execution.fork,
        policy=policy,
    )
    for address in (SENDER, TEST_ADDRESS):
        machine.set_account(address, balance=BALANCE)
    outcome = _create_and_call(machine, link(contract.creation_code, contract.creation_links, libraries), contract)
    return msgspec.structs.replace(outcome, notes=tuple(note for note in unsupported if repr(ALIAS) not in note))


def _put_on(machine: Machine, fork: ForkSettings, policy: Policy, warn: Callable[[str], None]) -> None:
    """Put the machine on the campaign's chain, mostly from the campaign's cache. The test asks for it by an alias, so
    that contracts do not learn the URL and the keys in it."""
    state = open_state(fork.urls, fork.block, Path(os.fsdecode(fork.cache)), Clock(), warn, policy)
    fork_chain(machine, state, forked_block(fork.block))
    os.environ[FORK_VARIABLE] = ALIAS


def _create_and_call(machine: Machine, code: bytes, contract: Contract) -> ExportOutcome:
    created = machine.transact(sender=SENDER, to=None, create_address=TEST_ADDRESS, data=code, gas=GAS)
    if not created.success:
        return ExportOutcome("stopped", f"its constructor fails: {_reason(created)}")
    if any(entry.get("name") == "setUp" and not entry.get("inputs") for entry in contract.abi):
        result = machine.transact(sender=SENDER, to=TEST_ADDRESS, data=selector("setUp()"), gas=GAS)
        if not result.success:
            return ExportOutcome("stopped", f"setUp() fails: {_reason(result)}")
    result = machine.transact(sender=SENDER, to=TEST_ADDRESS, data=selector(f"{FUNCTION}()"), gas=GAS)
    if result.success:
        return ExportOutcome("passed")
    return ExportOutcome("failed", _reason(result))


def _reason(result: Result) -> str:
    if result.output:
        reason = decode_reason(result.output)
        return reason.message or reason.text
    return f"{result.status.name.lower().replace('_', ' ')} without a reason"
