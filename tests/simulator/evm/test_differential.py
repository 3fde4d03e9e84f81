"""Random programs on the kernel and on revm: status, output, gas, logs, storage and balances agree."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from simulator.evm.kernel_entry import Kernel
from tests.support.random_programs import Scenario, scenarios
from tests.support.two_machines import disagreements

UNHURRIED = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


@settings(UNHURRIED, max_examples=300)
@given(scenario=scenarios)
def test_random_call_trees_agree_with_revm(compiled: Kernel, scenario: Scenario) -> None:
    """Three contracts that call each other, precompiles and what they create."""
    assert disagreements(compiled, scenario) == []


@pytest.mark.nightly
@settings(UNHURRIED, max_examples=20_000)
@given(scenario=scenarios)
def test_many_random_call_trees_agree_with_revm(compiled: Kernel, scenario: Scenario) -> None:
    """The same, 20,000 scenarios."""
    assert disagreements(compiled, scenario) == []
