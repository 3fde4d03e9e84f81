"""A part of Ethereum's official state tests, and the pieces that the runner is made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.evm.kernel_entry import Kernel
from simulator.evm.statetest.cases import StateTestError, read_cases
from simulator.evm.statetest.runner import CaseResult, run_case
from simulator.evm.statetest.state import EMPTY_ROOT, trie_root
from simulator.rlp import encode
from tests.support.state_tests import run_paths

ARCHIVE = Path(__file__).parents[4] / "shared" / "evm-state-tests" / "state-tests.tar.xz"
FOLDERS = ("stExample", "stCreate2", "stRevertTest", "stShift", "stReturnDataTest", "stSStoreTest", "stEIP1559")
FOLDERS += ("eip1153_tstore", "stStaticFlagEnabled", "stRandom", "stCallCodes", "eip6780_selfdestruct")
PLAIN_FILES = ("add.json", "tstoreGas.json", "randomStatetest133.json", "create2InitCodes.json")
MAX_BYTES = 200_000


@pytest.fixture(scope="session")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked archive, where there is one beside the checkout."""
    if not ARCHIVE.exists():
        pytest.skip("Ethereum's state tests are not beside this checkout (../shared/evm-state-tests)")
    import tarfile

    folder = tmp_path_factory.mktemp("state-tests")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.mark.parametrize("folder", FOLDERS)
def test_official_cases_pass(folder: str, official: Path, compiled: Kernel) -> None:
    """State root and logs hash of every case are as given."""
    failures: list[CaseResult] = []
    paths = [path for path in official.rglob(f"{folder}/*.json") if path.stat().st_size < MAX_BYTES]
    summary = run_paths(
        compiled, paths, None, lambda result: failures.append(result) if result.passed is False else None
    )
    assert failures == []
    assert summary.passed


@pytest.mark.parametrize("name", PLAIN_FILES)
def test_official_cases_pass_uncompiled(name: str, official: Path, plain: Kernel) -> None:
    """The plain twin executes the same source, with every address checked."""
    paths = sorted(official.rglob(name))[:1]
    cases = [case for path in paths for case in read_cases(path)][:4]
    assert [run_case(plain, case).reason for case in cases] == [""] * len(cases)


def test_rlp_encodes_the_yellow_papers_examples() -> None:
    """Strings, numbers, lists, and the long forms."""
    assert encode(b"dog") == b"\x83dog"
    assert encode([b"cat", b"dog"]) == b"\xc8\x83cat\x83dog"
    assert encode(0) == encode(b"") == b"\x80"
    assert encode(1024) == b"\x82\x04\x00"
    assert encode(b"\x0f") == b"\x0f"
    assert encode(bytes(56)) == b"\xb8\x38" + bytes(56)
    assert encode([bytes(60)])[:2] == b"\xf8\x3e"


def test_the_root_of_an_empty_trie_is_the_known_one() -> None:
    """keccak(rlp(''))"""
    assert trie_root({}) == EMPTY_ROOT
    assert EMPTY_ROOT.hex() == "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"


def test_a_root_does_not_depend_on_the_order_of_pairs() -> None:
    """And differs when a value does."""
    items = {bytes((index,)): bytes((index,)) * 40 for index in range(50)}
    assert trie_root(items) == trie_root(dict(reversed(items.items())))
    assert trie_root(items) != trie_root({**items, b"\x07": b"x"})


@pytest.mark.parametrize("text", ["", "[]", '{"a": {}}', '{"a": 1}', "{"])
def test_a_file_that_is_no_state_test_is_refused_by_name(text: str, tmp_path: Path) -> None:
    """The message names the file; no other error gets out."""
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(StateTestError, match=r"broken\.json"):
        list(read_cases(path))


def test_a_file_that_is_no_state_test_counts_as_a_failure(tmp_path: Path, compiled: Kernel) -> None:
    """The others still run."""
    (tmp_path / "a.json").write_text(json.dumps({"x": 1}))
    results: list[CaseResult] = []
    summary = run_paths(compiled, [tmp_path], None, results.append)
    assert summary.line == "0 passed, 1 failed, 0 skipped"
    assert "not a state test" in results[0].reason
