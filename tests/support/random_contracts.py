"""Writes contracts whose state, and whose properties' view of it, go through everything that a property can read."""

from __future__ import annotations

import random

_PROLOGUE = """
interface Vm {
    function warp(uint256) external;
    function deal(address, uint256) external;
    function store(address, bytes32, bytes32) external;
    function etch(address, bytes calldata) external;
    function prank(address) external;
    function startPrank(address) external;
    function stopPrank() external;
    function snapshot() external returns (uint256);
    function revertTo(uint256) external returns (bool);
}

contract Kid {
    uint256 public value;
    uint256[3] public more;
    constructor() payable {}
    receive() external payable {}
    function set(uint256 v) external { value = v; }
    function spread(uint256 i, uint256 v) external { more[i] = v; }
    function fail(uint256 v) external { value = v + 1; more[1]++; require(v % 2 == 0); }
    function who() external view returns (address) { return msg.sender; }
    function die(address payable to) external { selfdestruct(to); }
}

contract Maker {
    function make() external returns (Kid) { return new Kid(); }
}

contract Target {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address payable private constant FRIEND = payable(address(0x123456));
    uint256 private a;
    uint256 private b;
    uint128 private p;
    uint128 private q;
    uint256 private last;
    uint256 private lock;
    uint256 private saved;
    mapping(address => uint256) private m;
    mapping(uint256 => uint256) private n;
    uint256[] private list;
    Maker private maker = new Maker();
    Kid private kid = new Kid();
    Kid[3] private kids;
    uint256 private immutable start = block.timestamp;
    uint256 private immutable first = block.number;
    receive() external payable {}
    function chain(uint256 from) private view returns (uint256) {
        for (uint256 i = 0; i < 3; i++) from = n[from % 4];
        return from;
    }
"""

FEW_STATES = 12
"""So many of the first statements write storage alone, and small numbers: the same states come back."""

_STATEMENTS = (
    "a = x % 7;",
    "a = y % 7; b += x % 3;",
    "b += y % 5;",
    "m[msg.sender] = x % 6;",
    "m[address(uint160(0x10000 * (1 + x % 3)))] += y % 4;",
    "n[x % 4] = y % 6;",
    "n[chain(x)] = y % 4;",
    "list.push(x % 20);",
    "if (list.length > 0) list.pop();",
    "if (list.length > 2) delete list;",
    "kid.set(x % 9);",
    "kid.spread(x % 3, y % 5);",
    "if (x % 5 == 0) kid = new Kid();",
    "if (x % 7 == 0) kid = new Kid{salt: bytes32(y % 3)}();",
    "kids[x % 3] = kid;",
    "if (address(kids[x % 3]) != address(0)) kids[x % 3].set(y % 9);",
    "if (x % 6 == 0) kid = maker.make();",
    "try kid.fail(x) { a++; } catch { b++; }",
    "if (x % 4 == 0) kid.die(y % 2 == 0 ? FRIEND : payable(address(this)));",
    "FRIEND.transfer(address(this).balance / (2 + x % 3));",
    "(bool ok,) = address(kid).call{value: address(this).balance / 3}(''); require(ok);",
    "last = block.timestamp;",
    "p = uint128(x % 5);",
    "q += uint128(y % 3);",
    "a++; require(x % 3 != 0);",
    "a++; kid.set(a); b++; require(y % 2 != 0);",
    "assembly { tstore(1, x) } n[2] = y % 5;",
    "require(lock == 0); lock = 1; b++; lock = 0;",
    "delete n[x % 4];",
)

_CHEATS = (
    "vm.warp(block.timestamp + x % 1000);",
    "vm.deal(address(kid), x % 50);",
    "vm.store(address(this), bytes32(uint256(0)), bytes32(y % 7));",
    "vm.etch(FRIEND, x % 2 == 0 ? bytes(hex'00') : bytes(''));",
    "vm.prank(FRIEND);",
    "kid.who();",
    "if (saved == 0) saved = vm.snapshot() + 1;",
    "if (saved != 0) vm.revertTo(saved - 1);",
)

_CONDITIONS = (
    "a != {k}",
    "b < {k} * 3",
    "p + q < {k} * 2",
    "lock == 0",
    "m[address(0x10000)] != {k}",
    "m[address(uint160(0x10000 * (1 + a % 3)))] < {k} * 2",
    "n[a % 4] != {k}",
    "n[3] + n[1] < {k} * 2",
    "chain(b) != {k}",
    "list.length < {k}",
    "(list.length == 0 || list[list.length - 1] != {k})",
    "kid.value() != {k}",
    "kid.more(a % 3) != {k}",
    "kid.who() == address(this)",
    "(address(kids[1]) == address(0) || kids[1].value() != {k})",
    "address(this).balance < {k} * 1000",
    "address(kid).balance < {k} * 10",
    "FRIEND.balance < {k} * 100",
    "FRIEND.code.length == 0",
    "address(kid).code.length > 0",
    "address(kids[{k} % 3]).codehash == bytes32(0)",
    "block.timestamp < start + {k} days",
    "block.timestamp - last < {k} days + start",
    "block.number < first + {k} * 500",
    "(a != 3 || block.timestamp < start + {k} hours)",
    "(b < 4 || address(this).balance != {k})",
    "gasleft() > {k}",
    "blockhash(block.number - 1) != bytes32(0)",
)

_WRITING_CONDITIONS = (
    "writes({k})",
    "creates({k})",
    "catches({k})",
    "pays({k})",
    "destroys({k})",
)

_HELPERS = """
    function writes(uint256 k) private returns (bool) { n[k % 4] = k; a++; return chain(a) != k - 1; }
    function creates(uint256 k) private returns (bool) { Kid made = new Kid(); made.set(a); return made.value() != k; }
    function catches(uint256 k) private returns (bool) {
        try kid.fail(b) { return a != k; } catch { return p != k; }
    }
    function pays(uint256 k) private returns (bool) {
        (bool ok,) = FRIEND.call{value: k * 10}('');
        return !ok || FRIEND.balance < k * 40;
    }
    function destroys(uint256 k) private returns (bool) { new Kid{value: k}().die(FRIEND); return true; }
"""


def random_contract(seed: int, *, cheatcodes: bool, optimization: bool = False) -> str:
    """The source text of a contract `Target`; the same for the same arguments."""
    rng = random.Random(seed)
    statements = _STATEMENTS + _CHEATS if cheatcodes else _STATEMENTS
    if rng.random() < 0.4:
        statements = _STATEMENTS[:FEW_STATES]
    parts = [_PROLOGUE, _HELPERS]
    for number in range(rng.randint(3, 8)):
        body = " ".join(f"{{ {each} }}" for each in rng.choices(statements, k=rng.randint(1, 3)))
        payable = "payable " if rng.random() < 0.4 else ""
        parts.append(f"    function f{number}(uint256 x, uint256 y) external {payable}{{ {body} }}")
    parts.append("    function look(uint256 x) external view returns (uint256) { return n[x % 4] + a; }")
    parts += [_property(rng, number, optimization=optimization) for number in range(rng.choice((2, 5, 9, 70)))]
    return "\n".join([*parts, "}"])


def _property(rng: random.Random, number: int, *, optimization: bool) -> str:
    chosen = [_condition(rng) for _ in range(rng.choice((1, 1, 2)))]
    together = rng.choice((" && ", " || ")).join(chosen)
    if optimization:
        terms = "int256(chain(a)) + int256(b % 11)" if rng.random() < 0.5 else "int256(kid.value() + list.length)"
        return f"    function echidna_{number}() public returns (int256) {{ return {together} ? {terms} : int256(0); }}"
    if rng.random() < 0.1:
        return f"    function echidna_revert_{number}() public {{ require(!({together})); }}"
    return f"    function echidna_{number}() public returns (bool) {{ return {together}; }}"


def _condition(rng: random.Random) -> str:
    pool = _WRITING_CONDITIONS if rng.random() < 0.12 else _CONDITIONS
    return rng.choice(pool).format(k=rng.randint(1, 9))
