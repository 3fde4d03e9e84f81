"""Each point of a campaign's health is provoked by a small harness, and none by a harness in good health."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.health.model import CampaignHealth
from tests.support.health_bench import HealthBench, points_of

pytestmark = pytest.mark.integration

SICK = """
contract Coin {
    error Broke(uint256 wanted, uint256 had);
    mapping(address => mapping(address => uint256)) public allowance;
    function transferFrom(address from, uint256 amount) external view {
        if (amount % 7 == 3) revert Broke(amount, 0);
        require(allowance[from][msg.sender] > amount, "insufficient allowance");
    }
}
contract Vault {
    Coin immutable coin = new Coin();
    uint256 public total;
    function deposit(uint256 amount) external { coin.transferFrom(msg.sender, amount); total += amount; }
}
contract Forgotten { uint256 x; function poke() external { x++; } }
contract Sick {
    Vault immutable vault = new Vault();
    Forgotten immutable forgotten = new Forgotten();
    address owner = address(0xdead);
    uint256 never;
    uint256 count;
    uint256[] list;
    function deposit(uint256 amount) external { vault.deposit(amount); }
    function govern() external view { require(msg.sender == owner, "not the owner"); }
    function index() external { count = list[list.length]; }
    function divide() external { count = 1 / never; }
    function tick(uint8 by) external {
        count += by;
        if (count > 1 << 250) {
            count = 0;
        }
    }
    function peek() external view { require(never == 1); }

    function echidna_constant() public pure returns (bool) { return 1 + 1 == 2; }
    function echidna_unwritten() public view returns (bool) { return never == 0; }
    function echidna_total() public view returns (bool) { return vault.total() == 0; }
    function echidna_leaves() public view returns (bool) {
        if (count < 1 << 250) {
            return true;
        }
        return count != 1 << 255;
    }
    function echidna_fine() public view returns (bool) { return count <= (1 << 250) + 255; }
}
"""


@pytest.fixture(scope="module")
def sick(tmp_path_factory: pytest.TempPathFactory) -> CampaignHealth:
    return HealthBench(SICK, tmp_path_factory.mktemp("sick"), "Sick").fuzz()


def test_functions_that_always_revert_say_why_where_and_what_to_do(sick: CampaignHealth):
    found = points_of(sick, "never-succeeded")
    assert set(found) == {f"Sick.{name}" for name in ("deposit(uint256)", "index()", "divide()")}, found
    deposit = found["Sick.deposit(uint256)"]
    assert (deposit.file.rpartition("/")[2], deposit.line) == ("Target.sol", 9)
    assert "`insufficient allowance` at " in deposit.text
    assert "`Broke(" in deposit.text
    assert "always reverts (" in deposit.text
    assert "approve" in deposit.next_step
    assert "Panic(0x32)" in found["Sick.index()"].text
    assert "Panic(0x12)" in found["Sick.divide()"].text


def test_properties_that_nothing_could_change_are_vacuous(sick: CampaignHealth):
    found = points_of(sick, "vacuous-test")
    assert set(found) == {"echidna_constant", "echidna_unwritten", "echidna_total", "echidna_leaves"}
    assert "reads no state" in found["echidna_constant"].text
    assert "wrote anything that it reads" in found["echidna_unwritten"].text
    assert "wrote anything that it reads" in found["echidna_total"].text


def test_a_property_that_always_leaves_before_its_last_comparison_is_vacuous(sick: CampaignHealth):
    point = points_of(sick, "vacuous-test")["echidna_leaves"]
    assert "always left before its last comparison" in point.text
    assert f":{point.line + 4}" in point.text


def test_a_contract_that_no_call_enters_is_named(sick: CampaignHealth):
    (point,) = (point for point in sick.points if point.kind == "never-entered")
    assert point.text.startswith("Forgotten is deployed")


def test_a_branch_taken_one_way_tells_the_operands_and_what_was_needed(sick: CampaignHealth):
    (point,) = (point for point in sick.points if point.kind == "one-sided-branch" and "1 << 250" in point.text)
    assert "was never true" in point.text
    assert "with 1.81e+75" in point.text
    assert point.next_step.startswith("needs the first above the second")
    assert not point.weakens


def test_the_verdict_of_a_weak_campaign_is_thin_while_a_test_could_have_failed(sick: CampaignHealth):
    assert sick.verdict == "thin"
    assert "1 of 6 functions" in sick.summary
    assert "1 of 5 tests that passed could have failed" in sick.summary


HEALTHY = """
contract Healthy {
    uint256 total;
    mapping(address => uint256) balances;
    function add(uint8 amount) external { total += amount; balances[msg.sender] += amount; }
    function take(uint8 amount) external {
        require(balances[msg.sender] >= amount, "too much");
        balances[msg.sender] -= amount;
        total -= amount;
    }
    function check(uint8 amount) external view { assert(uint256(amount) + total >= total); }
    function echidna_sum() public view returns (bool) {
        if (total == 0) return true;
        return balances[address(0x10000)] <= total;
    }
    function echidna_writes() public returns (bool) { total += 1; return total > 0; }
    function echidna_revert_more() public { balances[msg.sender] - (balances[msg.sender] + 1); }
    function echidna_time() public view returns (bool) { return block.timestamp > 0; }
}
"""


@pytest.mark.parametrize("mode", ["property", "assertion"])
def test_a_campaign_in_good_health_is_sound_and_says_nothing(tmp_path: Path, mode: str):
    health = HealthBench(HEALTHY, tmp_path, test_mode=mode).fuzz()
    assert health.verdict == "sound"
    assert health.points == ()
    assert health.growth is not None
    assert health.growth.late_share == 0


def test_a_campaign_whose_calls_all_revert_is_vacuous(tmp_path: Path):
    source = """contract Closed {
        uint256 count;
        function open() external { count++; revert("closed"); }
        function echidna_small() public view returns (bool) { return count < 10; }
    }"""
    health = HealthBench(source, tmp_path).fuzz(2_000)
    assert health.verdict == "vacuous"
    assert health.points[0].kind == "nothing-succeeded"
    assert set(points_of(health, "vacuous-test")) == {"echidna_small"}


def test_a_campaign_of_constant_properties_is_vacuous(tmp_path: Path):
    source = """contract Constants {
        uint256 count;
        function tick() external { count++; }
        function echidna_one() public pure returns (bool) { return true; }
    }"""
    health = HealthBench(source, tmp_path).fuzz(2_000)
    assert health.verdict == "vacuous"


def test_assertions_that_never_run_are_told_by_line(tmp_path: Path):
    source = """contract Asserting {
        uint256 count;
        uint256 never;
        function first(uint8 by) external {
            count += by;
            if (never == 1) {
                assert(count > 0);
            }
        }
        function second(uint8 by) external {
            count += by;
            assert(count >= by);
            if (never == 2) {
                assert(count == 7);
            }
        }
        function guard() external view { if (never != 0) { assert(false); } }
        function tries(uint8 by) external {
            try this.second(by) {
                count += 1;
            } catch {
                assert(count > 1 << 255);
            }
        }
    }"""
    health = HealthBench(source, tmp_path, test_mode="assertion").fuzz(3_000)
    vacuous, unreached = points_of(health, "vacuous-test"), points_of(health, "unreached-assertion")
    assert list(vacuous) == ["first(uint8)"]
    assert "Target.sol:9, never ran" in vacuous["first(uint8)"].text
    assert [(point.function, point.line) for point in unreached.values()] == [("Asserting.second", 16)]


def test_a_foundry_test_that_rejects_every_input_is_vacuous(tmp_path: Path):
    source = """interface Vm { function assume(bool) external; }
    contract Rejecting {
        Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
        uint256 count;
        function setUp() public {}
        function testNothing(uint256 x) public { vm.assume(x != x); count = x; assert(count == x); }
        function testSomething(uint256 x) public { count = x; assert(count == x); }
    }"""
    health = HealthBench(source, tmp_path, test_mode="foundry", max_value=b"").fuzz(3_000)
    assert list(points_of(health, "vacuous-test")) == ["testNothing(uint256)"]


def test_a_test_that_always_leaves_before_its_assertions_says_where(tmp_path: Path):
    source = """contract Waiting {
        uint256 count;
        bool supported;
        function tick(uint8 by) external { count += by; assert(count >= by); }
        function guarded() external {
            require(supported, "not supported");
            assert(count == 0);
        }
    }"""
    health = HealthBench(source, tmp_path, test_mode="assertion").fuzz(2_000)
    point = points_of(health, "vacuous-test")["guarded()"]
    assert "as every call ends with `not supported` at " in point.text
    assert point.next_step == 'let calls get past `require(supported, "not supported");`'


def test_an_optimization_that_never_gave_a_value_is_vacuous(tmp_path: Path):
    source = """contract Optimum {
        int256 count;
        int256 never;
        function tick(int8 by) external { count += by; }
        function echidna_never() public view returns (int256) { require(never == 1); return count; }
        function echidna_count() public view returns (int256) { return count; }
    }"""
    health = HealthBench(source, tmp_path, test_mode="optimization").fuzz(3_000)
    found = points_of(health, "vacuous-test")
    assert list(found) == ["echidna_never"]
    assert "gave no value" in found["echidna_never"].text


def test_functions_that_filters_leave_out_are_told_and_weaken_nothing(tmp_path: Path):
    health = HealthBench(HEALTHY, tmp_path, filter_functions=("Healthy.check(uint8)", "Healthy.take(uint8)")).fuzz()
    found = points_of(health, "left-out-function")
    assert list(found) == ["Healthy.take(uint8)"]
    assert "filterFunctions leaves it out" in found["Healthy.take(uint8)"].text
    assert health.verdict == "sound"


def test_a_property_is_not_vacuous_once_a_sequence_has_written_what_it_reads(tmp_path: Path):
    """Of what others wrote counts the same as of its own contract, and what a failed call wrote does not count."""
    source = """contract Store { uint256 public held; function put(uint256 x) external { held = x; } }
    contract Harness {
        Store store = new Store();
        uint256 kept;
        function put(uint256 x) external { store.put(x); }
        function lose(uint256 x) external { kept = x; if (x < 1 << 255) revert(); kept = 0; }
        function echidna_held() public view returns (bool) { return store.held() >= 0; }
        function echidna_balance() public view returns (bool) { return address(this).balance >= 0; }
        receive() external payable {}
    }"""
    health = HealthBench(source, tmp_path, "Harness").fuzz(5_000)
    assert points_of(health, "vacuous-test") == {}


def test_calls_of_an_earlier_run_make_no_test_vacuous(tmp_path: Path):
    """What they wrote is not known any more, which the report says."""
    bench = HealthBench(HEALTHY, tmp_path, filter_functions=("Healthy.add(uint8)",))
    fresh = bench.fuzz(1_000)
    continued = bench.health(earlier_calls=100_000)
    assert set(points_of(fresh, "vacuous-test")) == {"echidna_sum", "echidna_revert_more"}
    assert not any("wrote anything" in point.text for point in continued.points)
    assert any("earlier run" in text for text in continued.looked_at)


def test_assertion_mode_without_an_assertion_is_vacuous(tmp_path: Path):
    source = "contract Silent { uint256 count; function tick(uint8 by) external { count += by; } }"
    health = HealthBench(source, tmp_path, test_mode="assertion").fuzz(1_000)
    assert health.verdict == "vacuous"
    assert health.points[0].kind == "nothing-asserted"


def test_a_property_that_takes_one_of_several_ways_to_a_comparison_is_not_vacuous(tmp_path: Path):
    source = """contract Ways {
        uint256 count;
        uint256 never;
        function tick(uint8 by) external { count += by; if (count > 1 << 250) never = 1; }
        function echidna_ways() public view returns (bool) {
            if (never == 0) {
                return count < 1 << 250;
            }
            return count == never;
        }
    }"""
    health = HealthBench(source, tmp_path).fuzz(2_000)
    assert points_of(health, "vacuous-test") == {}
