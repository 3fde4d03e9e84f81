"""Points that need no execution: what was never called, and conditions that nothing can change."""

from __future__ import annotations

import pytest

from simulator.health.assessment import assess
from simulator.health.evidence import CalledFunction, CheckedTest, Evidence
from simulator.health.functions import CALLS_EACH
from simulator.health.model import CampaignHealth
from simulator.health.reach import is_constant
from simulator.project import Project
from simulator.settings import CampaignSettings

TEST = CheckedTest(0, "echidna_fine", "property", "Pot", True)


def health_of(*functions: CalledFunction, calls: int) -> CampaignHealth:
    settings = CampaignSettings(contract="Pot.sol:Pot")
    return assess(Evidence(settings, Project("", ()), calls, (TEST,), functions))


def test_a_function_that_was_never_drawn_weakens_a_campaign_of_enough_calls() -> None:
    """In a short one that is chance."""
    called, never = CalledFunction("Pot", "pay()", False, 90, 0), CalledFunction("Pot", "take()", False, 0, 0)
    health = health_of(called, never, calls=2 * CALLS_EACH)
    assert [(point.kind, point.function) for point in health.points] == [("never-called", "Pot.take()")]
    assert (health.verdict, health.points[0].next_step) == ("thin", "raise its weight, or let the campaign run longer")
    assert health_of(called, never, calls=CALLS_EACH).verdict == "sound"


def test_a_function_that_an_agent_left_out_is_told_and_weakens_nothing() -> None:
    """It was chosen so."""
    never = CalledFunction("Pot", "take()", False, 0, 0, excluded=True)
    health = health_of(CalledFunction("Pot", "pay()", False, 90, 0), never, calls=10_000)
    assert [(point.kind, point.function) for point in health.points] == [("left-out-function", "Pot.take()")]
    assert health.verdict == "sound"


def test_a_campaign_without_a_call_is_vacuous() -> None:
    """Its tests were checked as deployed."""
    health = health_of(CalledFunction("Pot", "pay()", False, 0, 0), calls=0)
    assert (health.verdict, health.points[0].kind) == ("vacuous", "nothing-fuzzed")


def test_a_campaign_on_properties_with_nothing_to_call_is_vacuous() -> None:
    """They hold of one state. Unit tests need no function."""
    health = health_of(calls=0)
    assert (health.verdict, health.points[0].kind) == ("vacuous", "nothing-fuzzed")
    assert "--all-contracts" in health.points[0].next_step
    assert "0 of 1 tests that passed could have failed" in health.summary
    unit, fuzzed = (CheckedTest(0, name, "assertion", "Pot", True) for name in ("test_it()", "test_it(uint256)"))
    settings, function = (
        CampaignSettings(contract="Pot.sol:Pot", test_mode="foundry"),
        CalledFunction("Pot", "f()", False, 0, 0),
    )
    assert assess(Evidence(settings, Project("", ()), 0, (unit,), (function,))).verdict == "sound"
    assert assess(Evidence(settings, Project("", ()), 0, (unit, fuzzed), (function,))).verdict == "vacuous"


@pytest.mark.parametrize("source", ["while (true) {", 'require(false, "never");', "for { let t := v } 1 {} {"])
def test_nobody_is_asked_to_change_a_constant(source: str) -> None:
    assert is_constant(source)


@pytest.mark.parametrize("source", ["if (trueName) {", "require(x != 1);", "for (uint i = 0; i < 3; i++) {"])
def test_what_depends_on_something_is_no_constant(source: str) -> None:
    assert not is_constant(source)
