"""The verdict on a campaign: sound, thin or vacuous, with what stands behind it."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.health.evidence import CheckedTest, Evidence
from simulator.health.functions import function_points, nothing_succeeded
from simulator.health.model import (
    DECISIVE,
    MAX_POINTS,
    CampaignHealth,
    Growth,
    HealthPoint,
    Verdict,
)
from simulator.health.plateau import growth_of, growth_points
from simulator.health.reach import branch_points, entry_points
from simulator.health.tests import asserts_nothing, test_points
from simulator.modes.foundry import FOUNDRY


def assess(evidence: Evidence) -> CampaignHealth:
    """Takes from microseconds to tenths of a second. `vacuous` means that no test that passed could have failed, or
    that nothing was called with success; `thin` that some point weakens the campaign. Where tests failed, that is
    worth something, and the verdict is `thin` at worst."""
    points = sorted(_points(evidence), key=lambda point: not point.weakens)
    verdict = _verdict(evidence, points)
    growth = growth_of(evidence.observations)
    return CampaignHealth(
        verdict,
        _summary(evidence, points, growth),
        tuple(points[:MAX_POINTS]),
        growth,
        tuple(_looked_at(evidence)),
        max(0, len(points) - MAX_POINTS),
    )


def _points(evidence: Evidence) -> Iterator[HealthPoint]:
    is_open = any(test.passed for test in evidence.tests)
    if not evidence.calls:
        waiting = [test for test in evidence.tests if test.passed and not _is_unit_test(evidence, test)]
        if evidence.functions and waiting:
            yield HealthPoint(
                "nothing-fuzzed", "no call was made: tests were checked as deployed, and on the corpus if there is one",
                "raise --test-limit or --timeout",
            )  # fmt: skip
        elif any(test.kind in ("property", "optimization") for test in waiting):
            yield HealthPoint(
                "nothing-fuzzed", "there is no function to call: tests were checked in the deployed state alone",
                "add handlers that change what the tests read, or call all deployed contracts: --all-contracts",
            )  # fmt: skip
    elif nothing_succeeded(evidence):
        yield HealthPoint(
            "nothing-succeeded", f"all {evidence.calls:,} calls reverted: no state was ever tested but the first",
            "mend the functions below, beginning with the set-up",
        )  # fmt: skip
    if asserts_nothing(evidence):
        yield HealthPoint(
            "nothing-asserted", "no code that is measured holds an assertion: assertion mode has nothing to find",
            "write assertions, or choose another --test-mode",
        )  # fmt: skip
    tests = list(test_points(evidence))
    yield from tests
    vacuous = {point.test for point in tests if point.kind == "vacuous-test"}
    told = frozenset((test.contract, test.name) for test in evidence.tests if test.name in vacuous)
    yield from function_points(evidence, told)
    yield from entry_points(evidence)
    if is_open:
        yield from growth_points(evidence.observations)
    yield from branch_points(evidence)


def _is_unit_test(evidence: Evidence, test: CheckedTest) -> bool:
    """Return whether it was decided by the one execution that it has, which is no random call."""
    is_foundry = evidence.settings.test_mode == FOUNDRY.name
    return is_foundry and test.kind == "assertion" and test.name.endswith("()")


def _verdict(evidence: Evidence, points: list[HealthPoint]) -> Verdict:
    weakening = [point for point in points if point.weakens]
    if not weakening:
        return "sound"
    failed = any(not test.passed for test in evidence.tests)
    vacuous = {point.test for point in points if point.kind == "vacuous-test"}
    passed = [test for test in evidence.tests if test.passed]
    is_empty = bool(passed) and all(test.name in vacuous for test in passed)
    if not failed and (is_empty or any(point.kind in DECISIVE for point in points)):
        return "vacuous"
    return "thin"


def _summary(evidence: Evidence, points: list[HealthPoint], growth: Growth | None) -> str:
    parts = []
    called = [function for function in evidence.functions if function.calls]
    if called:
        succeeded = sum(not function.never_succeeded for function in called)
        parts.append(f"{succeeded} of {len(called)} functions that were called succeeded")
    if passed := [test for test in evidence.tests if test.passed]:
        is_empty = any(point.kind == "nothing-fuzzed" for point in points)
        units = sum(_is_unit_test(evidence, test) for test in passed)
        vacuous = len(passed) - units if is_empty else sum(point.kind == "vacuous-test" for point in points)
        parts.append(f"{len(passed) - vacuous} of {len(passed)} tests that passed could have failed")
    elif evidence.tests:
        parts.append("no test passed")
    if growth is not None:
        parts.append(f"the last new coverage came after {growth.last_new:,} of {growth.calls:,} calls")
    return "; ".join(parts)


def _looked_at(evidence: Evidence) -> Iterator[str]:
    seen = evidence.observations
    yield (
        f"coverage and counts of all {evidence.calls:,} calls; reasons and operands from {seen.sequences:,} sequences "
        "that brought coverage"
    )
    if not evidence.settings.coverage:
        yield "reasons, operands and growth were not looked at: coverage is false"
    elif not seen.tests:
        yield "reads of properties, reasons and operands were not looked at: no worker has reported them"
    elif evidence.calls and not evidence.knows_writes:
        yield "whether anything that a test reads was written was not looked at: most calls are of an earlier run"
    if not evidence.files:
        yield "lines were not looked at: there is no coverage of sources"
