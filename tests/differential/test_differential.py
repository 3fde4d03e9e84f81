"""Our verdicts on generated Foundry tests are forge's: a part of them here, all of them at night beside forge."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.compile import CompileOptions, compile_targets
from tests.differential.expected import load_expected
from tests.differential.forge import find_forge, run_forge
from tests.differential.in_process import InProcess
from tests.differential.known import is_known
from tests.differential.ours import run_ours
from tests.differential.suite import generate
from tests.differential.verdicts import compare

MIN_TESTS = 300
# One or two for each thing that forge does in its own way.
QUICK = (
    "BeforeAll",
    "Broadcasts",
    "ChooseSelectorOfLeft",
    "ChooseSelectorUnknown",
    "ChooseTargetThis",
    "ExpectCall1",
    "ExpectRevert1",
    "Fixtures",
    "InvExSender",
    "InvSender",
    "OldNotesInHandler",
    "OnVmAssertEqOfAnother",
    "OnVmAssertEqTextOfAnother",
    "OwnAfterFails",
    "OwnAssumesLate",
    "OwnReturnsSignedReverts",
    "OwnShallow",
    "OwnSkipsAtStart",
    "OwnSkipsLate",
    "SetUpPrank",
    "SetUpRecord",
    "SetUpReverts",
    "SetUpSkips",
    "SetUpWithArgument",
    "SignedAsserts",
    "StoryCountAndRevert",
    "StoryDealAndRevert",
    "StoryDealAndSwallow",
    "StoryPrankAndRevert",
    "StoryPrankLeftOpenSeen",
    "StoryWarp",
    "TargetMadeInside",
)
QUICK_FILES = ("Surprises",)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> InProcess:
    """The quick part of the suite, compiled."""
    folder = tmp_path_factory.mktemp("suite")
    generate().only(QUICK, QUICK_FILES).write(folder)
    return InProcess(compile_targets([folder], CompileOptions()), folder)


def test_the_suite_is_the_recorded_one() -> None:
    """The same contracts each time, and enough of them."""
    expected = load_expected()
    assert generate() == generate()
    assert {each.name for each in generate().contracts} <= set(expected.contracts)
    assert sum(len(expected.verdicts(name)) for name in expected.contracts) >= MIN_TESTS


@pytest.mark.parametrize("contract", QUICK)
def test_our_verdicts_are_those_that_forge_gave(engine: InProcess, contract: str) -> None:
    """On a part of the suite that has something of everything."""
    assert list(compare(contract, load_expected().verdicts(contract), engine.run(contract))) == []


@pytest.mark.parametrize("contract", ["Broadcasts", "ExpectCall1", "ExpectRevert1"])
def test_verdicts_stay_where_the_gas_of_calls_is_measured(
    engine: InProcess, contract: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project that asks for `lastCallGas` has every frame watched, and what is remembered of them changed."""
    monkeypatch.setattr("simulator.cheatcodes.installation.asks_for_last_call", lambda _project: True)
    assert list(compare(contract, load_expected().verdicts(contract), engine.run(contract))) == []


@pytest.mark.nightly
def test_all_verdicts_that_forge_gave_are_ours(tmp_path: Path) -> None:
    """The whole suite without a forge; known gaps aside."""
    generate().write(tmp_path)
    engine, expected = InProcess(compile_targets([tmp_path], CompileOptions()), tmp_path), load_expected()
    found = [
        difference
        for contract in expected.contracts
        for difference in compare(contract, expected.verdicts(contract), engine.run(contract))
        if not is_known(difference)
    ]
    assert list(map(str, found)) == []


@pytest.mark.nightly
@pytest.mark.integration
@pytest.mark.skipif(find_forge() is None, reason="needs forge on PATH or at FORGE")
def test_no_other_verdict_of_the_program_differs_from_forges(tmp_path: Path) -> None:
    """The whole suite, each contract with a campaign of its own, beside the real forge; known gaps aside."""
    forge = find_forge()
    assert forge is not None
    generate().write(tmp_path)
    verdicts = run_forge(forge, tmp_path)
    assert {each.name for each in generate().contracts} <= set(verdicts)
    found = [
        difference
        for contract, wanted in sorted(verdicts.items())
        for difference in compare(contract, wanted, run_ours(tmp_path, contract))
        if not is_known(difference)
    ]
    assert list(map(str, found)) == []
