"""Reads of storage that get what stood there before the last write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from simulator.compile import CompileOptions, compile_targets
from simulator.mutation.choosing import choose_mutants
from simulator.mutation.mutant import Mutant
from simulator.mutation.trial import substitute_for
from simulator.project import Project
from simulator.transaction import Transaction
from simulator.worker.commands import Setup
from simulator.worker.setup import build_worker
from tests.simulator.mutation.conftest import settings_of

SOURCE = """// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;
contract Reads {
    struct Pair { uint128 first; uint128 second; }
    uint256 plain;
    Pair pair;
    mapping(address account => uint256 amount) amounts;
    function direct(uint256 value) external returns (uint256) { uint256 a = plain; plain = value; return plain + a; }
    function packed(uint256 value) external returns (uint256) {
        pair.second = 7;
        pair.first = uint128(value);
        return pair.first;
    }
    function keyed(uint256 value) external returns (uint256) {
        amounts[msg.sender] = value;
        return amounts[msg.sender];
    }
    function put(uint256 value) internal { plain = value; }
    function called(uint256 value) external returns (uint256) { put(value); return plain; }
    function looped(uint256 value) external returns (uint256 sum) {
        for (uint256 i = 0; i < 2; i++) { sum += plain; plain = value; }
    }
    function early(uint256 value) external returns (uint256 old) { old = plain; plain = value; }
    function local(uint256 value) external pure returns (uint256) { uint256 kept; kept = value; return kept; }
    function echidna_fine() external pure returns (bool) { return true; }
}
"""


@pytest.fixture(scope="module")
def reads(tmp_path_factory: pytest.TempPathFactory) -> Project:
    file = tmp_path_factory.mktemp("reads") / "Reads.sol"
    file.write_text(SOURCE)
    return compile_targets([file], CompileOptions())


@pytest.fixture(scope="module")
def stale(reads: Project) -> Mapping[str, Mutant]:
    """Mutants of the kind, by function."""
    mutants = choose_mutants(reads, lambda *_: True).mutants
    return {mutant.function: mutant for mutant in mutants if mutant.operator == "stale"}


def test_reads_that_come_after_a_write_to_the_same_place_are_found(stale: Mapping[str, Mutant]) -> None:
    """In the function, in what it called, and in a loop; none of what was read before or is no storage."""
    assert set(stale) == {"direct", "packed", "keyed", "called", "looped"}
    assert stale["keyed"].description == "amounts[msg.sender] -> amounts[msg.sender] (before its last write)"


@pytest.mark.parametrize(
    ("function", "results"),
    [("direct", (0, 10)), ("packed", (0, 5)), ("keyed", (0, 5)), ("called", (0, 5)), ("looped", (0, 10))],
)
def test_they_get_what_stood_there_before(
    function: str, results: tuple[int, int], reads: Project, stale: Mapping[str, Mutant], tmp_path: Path
) -> None:
    """Of two transactions with 5 and 9, what the write of the same transaction has changed is not seen."""
    path = tmp_path / "project"
    path.write_bytes(msgspec.msgpack.encode(reads))
    setup = Setup(0, 1, str(path).encode(), settings_of(reads, "Reads"))
    worker = build_worker(setup, substitute=substitute_for(stale[function]))
    selector = worker.deployment.target.abi.by_signature[f"{function}(uint256)"].selector
    calls = tuple(
        Transaction(
            sender=setup.settings.senders[0],
            to=setup.settings.contract_address,
            data=selector + value.to_bytes(32, "big"),
        )
        for value in (5, 9)
    )
    found = worker.replayer.replay(calls, None, trace=False).results
    assert tuple(int.from_bytes(each.output, "big") for each in found if each is not None) == results


def test_code_for_rules_without_transient_storage_has_none(reads: Project) -> None:
    """Its writes would fail, and every test seem to notice."""
    chosen = choose_mutants(reads, lambda *_: True, has_transient=False)
    assert chosen.late_reads == 5
    assert not [mutant for mutant in chosen.mutants if mutant.operator == "stale"]
