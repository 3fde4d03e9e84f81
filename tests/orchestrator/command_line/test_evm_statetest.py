"""`monotreme evm statetest`: counts, failures, exit codes, and what is no state test."""

from __future__ import annotations

import json
import math
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.command_line import evm_statetest
from orchestrator.command_line.entry import run
from simulator.evm.statetest.cases import StateTestError, cases_of_test, read_cases
from simulator.evm.statetest.runner import run_case
from simulator.evm.statetest.values import DocumentNode
from simulator.evm.statetest.workers import run_files
from simulator.kernel_loader import load_kernel, plain_kernel

SENDER = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"
SECRET_KEY = "0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8"
CONTRACT = "0x000000000000000000000000000000000000c0de"
ZEROS = "0x" + 64 * "0"
NO_LOGS = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"


@pytest.fixture(autouse=True)
def _no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines on progress come where the machine takes its time."""
    monkeypatch.setattr(evm_statetest, "QUIET_SECONDS", math.inf)


def state_test() -> dict[str, Any]:
    """One transaction that stores 1 in a slot; the expected root is not yet there."""
    return {
        "env": {
            "currentCoinbase": "0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba",
            "currentNumber": "0x01",
            "currentTimestamp": "0x03e8",
            "currentGasLimit": "0x05f5e100",
            "currentBaseFee": "0x0a",
            "currentRandom": ZEROS,
            "currentDifficulty": "0x00",
        },
        "pre": {
            SENDER: {"balance": "0x3635c9adc5dea00000", "nonce": "0x00", "code": "0x", "storage": {}},
            CONTRACT: {"balance": "0x00", "nonce": "0x01", "code": "0x600160005500", "storage": {"0x05": "0x07"}},
        },
        "transaction": {
            "data": ["0x"],
            "gasLimit": ["0x061a80"],
            "gasPrice": "0x0a",
            "nonce": "0x00",
            "secretKey": SECRET_KEY,
            "to": CONTRACT,
            "value": ["0x00"],
        },
        "post": {"Cancun": [{"hash": ZEROS, "logs": NO_LOGS, "indexes": {"data": 0, "gas": 0, "value": 0}}]},
    }


def write(path: Path, test: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"store": test}))
    return path


@pytest.fixture(scope="module")
def passing(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The state test with the root that the kernel as plain Python comes to."""
    test = state_test()
    path = write(tmp_path_factory.mktemp("plain") / "store.json", test)
    (case,) = read_cases(path)
    test["post"]["Cancun"][0]["hash"] = "0x" + run_case(plain_kernel(), case).state_root.hex()
    return test


def statetest(*arguments: str | Path) -> int:
    return run(["evm", "statetest", "--workers", "1", *map(str, arguments)])


def test_a_passing_case_is_counted(passing: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing but the closing line, and exit code 0."""
    assert statetest(write(tmp_path / "a.json", passing)) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed, 0 skipped\n"


def test_a_failing_case_is_listed_with_both_values(
    passing: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """File, name, fork, indexes, then expected and got for root and logs; exit code 1."""
    root = passing["post"]["Cancun"][0]["hash"]
    wrong = state_test()
    wrong["post"]["Cancun"][0]["logs"] = ZEROS
    path = write(tmp_path / "wrong.json", wrong)
    assert statetest(path) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"FAIL {path}: store[Cancun, data 0, gas 0, value 0]",
        f"     state root {root}, expected {ZEROS}",
        f"     logs hash {NO_LOGS}, expected {ZEROS}",
        "0 passed, 1 failed, 0 skipped",
    ]


def test_a_refused_transaction_fails_unless_it_is_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`expectException` is part of what is checked."""
    test = state_test()
    test["transaction"]["nonce"] = "0x05"
    assert statetest(write(tmp_path / "nonce.json", test)) == 1
    assert "     the transaction was refused\n" in capsys.readouterr().out


def test_an_unknown_fork_is_skipped_with_a_reason(
    passing: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other forks of the file run; a skip is no failure."""
    test = {**passing, "post": {**passing["post"], "Nowhere": passing["post"]["Cancun"]}}
    assert statetest(write(tmp_path / "forks.json", test)) == 0
    assert capsys.readouterr().out == "skipped 1: fork Nowhere is not known\n1 passed, 0 failed, 1 skipped\n"


def test_only_the_asked_fork_runs(passing: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By any of its names; a fork without cases is said."""
    test = {**passing, "post": {"Merge": state_test()["post"]["Cancun"], **passing["post"]}}
    path = write(tmp_path / "forks.json", test)
    assert statetest(path, "--fork", "cancun") == 0
    assert statetest(path, "--fork", "Paris") == 1
    assert statetest(path, "--fork", "Shanghai") == 0
    output, errors = capsys.readouterr()
    assert [line for line in output.splitlines() if "passed" in line] == [
        "1 passed, 0 failed, 0 skipped",
        "0 passed, 1 failed, 0 skipped",
        "0 passed, 0 failed, 0 skipped",
    ]
    assert "no cases of fork shanghai" in errors


def test_json_is_one_array(passing: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the order of the files; the counts go to stderr."""
    write(tmp_path / "b.json", {**passing, "post": {"Nowhere": passing["post"]["Cancun"]}})
    write(tmp_path / "a.json", passing)
    assert statetest(tmp_path, "--json") == 0
    output, errors = capsys.readouterr()
    assert errors == "1 passed, 0 failed, 1 skipped\n"
    place = {"d": 0, "g": 0, "v": 0}
    root = passing["post"]["Cancun"][0]["hash"]
    first = {"name": "store", "fork": "Cancun", "pass": True, "stateRoot": root, "logsHash": NO_LOGS, "error": None}
    second = {"name": "store", "fork": "Nowhere", "pass": None, "stateRoot": None, "logsHash": None}
    assert json.loads(output) == [
        {**first, "file": str(tmp_path / "a.json"), **place},
        {**second, "error": "fork Nowhere is not known", "file": str(tmp_path / "b.json"), **place},
    ]


def test_a_folder_is_searched_but_not_its_hidden_parts(
    passing: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fixtures come with an index in `.meta`."""
    for folder in ("x/y", ".meta"):
        (tmp_path / folder).mkdir(parents=True)
    write(tmp_path / "x/y/a.json", passing)
    (tmp_path / ".meta/index.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("")
    assert statetest(tmp_path, tmp_path / "x") == 0
    assert capsys.readouterr().out == "1 passed, 0 failed, 0 skipped\n"


def test_a_wrong_file_is_named_and_the_others_run(
    passing: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, file and place on stderr."""
    wrong = state_test()
    wrong["pre"][CONTRACT]["balance"] = "0xzz"
    path = write(tmp_path / "wrong.json", wrong)
    write(tmp_path / "right.json", passing)
    assert statetest(tmp_path) == 2
    output, errors = capsys.readouterr()
    assert output == "1 passed, 0 failed, 0 skipped\n"
    assert errors.startswith(f"error: {path}: not a state test: store.pre.{CONTRACT}.balance: '0xzz' is not a number")


def test_a_folder_may_hold_other_files(
    passing: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are skipped with a reason, unless they are named."""
    write(tmp_path / "right.json", passing)
    others = {"list.json": "[1]", "object.json": '{"name": "x", "a": {"b": 1}}', "text.json": '"x"'}
    for name, text in others.items():
        (tmp_path / name).write_text(text)
    assert statetest(tmp_path) == 0
    assert capsys.readouterr().out == "skipped 3: the file holds no test\n1 passed, 0 failed, 3 skipped\n"
    assert statetest(*(tmp_path / name for name in others)) == 2
    assert capsys.readouterr().err.count("not a state test") == len(others)


def test_addresses_and_slots_need_no_prefix(passing: dict[str, Any], tmp_path: Path) -> None:
    """As in older files."""
    test = json.loads(json.dumps(passing))
    test["pre"] = {address.removeprefix("0x"): state for address, state in test["pre"].items()}
    test["pre"][CONTRACT[2:]]["storage"] = {64 * "1": "0x05"}
    (case,) = read_cases(write(tmp_path / "t.json", test))
    assert case.pre.keys() == {int(SENDER, 16), int(CONTRACT, 16)}
    assert case.pre[int(CONTRACT, 16)].storage == {int(64 * "1", 16): 5}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.json"], "missing.json: no such file or folder"),
        (["."], ".: no .json files below this folder"),
        ([".", "--nonsense"], "Help: monotreme evm statetest --help"),
        ([".", "--fork", "Nowhere"], "'Nowhere'"),
        ([".", "--workers", "0"], "'--workers'"),
        ([], "Missing argument"),
    ],
)
def test_wrong_usage_ends_at_once(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2 and a line that says why."""
    monkeypatch.chdir(tmp_path)
    assert run(["evm", "statetest", *arguments]) == 2
    assert message in capsys.readouterr().err


PLACES = [
    (("env",), None, "store: 'env' is missing"),
    (("post",), [], "store.post: must be an object, is a list"),
    (("post", "Cancun"), {}, "store.post.Cancun: must be a list, is an object"),
    (("post", "Cancun", 0, "hash"), "0x11", "store.post.Cancun[0].hash: must have 32 bytes, has 1"),
    (("post", "Cancun", 0, "indexes"), "x", "store.post.Cancun[0].indexes: must be an object, is a text"),
    (("post", "Cancun", 0, "indexes", "data"), 1, "store.transaction.data: has 1 entries, index 1 is asked for"),
    (("post", "Cancun", 0, "indexes", "gas"), -1, "store.post.Cancun[0].indexes.gas: -1 is negative"),
    (("transaction", "gasLimit"), None, "store.transaction: 'gasLimit' is missing"),
    (("transaction", "value"), [True], "store.transaction.value[0]: must be a text, is true or false"),
    (("transaction", "secretKey"), ZEROS, "store.transaction.secretKey: is no key of secp256k1"),
    (("pre", CONTRACT, "code"), "0x123", f"store.pre.{CONTRACT}.code: '0x123' is not hex"),
    (("pre", CONTRACT, "balance"), "0x1" + 64 * "0", f"store.pre.{CONTRACT}.balance: 0x1000"),
    (("pre", CONTRACT, "storage"), {"zz": "0x1"}, f"store.pre.{CONTRACT}.storage.zz (its name): 'zz' is not a number"),
    (("env", "currentNumber"), 5000 * "9", "store.env.currentNumber: '9999"),
]


@pytest.mark.parametrize(("path", "value", "message"), PLACES)
def test_an_error_names_its_place(path: tuple[str | int, ...], value: Any, message: str, tmp_path: Path) -> None:
    """As the way to the value in the file."""
    test: Any = state_test()
    inner = test
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(StateTestError) as caught:
        list(read_cases(write(tmp_path / "t.json", test)))
    assert str(caught.value).startswith(f"{tmp_path}/t.json: not a state test: {message}")


@pytest.mark.parametrize("content", [b"", bytes(range(256)), b"[" * 200_000, b"null", b"[]", b"3"])
def test_what_is_no_json_object_is_refused(content: bytes, tmp_path: Path) -> None:
    """Whatever stands in the file."""
    path = tmp_path / "t.json"
    path.write_bytes(content)
    with pytest.raises(StateTestError, match=r"t\.json: not a state test"):
        list(read_cases(path))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 1 << 300) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from([path for path, _, _ in PLACES] + [("pre",), ("transaction",), ("transaction", "to")]), JSON)
def test_no_value_leads_to_another_error(path: tuple[str | int, ...], value: Any) -> None:
    """A file is read, or refused with its place."""
    test: Any = state_test()
    inner = test
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    try:
        cases = list(cases_of_test("t.json", "store", DocumentNode("t.json", "store", test)))
    except StateTestError as error:
        problem = str(error)
        assert problem.startswith("t.json: not a state test: store")
    else:
        assert len(cases) == sum(map(len, test["post"].values()))


def test_a_process_that_dies_costs_one_file(passing: dict[str, Any], tmp_path: Path) -> None:
    """The file in its hands is told, another process takes the rest."""
    files = [write(tmp_path / name, passing) for name in ("a.json", "b.json", "c.json")]
    results = run_files(files, None, 1, load_kernel)
    assert [case.passed for case in next(results).results] == [True]
    (process,) = multiprocessing.active_children()
    process.kill()
    process.join()
    second, third = results
    assert (second.path, second.died) == (files[1], "the process that ran it ended with -9")
    assert [case.passed for case in third.results] == [True]
    assert multiprocessing.active_children() == []
