"""Executing tests and scripts for the calls that they make: in forge's world, each contract on a machine of its own.

What a test asserts does not matter here. Cheatcodes, files and programs are under the policy of the campaign.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from simulator.chain.opening import open_state
from simulator.chain.patience import Clock
from simulator.cheatcodes import FORGE_RULES, install_cheatcodes
from simulator.compile.projects.matching import CodeMatcher
from simulator.errors import SimulatorError
from simulator.evm.forked_state import fork_chain
from simulator.evm.host import Host
from simulator.evm.machine import Machine
from simulator.evm.tracer import CallNode, Tracer
from simulator.fuzz.targets.deployment import Deployer
from simulator.fuzz.targets.surroundings import executed_rules, forked_block, started_block
from simulator.kernel_loader import load_kernel
from simulator.modes.foundry import FOUNDRY
from simulator.modes.world import FOUNDRY_WORLD
from simulator.project import Contract, Project
from simulator.seeding.unit_tests import seeding_calls
from simulator.settings import CampaignSettings, in_world
from simulator.transaction import address_int

GAS = 1 << 28
"""Of one test."""
MAX_FRAMES = 50_000
MAX_BYTES = 64 << 20
"""Of the traces of one contract's deployment, or of one test."""


class TraceSizeError(SimulatorError):
    """A test makes more calls than its trace may hold."""

    code = "E_TRACE_TOO_LARGE"


class ExecutedTest:
    """The calls of one test: `roots` are those of deployment, `setUp` and the test, in this order. `began` are the
    timestamp and number of the block before them."""

    def __init__(self, name: str, roots: list[CallNode], began: tuple[int, int]) -> None:
        self.name = name
        self.roots = roots
        self.began = began


class TestExecutor:
    """Executes the test contracts of one project. `gas` is what they used so far, at least."""

    __test__ = False

    def __init__(self, project: Project, settings: CampaignSettings) -> None:
        self._project = project
        self._campaign = settings
        self.matcher = CodeMatcher(project)
        self.gas = 0

    def run(self, contract: Contract) -> Iterator[ExecutedTest]:
        """Deploy the contract, then execute each of its tests from there. Raises `SimulatorError` when it cannot be
        deployed, `setUp` fails, or a limit is reached."""
        settings = self._settings(contract)
        machine = self._machine(settings)
        began = machine.timestamp, machine.number
        deployed = machine.tracer = _BoundedTracer()
        try:
            deployment = Deployer(machine, self._project, settings, self.matcher).deploy()
        finally:
            self.gas += sum(root.gas_used or GAS for root in deployed.roots)
        if deployment.failure is not None:
            raise SimulatorError(f"{contract.full_name}: {deployment.failure.test}: {deployment.failure.reason}")
        for name, data in seeding_calls(contract):
            mark, timestamp, number = machine.mark(), machine.timestamp, machine.number
            called = machine.tracer = _BoundedTracer()
            try:
                machine.transact(
                    sender=address_int(settings.deployer), to=deployment.target.address, data=data, gas=GAS
                )
            finally:
                self.gas += sum(root.gas_used or GAS for root in called.roots)
            yield ExecutedTest(name, [*deployed.roots, *called.roots], began)
            machine.rollback(mark)
            machine.timestamp, machine.number = timestamp, number

    def contract_of(self, code: bytes) -> Contract | None:
        """The contract of the project that a created account's code is of."""
        return self.matcher.match(code, creation=False)

    def _settings(self, contract: Contract) -> CampaignSettings:
        campaign = self._campaign
        plain = CampaignSettings(
            contract=contract.full_name,
            test_mode=FOUNDRY.name,
            max_code_size=campaign.max_code_size,
            allow_ffi=campaign.allow_ffi,
            fork=campaign.fork,
            policy=campaign.policy,
        )
        return in_world(plain, FOUNDRY_WORLD, ())

    def _machine(self, settings: CampaignSettings) -> Machine:
        machine = Machine(
            load_kernel(),
            Host,
            fork=executed_rules(self._project, settings),
            chain=started_block(settings.block),
            code_size_limit=settings.max_code_size,
        )
        if fork := settings.fork:
            state = open_state(fork.urls, fork.block, Path(os.fsdecode(fork.cache)), Clock(), _nobody, settings.policy)
            fork_chain(machine, state, forked_block(fork.block))
        install_cheatcodes(
            machine,
            self._project,
            allow_ffi=settings.allow_ffi,
            warn=_nobody,
            fork=settings.fork,
            policy=settings.policy,
            rules=FORGE_RULES,
        )
        return machine


class _BoundedTracer(Tracer):
    """A tracer that gives up what would fill the memory."""

    def __init__(self) -> None:
        super().__init__()
        self._frames = self._bytes = 0

    def on_call(self, machine: Machine) -> None:
        super().on_call(machine)
        self._frames += 1
        self._bytes += machine.context.calldata_size
        if self._frames > MAX_FRAMES or self._bytes > MAX_BYTES:
            raise TraceSizeError(f"over {MAX_FRAMES:,} calls or {MAX_BYTES >> 20} MiB of calldata")


def _nobody(_: str) -> None:
    pass
