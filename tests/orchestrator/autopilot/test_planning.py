"""Plans that the autopilot makes from the text of contracts alone."""

from __future__ import annotations

import pytest

from orchestrator.autopilot.built_in import address_of, signature_of
from orchestrator.autopilot.linked import link
from orchestrator.autopilot.machine import Machine
from orchestrator.autopilot.planning import Goal, Plan, Planner
from orchestrator.autopilot.reading import read_contracts
from orchestrator.autopilot.world import Surroundings

SENDERS = (0x10000, 0x20000, 0x30000)
NOW = 1_524_785_992


def surroundings(source: str) -> Surroundings:
    contracts = read_contracts(source)
    linked = {name: link(contracts, name) for name in contracts}
    return Surroundings(
        linked, {name: 0xA0 + place for place, name in enumerate(linked)}, SENDERS, 0x30000, NOW, 4_370_000
    )


def plan(body: str, nodes: int = 400, kind: str = "false") -> Plan | None:
    """For the contract C with this body, whose last function is the property or the function with the assert."""
    source = f"contract C {{ {body} }}"
    world = surroundings(source)
    function = [each for ones in world.contracts["C"].functions.values() for each in ones][-1]
    signers = {address_of(1): 1}
    return Planner(world, Goal("C", function, kind), signers).step(nodes)


def calls(found: Plan | None) -> list[tuple[object, ...]]:
    assert found is not None, "there is a plan"
    return [(call.function.name, *call.arguments) for call in found[:-1]]


HIT = "bool hit; function f() external view returns (bool) { return !hit; }"


def test_arithmetic_is_inverted():
    found = plan(f"function go(uint256 x) external {{ require((x * 3 + 7) ^ 5 == 98); hit = true; }} {HIT}")
    assert calls(found) == [("go", 32)]


def test_members_of_a_hash_are_made_equal_one_by_one():
    body = """
        mapping(bytes32 => bool) seen; uint256 nonce = 5;
        function put(uint128 a, address b) external { nonce += 2; seen[keccak256(abi.encode(b, a, nonce))] = true; }
        function take(address b, uint256 n, uint128 a) external {
            require(seen[keccak256(abi.encode(b, a, n))]);
            hit = true;
        }
    """
    assert calls(plan(body + HIT)) == [("put", 1, SENDERS[0]), ("take", SENDERS[0], 7, 1)]


def test_roles_and_delays_are_kept():
    body = """
        address admin = msg.sender; address next; uint256 at;
        function name(address who) external { require(msg.sender == admin); next = who; at = block.timestamp + 2 days; }
        function accept() external { require(msg.sender == next && block.timestamp >= at && at != 0); hit = true; }
    """
    found = plan(body + HIT)
    assert calls(found) == [("name", SENDERS[0]), ("accept",)]
    assert found is not None
    assert found[0].sender == 0x30000
    assert found[1].seconds == 2 * 86_400


def test_a_counter_is_counted():
    body = "uint256 n; function add() external { n++; } function f() external view returns (bool) { return n < 40; }"
    assert len(calls(plan(body))) == 40


def test_ether_that_is_asked_for_is_sent():
    found = plan(f"function pay() external payable {{ require(msg.value == 3 ether); hit = true; }} {HIT}")
    assert found is not None
    assert found[0].value == 3 * 10**18


def test_a_signature_of_a_known_key_is_made():
    body = f"""
        function go(uint256 x, uint8 v, bytes32 r, bytes32 s) external {{
            require(ecrecover(keccak256(abi.encode(x)), v, r, s) == address({address_of(1):#042x}));
            hit = true;
        }}
    """
    ((name, number, *signature),) = calls(plan(body + HIT))
    assert name == "go"
    assert number == 1
    digest = 0xB10E2D527612073B26EECDFD717E6A320CF44B4AFAC2B0732D9FCBE2B7FA0CF6  # keccak256(uint256(1))
    assert tuple(signature) == signature_of(1, digest)


def test_a_preimage_that_the_constructor_hashed_is_given():
    body = """
        bytes32 head;
        constructor() { head = keccak256(abi.encode(keccak256(abi.encode(uint256(77))))); }
        function go(bytes32 x) external { require(keccak256(abi.encode(x)) == head); hit = true; }
    """
    assert len(calls(plan(body + HIT))) == 1


def test_large_numbers_are_read_exactly():
    number = 2**256 - 12_345
    assert calls(plan(f"function go(uint256 x) external {{ require(x == {number}); hit = true; }} {HIT}")) == [
        ("go", number)
    ]


def test_a_branch_that_returns_early_is_avoided():
    body = "function go(uint256 x) external { if (x != 9) return; hit = true; }"
    assert calls(plan(body + HIT)) == [("go", 9)]


def test_an_assert_is_a_goal_of_its_own():
    body = "uint256 n; function set(uint256 x) external { n = x; } function f() external { assert(n != 1234); }"
    assert calls(plan(body, kind="assert")) == [("set", 1234)]


def test_what_inherited_functions_and_modifiers_do_counts():
    source = """
        contract Base {
            address owner = msg.sender;
            bool hit;
            modifier only() { require(msg.sender == owner); _; }
            function go() external only { hit = true; }
        }
        contract C is Base { function f() external view returns (bool) { return !hit; } }
    """
    world = surroundings(source)
    function = world.contracts["C"].functions["f"][0]
    found = Planner(world, Goal("C", function, "false"), {}).step(200)
    assert found is not None
    assert [(call.function.name, call.sender) for call in found[:-1]] == [("go", 0x30000)]


def test_a_search_without_a_way_ends():
    assert plan("function f() external view returns (bool) { return true; }") is None


@pytest.mark.parametrize(
    "body",
    [
        "function f() external { assembly { revert(0, 0) } }",
        "function f(",
        "function f() external { try this.f() {} catch {} while (true) {} f(); }",
        "uint256[3 x; function f() public returns (bool) { return x[2 ** 300][type(uint256).max / 0]; }",
        'string s = "\\x4'.replace("\n", ""),
        "mapping(mapping(=>) y; struct S { } enum E { }",
        "uint256 x = 1e999999999; function f() external returns (bool) { return x == 2 ** 4096 ** 4096; }",
        "uint256[200][200][200][200] x; function f() external returns (bool) { return x[0][0][0][0] == 0; }",
        "/*" * 50_000,
    ],
)
def test_text_that_is_not_understood_does_no_harm(body: str):
    """It is left out, or is no plan; nothing is raised."""
    world = surroundings(f"contract C {{ {body} }} contract D {{ uint256 public x = 5; }}")
    Machine(world)
    functions = world.contracts["C"].functions.values() if "C" in world.contracts else ()
    for function in (each for ones in functions for each in ones):
        if function.body is not None and not function.parameters:
            Planner(world, Goal("C", function, "false"), {}).step(20)
