"""Verdicts that are known to differ from forge's, by contract and test. Each is a gap to be closed, not a choice."""

from __future__ import annotations

from collections.abc import Mapping

from tests.differential.verdicts import Difference

_SKIPS = "skipped tests are reported as passed"
_BUDGET = "rejections are counted up to forge's limit, which takes more calls than a short campaign has"
KNOWN: Mapping[str, tuple[frozenset[str], str]] = {
    "State": (frozenset(("test_skipped()", "test_skippedForAReason()", "test_skippedLate()")), _SKIPS),
    "Failing5": (frozenset(("test_skips_inside_plainly()",)), _SKIPS),
    "Inputs0": (
        frozenset(("testFuzz_skips(uint256)", "testFuzz_skipsHalf(uint256)", "testFuzz_assumeNone(uint256)")),
        f"{_SKIPS}; {_BUDGET}",
    ),
    "OwnSkips": (frozenset(("invariant_x()",)), _SKIPS),
    "SetUpSkips": (frozenset(("setUp()",)), _SKIPS),
    "World": (frozenset(("test_factoryIsThere()",)), "the CREATE2 factory is not deployed"),
    "OnAssumesFalseOfAnother": (
        frozenset(("invariant_holds()", "invariant_holdsStrictly()", "invariant_neverCalled()")),
        _BUDGET,
    ),
    "OwnAfterWithArgument": (frozenset(("invariant_x()",)), "afterInvariant with arguments is not called"),
    "OwnAssumes": (frozenset(("invariant_x()",)), "an invariant that rejects at the start is not failed"),
    "StoryDealAndSwallow": (frozenset(("invariant_poor()",)), "a balance set in a reverted frame ends with the call"),
    "BeforeTest": (frozenset(("test_needsFirst()",)), "beforeTestSetup has no effect"),
    "SetUpWithArgument": (
        frozenset(("setUp()", "test_isNotSet()", "test_isSet()")),
        "a setUp with arguments alone does not fail the contract",
    ),
    "FailNames": (frozenset(("test_other()",)), "tests beside testFail* are reported"),
    "ChooseSelectorUnknown": (
        frozenset(("invariant_leftA()", "invariant_leftB()", "invariant_own()", "invariant_right()")),
        "a targeted selector that does not exist is passed over",
    ),
    "ChooseSenderBothWays": (frozenset(("invariant_byTest()",)), "the test itself is never a sender"),
    "ChooseSenderExcluded": (frozenset(("invariant_byTest()",)), "the test itself is never a sender"),
    "TargetMadeInside": (frozenset(("invariant_later()",)), "contracts that handlers create are no targets"),
}


def is_known(difference: Difference) -> bool:
    """Whether a difference is one of these."""
    tests, _ = KNOWN.get(difference.contract, (frozenset(), ""))
    return difference.test in tests
