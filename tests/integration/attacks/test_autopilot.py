"""Sources that are written against the scripted agent: none of them takes the memory, the time or the campaign."""

from __future__ import annotations

import tracemalloc

import pytest

from orchestrator.autopilot.linked import link
from orchestrator.autopilot.planning import Goal, Planner
from orchestrator.autopilot.reading import read_contracts
from orchestrator.autopilot.world import Surroundings

MEMORY = 200 << 20
SOUND = "function echidna_sound() external view returns (bool) { return total < 5; }"
LONG = 5_000


def nested(name: str, depth: int) -> str:
    """Structs of which each has the next one twice."""
    pairs = (f"struct {name}{level} {{ {name}{level + 1} a; {name}{level + 1} b; }}" for level in range(depth))
    return f"{' '.join(pairs)} struct {name}{depth} {{ uint256 a; }}"


BODIES = {
    "powers of powers": "function go(uint256 x) external { x = 4096; total = ((2 ** x) ** x) ** x; }",
    "powers that wrap": "function go(uint256 x) external {"
    " unchecked { for (;;) { x = (x + 7) ** 4095; total = x; } } }",
    "a type of the contract's own": "struct uint99999999999 { uint256 a; } uint99999999999 wide;"
    " function go() external { total = wide.a + uint256(uint99999999999(1).a); }",
    "bytes of the contract's own": "struct bytes99999999999 { uint256 a; } bytes99999999999 wide;",
    "an array of arrays": "uint256[256][256][256][256] all; function go() external { total = all[1][2][3][4]; }",
    "arrays in a mapping": "mapping(uint256 => uint256[256][256]) all;"
    " function go() external {"
    " for (uint256 i; i < 5000; i++) all[i][1][1] = i; total = 9; }",
    "an argument of arrays": "function go(uint256[256][256][256][256] calldata all) external {"
    " total = all[1][2][3][4]; }",
    "structs of structs": f"{nested('S', 60)} S0 all; function go() external {{ total = all.a.a.a.b.a.a; }}",
    "a text that doubles": "function go() external { bytes memory s = 'abcd';"
    " for (uint256 i; i < 500; i++) s = abi.encodePacked(s, s); total = s.length; }",
    "copies of an array": "uint256[][] all; function go() external { uint256[] memory a = new uint256[](1000);"
    " for (uint256 i; i < 500; i++) for (uint256 j; j < 500; j++) all.push(a); total = all.length; }",
    "a number below what a size can be": "function go() external {"
    " uint256[] memory a = new uint256[](-5); total = 9; }",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_a_contract_says_takes_bounded_memory(body: str) -> None:
    tracemalloc.start()
    try:
        contracts = read_contracts(f"contract C {{ uint256 total; {body} {SOUND} }}")
        world = Surroundings({"C": link(contracts, "C")}, {"C": 0xA0}, (0x10000,), 0x10000, 1_700_000_000, 5)
        goal = Goal("C", contracts["C"].functions["echidna_sound"][0], "false")
        Planner(world, goal, {}).step(1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MEMORY


SOURCES = {
    "a number that no type holds": "contract C { uint256 x = 1e999999999; }",
    "digits without an end": f"contract C {{ uint256 x = {'9' * 20_000}; }}",
    "quotes that do not end": "contract C { bytes x = " + r"'\\" * LONG,
    "comments that do not end": "contract C {} " + "/* " * LONG,
    "brackets that do not end": "contract C { function f( " * LONG,
    "heads that do not end": "contract C is B( " * LONG,
    "a contract without a name": "contract",
    "blocks in blocks": "contract C { function f() public " + "{" * LONG,
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_any_text_is_read_to_its_end(source: str) -> None:
    assert isinstance(read_contracts(source), dict)
