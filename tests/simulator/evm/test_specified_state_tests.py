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

from simulator.errors import TargetError
from simulator.evm.kernel_entry import Kernel
from simulator.evm.statetest.cases import BlockInput, cases_of_test
from simulator.evm.statetest.fork_names import fork_of_test, require_fork
from simulator.evm.statetest.runner import CaseResult, run_case, run_file
from simulator.evm.statetest.values import DocumentNode
from tests.support.state_tests import run_paths

FOLDER = Path(__file__).with_name("state_tests")
TESTS: dict[str, dict[str, Any]] = {
    name: test for file in sorted(FOLDER.glob("*.json")) for name, test in json.loads(file.read_bytes()).items()
}
UNCOMPILED = ("delegations are followed once", "calls of delegated accounts pay for both", "leading zeros are counted")


def results_of(kernel: Kernel, name: str, test: dict[str, Any]) -> list[CaseResult]:
    return [run_case(kernel, case) for case in cases_of_test("t.json", name, DocumentNode("t.json", name, test))]


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


@pytest.mark.parametrize("fork", ["ShanghaiToNowhereAtTime15k", "Amsterdam", "EOFv1"])
def test_an_unknown_fork_is_skipped(fork: str, tmp_path: Path, compiled: Kernel) -> None:
    """The reason names the fork as the file has it."""
    test = TESTS["the floor is paid"]
    path = tmp_path / "forks.json"
    path.write_text(json.dumps({"t": {**test, "post": {fork: test["post"]["Prague"]}}}))
    results: list[CaseResult] = []
    assert run_paths(compiled, [path], None, results.append).line == "0 passed, 0 failed, 1 skipped"
    assert results[0].reason == f"fork {fork} is not known"


@pytest.mark.parametrize(
    ("name", "time", "number", "expected"),
    [
        ("Cancun+3855", 0, 0, "cancun"),
        ("Cancun+1153+6780", 0, 0, "cancun"),
        ("London+Merge", 0, 0, "paris"),
        ("ShanghaiToCancunAtTime15k", 14_999, 1 << 40, "shanghai"),
        ("ShanghaiToCancunAtTime15k", 15_000, 0, "cancun"),
        ("ByzantiumToConstantinopleFixAt5", 1 << 40, 4, "byzantium"),
        ("ByzantiumToConstantinopleFixAt5", 0, 5, "petersburg"),
        ("OsakaToBPO1AtTime15k", 15_000, 0, "bpo1"),
        ("ArrowGlacier", 0, 0, "london"),
        ("BPO5", 0, 0, "bpo5"),
    ],
)
def test_forks_are_known_by_the_names_of_the_tests(name: str, time: int, number: int, expected: str) -> None:
    """Also with EIPs that they have, and where a block decides between two."""
    assert fork_of_test(name, BlockInput(0, number, time, 0, 0, None, None, None)).name == expected


@pytest.mark.parametrize(
    "name", ["London+3855", "Cancun+9999", "Cancun+x", "Cancun+", "NowhereToCancunAt5", ">=Berlin", ""]
)
def test_other_rules_are_not_guessed(name: str) -> None:
    """An EIP that the fork lacks, one that nobody knows, and names of no fork."""
    with pytest.raises(TargetError):
        require_fork(name)
