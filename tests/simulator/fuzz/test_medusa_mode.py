"""Medusa's mode: properties, assertions and values to maximise at once, in all contracts that were deployed for it."""

from __future__ import annotations

import pytest

from simulator.errors import TargetError
from simulator.fuzz.checking.reasons import failure_reason
from simulator.modes.medusa_tests import MedusaTests
from simulator.settings import PlannedContract
from simulator.transaction import Transaction
from simulator.worker.setup import Worker
from tests.simulator.fuzz.conftest import MakeWorker

pytestmark = pytest.mark.integration

SOURCE = """
contract Store {
    uint256 public n; address public owner;
    constructor(uint256 start, address who) payable { n = start; owner = who; }
    function set(uint256 x) external { n = x; }
    function property_small() external view returns (bool) { return n < 1000; }
}
contract Target {
    event AssertionFailed(string why);
    Store public store; int256 public best;
    constructor(Store from) payable { require(msg.value == 7); store = from; }
    function divide(uint256 x) external pure returns (uint256) { return 1 / x; }
    function check(bool x) external { if (x) emit AssertionFailed("as in Echidna"); else assert(x); }
    function property_store() external view returns (bool) { return store.n() != 5; }
    function property_with(uint256 x) external { best = int256(x); }
    function optimize_best() external view returns (int256) { return best; }
}
"""
STORE, TARGET = b"\x01" * 20, b"\x02" * 20
PLAN = (
    PlannedContract("Store", STORE, arguments=b'{"start": "3", "who": "0x42"}'),
    PlannedContract("Target", TARGET, b"\x07", b'{"from": "DeployedContract:Store"}'),
)


def medusa(make_worker: MakeWorker, plan: tuple[PlannedContract, ...] = PLAN, **tests: object) -> Worker:
    return make_worker(
        SOURCE,
        "Target",
        test_mode="medusa",
        targets=plan,
        contract_address=plan[-1].address,
        medusa=MedusaTests(**tests),  # type: ignore[arg-type]
    )


def failures(worker: Worker, to: bytes, signature: str, *values: int) -> set[str]:
    """Names of the tests that one call breaks."""
    function = next(f for f in worker.functions if f.function.signature == signature)
    data = function.function.encode_call(list(values))
    call = Transaction(sender=worker.settings.senders[0], to=to, data=data)
    failed = worker.engine.execute((call,), check=True).failures
    return {f"{worker.oracles[test].contract}.{worker.oracles[test].name}" for test in failed} - {
        "Target.optimize_best"
    }


def test_all_kinds_of_tests_of_all_targets_run_at_once(make_worker: MakeWorker) -> None:
    """A function whose form is not that of a test is called like any other."""
    worker = medusa(make_worker)
    tests = {(each.contract, each.name, each.kind) for each in worker.oracles}
    assert {
        ("Store", "property_small", "property"),
        ("Store", "set(uint256)", "assertion"),
        ("Target", "property_store", "property"),
        ("Target", "property_with(uint256)", "assertion"),
        ("Target", "optimize_best", "optimization"),
    } <= tests
    assert [each.id for each in worker.oracles] == list(range(len(tests)))
    assert failures(worker, STORE, "set(uint256)", 5) == {"Target.property_store"}
    assert failures(worker, STORE, "set(uint256)", 1000) == {"Store.property_small"}


def test_constructors_get_their_arguments_and_ether(make_worker: MakeWorker) -> None:
    """By name, the address of a contract that was deployed before among them."""
    worker = medusa(make_worker)
    assert worker.machine.get_balance(int.from_bytes(TARGET, "big")) == 7
    at_store = failures(worker, STORE, "set(uint256)", 3)
    assert at_store == set()
    assert [each.contract.name for each in worker.deployment.targets] == ["Target", "Store"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (b"", r"the constructor takes arguments \(uint256,address\); give them by name in constructorArgs"),
        (b'{"start": "3"}', "constructorArgs of Store: arguments: who is missing"),
        (b'{"start": "x", "who": "0x1"}', "constructorArgs of Store: start: must be an uint256"),
        (b'{"start": "1", "who": "DeployedContract:Target"}', "who: Target is not deployed before this contract"),
        (b'{"start": "1", "who": "0x1", "why": "0x1"}', "no parameter is called why"),
    ],
)
def test_wrong_arguments_are_told_by_name(make_worker: MakeWorker, arguments: bytes, message: str) -> None:
    """With the contract, before anything is fuzzed."""
    with pytest.raises(TargetError, match=message):
        medusa(make_worker, (PlannedContract("Store", STORE, arguments=arguments), PLAN[1]))


def test_only_the_chosen_panics_fail_an_assertion(make_worker: MakeWorker) -> None:
    """`AssertionFailed` is Echidna's event; Medusa looks at panics alone."""
    worker = medusa(make_worker)
    assert failures(worker, TARGET, "check(bool)", False) == {"Target.check(bool)"}
    assert failures(worker, TARGET, "check(bool)", True) == set()
    assert failures(worker, TARGET, "divide(uint256)", 0) == set()
    division = medusa(make_worker, panic_codes=(0x12,))
    assert failures(division, TARGET, "divide(uint256)", 0) == {"Target.divide(uint256)"}
    assert failures(division, TARGET, "check(bool)", False) == set()


def test_the_reason_of_a_chosen_panic_is_the_panic(make_worker: MakeWorker) -> None:
    """With its code, traced."""
    worker = medusa(make_worker, panic_codes=(0x12,))
    oracle = next(each for each in worker.oracles if each.name == "divide(uint256)")
    divide = next(f.function for f in worker.functions if f.function.name == "divide")
    call = Transaction(sender=worker.settings.senders[0], to=TARGET, data=divide.encode_call([0]))
    replayed = worker.replayer.replay_for(oracle, (call,))
    assert failure_reason(oracle, replayed).startswith("Panic(0x12)")


def test_kinds_that_are_off_are_left_out_and_no_test_at_all_is_refused(make_worker: MakeWorker) -> None:
    """Unless the target need not have any: then it is explored."""
    only = medusa(make_worker, properties=(), assertions=False)
    assert [each.name for each in only.oracles] == ["optimize_best"]
    nothing = {"properties": (), "optimizations": (), "assertions": False}
    with pytest.raises(TargetError, match="no tests found in Target, Store"):
        medusa(make_worker, **nothing)
    assert [each.kind for each in medusa(make_worker, required=False, **nothing).oracles] == ["exploration"]


def test_cheatcodes_can_be_left_out(make_worker: MakeWorker) -> None:
    """The address then has no code, as on a chain."""
    source = """
    contract C { function f() external {} function property_code() external view returns (bool) {
        return address(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D).code.length == 0; } }
    """
    failing = {
        chosen: bool(
            (worker := make_worker(source, "C", test_mode="medusa", cheatcodes=chosen))
            .engine.execute((Transaction(sender=worker.settings.senders[0], to=b""),), check=True)
            .failures
        )
        for chosen in (True, False)
    }
    assert failing == {True: True, False: False}
