"""From a project's tests to seeds for one campaign."""

from __future__ import annotations

from simulator.errors import SimulatorError
from simulator.fuzz.targets.deployment import Deployment
from simulator.fuzz.targets.target import TargetFunction
from simulator.project import Contract, Project
from simulator.seeding.execution import TestExecutor
from simulator.seeding.model import Seeds
from simulator.seeding.recorded_calls import record
from simulator.seeding.translation import Translator
from simulator.seeding.unit_tests import seeding_calls, seeding_contracts
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence

MAX_SEQUENCES = 1_000
MAX_TESTS = 4_000
MAX_GAS = 1 << 34
MAX_BYTES = 32 << 20
"""Of the gas of all tests with their deployments, and of the calldata of all seeds. Limits are of work and not of time,
so that the same seeds come out on any machine."""


def collect_seeds(
    tests: Project, settings: CampaignSettings, functions: list[TargetFunction], deployment: Deployment
) -> Seeds:
    """Execute the tests and scripts of a project once; `functions` and `deployment` are what the campaign calls."""
    return _Collection(tests, settings, functions, deployment).seeds()


class _Collection:
    def __init__(
        self, tests: Project, settings: CampaignSettings, functions: list[TargetFunction], deployment: Deployment
    ) -> None:
        self._tests = seeding_contracts(tests, settings.contract)
        self._executor = TestExecutor(tests, settings)
        self._translator = Translator(settings, functions, deployment.contracts)
        self._found: dict[Sequence, None] = {}
        self._executed: dict[str, bool] = {}
        self._bytes = 0
        self._failed = 0

    def seeds(self) -> Seeds:
        wanted = [f"{each.full_name}.{name}" for each in self._tests for name, _ in seeding_calls(each)]
        for contract in self._tests:
            if self._is_over():
                break
            try:
                self._run(contract)
            except SimulatorError:
                self._failed += 1
        return Seeds(
            tuple(self._found),
            len(self._tests),
            len(self._executed),
            sum(self._executed.values()),
            self._failed,
            len(set(wanted) - set(self._executed)) if self._is_over() else 0,
        )

    def _run(self, contract: Contract) -> None:
        for test in self._executor.run(contract):
            recording = record(test.roots, self._executor.contract_of, self._translator.wants, test.began)
            sequence = self._translator.sequence(recording)
            name = f"{contract.full_name}.{test.name}"
            self._executed[name] = self._executed.get(name, False) or bool(sequence)
            if sequence and sequence not in self._found:
                self._found[sequence] = None
                self._bytes += sum(len(call.data) for call in sequence)
            if self._is_over():
                return

    def _is_over(self) -> bool:
        if self._executor.gas > MAX_GAS or self._bytes > MAX_BYTES:
            return True
        return len(self._found) >= MAX_SEQUENCES or len(self._executed) >= MAX_TESTS
