"""State tests of the house, where the archive has none: of EIP-7702, 7623, 7939, 7883, 7823, 7825, 7951, 2537 and 7594,
and of destroyed and touched accounts in older forks.

The files in `state_tests` say in `_info.comment` what each of them shows. Roots and refusals were computed by
Ethereum's executable specification.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.evm.kernel_loader import Kernel
from simulator.evm.statetest.cases import cases_of_test
from simulator.evm.statetest.runner import CaseResult, run_case, run_file, run_paths
from simulator.evm.statetest.values import Node

FOLDER = Path(__file__).with_name("state_tests")
TESTS: dict[str, dict[str, Any]] = {
    name: test for file in sorted(FOLDER.glob("*.json")) for name, test in json.loads(file.read_bytes()).items()
}
UNCOMPILED = ("delegations are followed once", "calls of delegated accounts pay for both", "leading zeros are counted")


def results_of(kernel: Kernel, name: str, test: dict[str, Any]) -> list[CaseResult]:
    return [run_case(kernel, case) for case in cases_of_test("t.json", name, Node("t.json", name, test))]


@pytest.mark.parametrize("name", TESTS)
def test_a_case_comes_to_what_the_specification_comes_to(name: str, compiled: Kernel) -> None:
    """State root, logs hash and whether the transaction is refused, in each fork."""
    results = results_of(compiled, name, TESTS[name])
    assert [result.reason for result in results] == [""] * len(TESTS[name]["post"])
    assert all(result.passed for result in results)


@pytest.mark.parametrize("name", UNCOMPILED)
def test_a_case_comes_to_the_same_uncompiled(name: str, plain: Kernel) -> None:
    """The plain twin executes the same source."""
    assert [result.reason for result in results_of(plain, name, TESTS[name])] == [""] * len(TESTS[name]["post"])


def test_the_chain_id_of_the_file_counts(compiled: Kernel) -> None:
    """An authorization for chain 2 is good on chain 2, so the result differs from the one on chain 1."""
    name = "another chain is passed over"
    on_chain_2 = {**TESTS[name], "config": {"chainid": "0x02"}}
    assert not any(result.passed for result in results_of(compiled, name, on_chain_2))


def test_the_blob_schedule_of_the_file_counts(compiled: Kernel) -> None:
    """With at most five blobs, a transaction with six is refused."""
    name = "the blob base fee follows the schedule"
    schedule = {"target": "0x03", "max": "0x05", "baseFeeUpdateFraction": "0x4c6964"}
    test = {**TESTS[name], "config": {"blobSchedule": {"Prague": schedule}}}
    refused = [result.fork for result in results_of(compiled, name, test) if "was refused" in result.reason]
    assert refused == ["Prague"]


@pytest.mark.parametrize(
    ("member", "kind"),
    [("blocks", "blockchain test"), ("engineNewPayloads", "engine test"), ("txbytes", "transaction test")],
)
def test_tests_of_other_formats_are_skipped_by_name(member: str, kind: str, tmp_path: Path, compiled: Kernel) -> None:
    """A folder of fixtures holds several formats; the state tests of a file that is mixed run."""
    name = "the floor is paid"
    path = tmp_path / "mixed.json"
    path.write_text(json.dumps({"other": {member: [], "pre": {}, "network": "Prague"}, name: TESTS[name]}))
    other, *rest = run_file(compiled, path, None)
    assert (other.passed, other.reason, other.test) == (None, f"it is a {kind}, not a state test", "other")
    assert [result.passed for result in rest] == [True, True]


@pytest.mark.parametrize("fork", ["ShanghaiToCancunAtTime15k", "Amsterdam", "EOFv1"])
def test_a_transition_or_an_unknown_fork_is_skipped(fork: str, tmp_path: Path, compiled: Kernel) -> None:
    """The reason names the fork as the file has it."""
    test = TESTS["the floor is paid"]
    path = tmp_path / "forks.json"
    path.write_text(json.dumps({"t": {**test, "post": {fork: test["post"]["Prague"]}}}))
    results: list[CaseResult] = []
    assert run_paths(compiled, [path], None, results.append).line == "0 passed, 0 failed, 1 skipped"
    assert results[0].reason == f"fork {fork} is not known"
