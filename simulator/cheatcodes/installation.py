"""Giving a machine its cheatcodes."""

from __future__ import annotations

from collections.abc import Callable

from simulator.cheatcodes.dispatch import Cheatcodes
from simulator.cheatcodes.gas import asks_for_last_call
from simulator.cheatcodes.session import Session
from simulator.cheatcodes.watcher import Watcher
from simulator.evm.machine import CHEATCODE_ADDRESS, CONSOLE_ADDRESS, Machine
from simulator.project import Project
from simulator.settings import ForkSettings


def install_cheatcodes(
    machine: Machine,
    project: Project,
    *,
    allow_ffi: bool,
    warn: Callable[[str], None],
    fork: ForkSettings | None = None,
) -> Cheatcodes:
    """Let contracts on this machine use cheatcodes. To be called once, before anything is deployed.

    Nothing is to be done when a sequence starts: whatever a cheatcode changed is undone by `Machine.rollback`, or by
    its native counterpart, to a mark taken before. `warn` hears each thing that is not supported once. With
    `allow_ffi`, contracts may run programs on this machine as this user. `fork` is the chain that the machine is on.
    """
    session = Session(machine, project, allow_ffi=allow_ffi, warn=warn, fork=fork)
    for address in (CHEATCODE_ADDRESS, CONSOLE_ADDRESS):
        session.give_some_code(address)
    if asks_for_last_call(project):
        session.measure_calls()
    cheatcodes = Cheatcodes(session)
    machine.host.cheatcodes = cheatcodes
    machine.host.watcher = Watcher(session)
    return cheatcodes
