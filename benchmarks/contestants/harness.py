"""Any project's harness as a campaign in this process: compiled and configured as `monotreme fuzz` would."""

from __future__ import annotations

import os
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from benchmarks.contestants.campaign import Spent
from benchmarks.contestants.targets import CompiledTarget, Target
from benchmarks.measuring.errors import BenchmarkError
from orchestrator.command_line.fuzz import configuration_layers
from orchestrator.configuration.decide import DecisionInputs, make_request
from orchestrator.configuration.errors import ConfigurationError
from orchestrator.configuration.resolve import resolve
from simulator.compile import choose_contract, compile_targets
from simulator.worker.channel import Channel
from simulator.worker.commands import Fuzz, Setup, Shrink
from simulator.worker.reports import Falsified, FromWorker
from simulator.worker.session import Session
from simulator.worker.setup import build_worker


@dataclass(frozen=True)
class Harness:
    """`project` is what `monotreme fuzz` takes: a file, or a folder with a project. `contract` None leaves the choice
    to the compiler's rules."""

    project: Path
    contract: str | None = None
    configuration: Path | None = None
    mode: str | None = None

    def below(self, folder: Path) -> Harness:
        """The same, its paths being relative to a folder."""
        configuration = folder / self.configuration if self.configuration else None
        return Harness(folder / self.project, self.contract, configuration, self.mode)


HARNESSES = (
    ("properties", Harness(
        Path("tests/ERC4626/foundry"), "CryticERC4626InternalHarness", Path("tests/ERC4626/foundry/echidna.yaml")
    )),
    ("solidity-fuzzing-comparison", Harness(Path(), "OmniAdvancedFoundry", None, "foundry")),
)  # fmt: skip
"""Harnesses of public projects, by the folders of these: crytic's suite for ERC-4626 vaults, and a lending protocol."""


@dataclass(frozen=True)
class HarnessSpent(Spent):
    """`cpu` are the processor's seconds for this process, `shrunk` the failures that were shrunk meanwhile."""

    cpu: float
    shrunk: int


def compile_harness(harness: Harness, folder: Path) -> CompiledTarget:
    """Compile into `folder`. Raises `SimulatorError`, and `BenchmarkError` for what the command line would refuse."""
    if not harness.project.exists():
        raise BenchmarkError(f"{harness.project}: there is no such file or folder")
    flags = {"contract": harness.contract, "test_mode": harness.mode, "test_limit": 1}
    try:
        resolved = resolve(configuration_layers(harness.configuration, flags))
        request = make_request((harness.project.resolve(),), resolved.configuration, DecisionInputs.observe())
    except (ConfigurationError, click.UsageError) as error:
        raise BenchmarkError(str(error)) from error
    project = compile_targets(request.paths, request.compile_options())
    contract = choose_contract(project, request.contract, request.configuration.prefix).contract
    path = folder / "harness.project"
    path.write_bytes(msgspec.msgpack.encode(project))
    unit = next(unit for unit in project.units if contract in unit.contracts)
    target = Target(contract.full_name.rpartition(":")[2], "harness", harness.project)
    return CompiledTarget(target, path, request.settings_for(contract), unit.evm_version)


class _Listening(Channel):
    """A channel to nowhere that keeps the failures, which a supervisor would send back to be shrunk."""

    def __init__(self) -> None:
        commands, self._never_written = os.pipe()
        super().__init__(commands, os.open(os.devnull, os.O_WRONLY))
        self.failures: deque[Falsified] = deque()

    def send(self, frame: FromWorker) -> None:
        if isinstance(frame, Falsified):
            self.failures.append(frame)
        super().send(frame)


class HarnessCampaign:
    """A worker that continues after failures, each of which is shrunk at once, as with one worker of the command."""

    def __init__(self, compiled: CompiledTarget, seed: int) -> None:
        self.compiled = compiled
        self.worker = build_worker(Setup(0, seed, os.fsencode(compiled.project), compiled.settings))
        self._channel = _Listening()
        self.session = Session(self.worker, self._channel)
        ready = self.session.ready()
        self.decided = len(ready.falsified_at_start)
        self.contracts = len(self.worker.deployment.contracts)
        if not self.worker.engine.can_fuzz:
            raise BenchmarkError(f"{compiled.target.name}: there is nothing to call")

    def fuzz(self, calls: int) -> HarnessSpent:
        """Fuzz at least `calls` more calls."""
        engine = self.worker.engine
        before, clock, processor, shrunk = engine.calls, time.perf_counter(), time.process_time(), 0
        while engine.calls - before < calls:
            self.session.fuzz(Fuzz(calls - (engine.calls - before)))
            while self._channel.failures:
                found = self._channel.failures.popleft()
                attempts = self.worker.settings.shrink_limit
                self.session.shrink(Shrink(found.test, found.sequence, attempts, site=found.site))
                shrunk += 1
        seconds, cpu = time.perf_counter() - clock, time.process_time() - processor
        return HarnessSpent(engine.calls - before, seconds, cpu, shrunk)
