"""Property calls are left out where nothing that they read has changed, and only there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from simulator.compile import CompileOptions, compile_targets
from simulator.evm import accounts, machine
from simulator.fuzz.native import phases
from simulator.settings import CampaignSettings
from simulator.transaction import Transaction
from simulator.worker.commands import Setup
from simulator.worker.setup import Worker, build_worker
from tests.support.random_contracts import random_contract

pytestmark = pytest.mark.integration

Found = list[tuple[int, int, dict[int, int]]]


def compile_source(source: str, folder: Path) -> Path:
    path = folder / "Target.sol"
    path.write_text("// SPDX-License-Identifier: Apache-2.0\npragma solidity 0.8.30;\n" + source)
    file = folder / "project.msgpack"
    file.write_bytes(msgspec.msgpack.encode(compile_targets([path], CompileOptions(solc_version="0.8.30"))))
    return file


def make_worker(project: Path, seed: int, **chosen: object) -> Worker:
    """A worker whose properties that fail as deployed are closed, as a session closes them."""
    settings_ = CampaignSettings(contract="Target.sol:Target", **chosen)  # type: ignore[arg-type]
    worker = build_worker(Setup(0, seed, os.fsencode(project), settings_), lambda _: None)
    wait = Transaction(sender=settings_.senders[0], to=b"")
    if settings_.test_mode != "optimization":
        for failed in worker.engine.execute((wait,), check=True).failures:
            worker.engine.oracles.set_open(failed, False)
    else:
        worker.engine.execute((wait,), check=True)
    return worker


def campaign(worker: Worker, calls: int) -> Found:
    """Every sequence that found something: its number, its last call with new coverage, and where properties failed.

    Properties stay open, so that each sequence says of every one of them where it fails. What they compare is a source
    of words when they are called, and so is left out.
    """
    worker.engine.logging = phases.LOG_NONE
    found: Found = []
    while (executed := worker.engine.fuzz(calls)) is not None:
        if executed.last_new >= 0:
            worker.engine.add_to_corpus(worker.engine.current_sequence(executed.last_new + 1))
        found.append((worker.engine.sequences, executed.last_new, executed.failures))
    return found


def compare(project: Path, seed: int, *, calls: int, optimization: bool, length: int) -> int:
    """Run a campaign both ways; returns in how many of its sequences a property failed."""
    chosen = {"sequence_length": length, "test_mode": "optimization" if optimization else "property"}
    skipping, always = make_worker(project, seed, **chosen), make_worker(project, seed, **chosen)
    always.engine.check_always(True)
    found = campaign(skipping, calls)
    assert found == campaign(always, calls)
    tests = [oracle.id for oracle in skipping.oracles]
    assert [skipping.engine.oracles.best(test) for test in tests] == [always.engine.oracles.best(t) for t in tests]
    return sum(1 for _, _, failures in found if failures)


@contextmanager
def small_machine(wanted: bool) -> Iterator[None]:
    """Storage maps that have to grow, and machines that are recycled often."""
    with pytest.MonkeyPatch.context() as patch:
        if wanted:
            patch.setattr(accounts, "FIRST_SLOTS", 64)
            patch.setattr(machine, "CROWDED_SLOTS", 0)
            patch.setattr(machine, "CROWDED_ACCOUNTS", 3)
        yield


def run_examples(folder: Path, examples: int, calls: int) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],  # a smaller seed is no simpler contract
        suppress_health_check=list(HealthCheck),
    )
    @given(
        seed=st.integers(0, 2**32), cheatcodes=st.booleans(), optimization=st.sampled_from((False, False, False, True))
    )
    def example(seed: int, cheatcodes: bool, optimization: bool) -> None:
        source = random_contract(seed, cheatcodes=cheatcodes, optimization=optimization)
        project = compile_source(source, folder)
        for length, small in ((2, False), (10, True), (40, False), (40, True)):
            with small_machine(small):
                compare(project, seed, calls=calls, optimization=optimization, length=length)

    example()


def test_skipping_changes_no_failure_of_random_campaigns(tmp_path: Path) -> None:
    """Each property fails at the same call of the same sequence as when all are called after every call."""
    run_examples(tmp_path, 3, 1000)


@pytest.mark.nightly
def test_skipping_changes_no_failure_of_many_random_campaigns(tmp_path: Path) -> None:
    """The same with more contracts and longer campaigns."""
    run_examples(tmp_path, 100, 10_000)


ORDERED = """
contract Target {
    uint256 private picked;
    mapping(uint256 => uint256) private numbers;
    function low() external { numbers[2] = 3; }
    function pick() external { require(numbers[2] == 3); picked = 2; }
    function high() external { require(picked == 2); numbers[2] = 7; }
    function echidna_never_seven() external view returns (bool) { return numbers[picked] != 7; }
}
"""
CREATED = """
contract Kid {}
contract Target {
    uint256 private x;
    address private later = address(uint160(uint256(keccak256(abi.encodePacked(
        hex"ff", address(this), bytes32(0), keccak256(type(Kid).creationCode)
    )))));
    function make() external { new Kid{salt: 0}(); }
    function set(uint256 v) external { x = v % 4; }
    function echidna_nothing_there() external view returns (bool) {
        address place = later;
        return x != 3 || place.code.length == 0;
    }
}
"""
REPLACED = """
contract Kid {
    uint256 public value;
    function set(uint256 v) external { value = v; }
}
contract Target {
    Kid private kid = new Kid();
    function renew() external { kid = new Kid(); }
    function set(uint256 v) external { kid.set(v % 4); }
    function pay() external payable {}
    function echidna_not_three() external view returns (bool) { return kid.value() != 3; }
    function echidna_poor() external view returns (bool) { return address(this).balance < 3 ether; }
}
"""


@pytest.mark.parametrize("source", [ORDERED, CREATED, REPLACED], ids=["ordered", "created", "replaced"])
def test_states_that_come_back_hide_nothing(source: str, tmp_path: Path) -> None:
    """What a property would have read counts as read; outcomes are forgotten where codes or storages change."""
    project = compile_source(source, tmp_path)
    assert compare(project, 1, calls=6000, optimization=False, length=12) > 100
