"""Giving a machine its cheatcodes."""

from __future__ import annotations

from collections.abc import Callable

from simulator.cheatcodes.console import answer_console
from simulator.cheatcodes.core.rules import ECHIDNA_RULES, CheatcodeRules
from simulator.cheatcodes.core.session import Session
from simulator.cheatcodes.dispatch import Cheatcodes
from simulator.cheatcodes.state.accounts import CREATE2_DEPLOYER
from simulator.cheatcodes.state.gas import asks_for_last_call
from simulator.cheatcodes.watcher import Watcher
from simulator.evm.addresses import CHEATCODE_ADDRESS, CONSOLE_ADDRESS
from simulator.evm.machine import Machine
from simulator.policy import USER, Policy
from simulator.project import Project
from simulator.settings import ForkSettings


def install_cheatcodes(
    machine: Machine,
    project: Project,
    *,
    allow_ffi: bool,
    warn: Callable[[str], None],
    fork: ForkSettings | None = None,
    policy: Policy = USER,
    rules: CheatcodeRules = ECHIDNA_RULES,
) -> Cheatcodes:
    """Let contracts on this machine use cheatcodes. To be called once, before anything is deployed.

    Nothing is to be done when a sequence starts: whatever a cheatcode changed is undone by `Machine.rollback`, or by
    its native counterpart, to a mark taken before. `warn` hears each thing that is not supported once. With
    `allow_ffi`, contracts may run programs on this machine as this user. `fork` is the chain that the machine is on.
    `policy` decides on files, variables and programs in the end. `rules` say whose semantics cheatcodes have.
    """
    session = Session(machine, project, allow_ffi=allow_ffi, warn=warn, fork=fork, policy=policy, rules=rules)
    machine.context.ends_pranks = not rules.pranks_outlive_transactions
    machine.context.cheatcodes_are_free = rules.calls_are_free
    machine.context.native_cheatcodes = True
    machine.context.effects_outlive_reverts = rules.effects_outlive_reverts
    if rules.broadcasts_are_transactions:
        machine.context.factory = machine.accounts.record(CREATE2_DEPLOYER)
    session.give_some_code(CHEATCODE_ADDRESS)
    if rules.console_has_code:
        session.give_some_code(CONSOLE_ADDRESS)
    if rules.console_is_strict:
        machine.context.console_may_revert = True
        machine.host.console = answer_console
    if asks_for_last_call(project):
        session.measure_calls()
    cheatcodes = Cheatcodes(session)
    machine.host.cheatcodes = cheatcodes
    machine.host.watcher = Watcher(session)
    return cheatcodes
