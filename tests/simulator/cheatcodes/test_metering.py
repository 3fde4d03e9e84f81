"""Gas that is not metered, and storage that is arbitrary."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from simulator.cheatcodes import ECHIDNA_RULES, FORGE_RULES, CheatcodeRules
from simulator.project import Project
from tests.support.cheatcode_bench import GAS, Bench

BOTH = pytest.mark.parametrize("rules", [ECHIDNA_RULES, FORGE_RULES])


@pytest.fixture
def deploy(make_bench: Callable[..., Bench], project: Project) -> Callable[[CheatcodeRules], Bench]:
    def made(rules: CheatcodeRules) -> Bench:
        bench = make_bench(project, rules=rules)
        bench.deploy("Unmetered")
        return bench

    return made


@BOTH
def test_a_paused_section_uses_no_gas(deploy: Callable[[CheatcodeRules], Bench], rules: CheatcodeRules) -> None:
    """Calls in it neither; the same section uses much where it is not paused."""
    bench = deploy(rules)
    assert bench.get("used", False) > 10_000  # type: ignore[operator]
    assert bench.get("used", True) < 5_000  # type: ignore[operator]
    assert bench.get("shown") == 0


@BOTH
def test_a_call_in_a_paused_section_needs_no_gas(
    deploy: Callable[[CheatcodeRules], Bench], rules: CheatcodeRules
) -> None:
    """Also where its caller gives it too little. The transaction has used what it used before and after."""
    bench = deploy(rules)
    result = bench.call("limited")
    assert result.success
    assert 0 < result.gas_used < GAS


def test_a_pause_outlives_the_revert_of_its_frame_in_forge_alone(deploy: Callable[[CheatcodeRules], Bench]) -> None:
    assert deploy(FORGE_RULES).get("usedAfterRevert") == 0
    assert deploy(ECHIDNA_RULES).get("usedAfterRevert") > 5_000  # type: ignore[operator]


def test_arbitrary_slots_are_those_that_were_not_written(deploy: Callable[[CheatcodeRules], Bench]) -> None:
    """And the same word each time."""
    bench = deploy(FORGE_RULES)
    own, other = bench.values("arbitrary")
    assert own == 7
    assert other != bytes(32)
    assert bench.values("arbitrary") == (7, other)
