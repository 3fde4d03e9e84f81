"""Trials of single mutants: what kills them, and what must not."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from simulator.errors import TargetError
from simulator.mutation.choosing import choose_mutants
from simulator.mutation.mutant import Mutant
from simulator.mutation.scope import scope_of
from simulator.mutation.trial import Original, TrialLimits, substitute_for, try_mutant
from simulator.project import Project
from simulator.transaction import Transaction
from simulator.worker.commands import Setup
from simulator.worker.setup import build_worker
from tests.simulator.mutation.conftest import settings_of

LIMITS = TrialLimits(calls=2_000, seconds=600.0, attempts=100)


@pytest.fixture
def setup(pot: Project, tmp_path: Path) -> Setup:
    path = tmp_path / "project"
    path.write_bytes(msgspec.msgpack.encode(pot))
    return Setup(0, 1, str(path).encode(), settings_of(pot, "PotHarness"))


def mutant_of(project: Project, description: str) -> Mutant:
    mutants = choose_mutants(project, scope_of(project, settings_of(project, "PotHarness"), ()).wants).mutants
    return next(mutant for mutant in mutants if mutant.description == description)


def test_a_mutant_is_killed_by_the_test_that_notices(pot: Project, setup: Setup) -> None:
    """With a sequence that the code as it is passes, as short as it can be."""
    tried = try_mutant(0, mutant_of(pot, "total += amount -> (not stored)"), setup, (), LIMITS, ())
    assert tried.status == "killed"
    assert [kill.test for kill in tried.kills] == ["echidna_total_is_the_sum_of_shares"]
    assert len(tried.kills[0].sequence) == 1
    assert Original.deploy(setup, ()).passes(tried.kills[0].test, tried.kills[0].sequence)


def test_a_mutant_that_fails_before_any_call_is_killed_without_a_sequence(pot: Project, setup: Setup) -> None:
    """All tests that notice are named."""
    tried = try_mutant(0, mutant_of(pot, "closed = true -> (not stored)"), setup, (), LIMITS, ())
    assert (tried.status, [(kill.test, kill.sequence) for kill in tried.kills]) == (
        "killed",
        [("echidna_the_keeper_can_close", ())],
    )


def test_the_corpus_kills_without_fuzzing(pot: Project, setup: Setup) -> None:
    """Replaying comes first."""
    limits = TrialLimits(calls=0, seconds=1.0, attempts=0)
    mutant = mutant_of(pot, "total += amount -> (not stored)")
    selector = build_worker(setup).deployment.target.abi.by_signature["pay(uint96)"].selector
    pay = Transaction(
        sender=setup.settings.senders[0],
        to=setup.settings.contract_address,
        data=selector + (5).to_bytes(32, "big"),
    )
    assert try_mutant(0, mutant, setup, (), limits, ()).status == "survived"
    assert try_mutant(0, mutant, setup, ((pay,),), limits, ()).status == "killed"


def test_a_mutant_that_nothing_notices_survives(pot: Project, setup: Setup) -> None:
    """After its share of calls."""
    mutant = mutant_of(pot, 'require(!closed, "closed") -> (left out)')
    tried = try_mutant(0, mutant, setup, (), LIMITS, ())
    assert (tried.status, tried.kills, tried.note) == ("survived", (), "")
    assert tried.calls >= LIMITS.calls


def test_a_test_that_is_left_out_kills_nothing(pot: Project, setup: Setup) -> None:
    """As one that fails without any mutant."""
    mutant = mutant_of(pot, "closed = true -> (not stored)")
    tried = try_mutant(0, mutant, setup, (), LIMITS, ("echidna_the_keeper_can_close",))
    assert tried.status == "survived"


def test_trials_are_the_same_for_a_seed(pot: Project, setup: Setup) -> None:
    """But for the time that they take."""
    mutant = mutant_of(pot, "shareOf[msg.sender] -= amount -> (not stored)")
    first, second = (
        msgspec.structs.replace(try_mutant(0, mutant, setup, (), LIMITS, ()), seconds=0.0) for _ in range(2)
    )
    assert first == second


def test_contracts_see_the_code_as_it_was(pot: Project, setup: Setup) -> None:
    """A mutant is in what runs, not in what can be read."""
    mutant = mutant_of(pot, "total += amount -> (not stored)")
    worker, original = build_worker(setup, substitute=substitute_for(mutant)), build_worker(setup)
    address = worker.deployment.target.address
    assert worker.machine.get_code(address) == original.machine.get_code(address)


def test_a_target_that_cannot_be_deployed_is_refused(setup: Setup) -> None:
    """Without a mutant there is nothing to compare with."""
    settings = msgspec.structs.replace(setup.settings, contract="Nothing.sol:Nothing")
    with pytest.raises(TargetError):
        Original.deploy(msgspec.structs.replace(setup, settings=settings), ())
