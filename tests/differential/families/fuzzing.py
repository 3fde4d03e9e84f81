"""Tests with parameters: what every or no input breaks, assumptions, bounds, fixtures, tables."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.differential.families.failures import FAILURES, PLACES
from tests.differential.families.writing import TestContract, contract, function, in_groups, set_up

FIELDS = "Failures failures;\nRelay relay;\nCounter counter;\n"
SET_UP = set_up("failures = new Failures();\nrelay = new Relay();\ncounter = new Counter();")
SAMPLE = 40
GROUP = 24

# Parameters, and a condition that holds for about half of all inputs, or for every one.
PARAMETERS: dict[str, tuple[str, str]] = {
    "number": ("uint256 x", "x % 2 == 0"),
    "small": ("uint8 x", "x < 128"),
    "signed": ("int256 x", "x >= 0"),
    "account": ("address x", "uint160(x) % 2 == 0"),
    "flag": ("bool x", "x"),
    "word": ("bytes32 x", "uint256(x) % 2 == 1"),
    "selector": ("bytes4 x", "uint32(x) % 2 == 0"),
    "text": ("string memory x", "bytes(x).length + 1 > 0"),
    "data": ("bytes memory x", "x.length + 1 > 0"),
    "list": ("uint256[] memory x", "x.length + 1 > 0"),
    "fixed": ("uint256[3] memory x", "x[0] % 2 == 0"),
    "choice": ("Failures.Choice x", "uint256(x) < 2"),
    "pair": ("uint256 x, address y", "x % 2 == 0 || uint160(y) % 2 == 0"),
    "three": ("uint256 x, bytes calldata y, bool z", "z || x % 2 == 0 || y.length == 0"),
}

BODIES: dict[str, tuple[str, str]] = {
    "never": ("uint256 x", "assertTrue(x <= type(uint256).max);"),
    "assumeAll": ("uint256 x", "vm.assume(x == x);\nassertTrue(true);"),
    "assumeNone": ("uint256 x", "vm.assume(x == 1234567891011121314151617181920);\nassertTrue(true);"),
    "assumeNever": ("uint256 x", "vm.assume(uint256(keccak256(abi.encode(x))) < 1000);"),
    "assumeSeldom": ("uint256 x", "vm.assume(uint256(keccak256(abi.encode(x))) % 100 == 0);"),
    "assumeHalf": ("uint256 x", "vm.assume(x % 2 == 0);\nassertTrue(x % 2 == 0);"),
    "assumeHalfFails": ("uint256 x", "vm.assume(x % 2 == 0);\nassertTrue(x % 2 == 1);"),
    "assumeAfterFailure": ("uint256 x", "assertTrue(false);\nvm.assume(x == 0);"),
    "assumeInAnother": ("uint256 x", "if (x % 2 == 0) failures.assumesFalse();\nassertTrue(x % 2 == 1);"),
    "assumeSwallowed": (
        "uint256 x",
        "x;\nrelay.swallow(address(failures), abi.encodeWithSignature('assumesFalse()'));\nassertTrue(false);",
    ),
    "assumeNoRevertHolds": ("uint256 x", "vm.assumeNoRevert();\ncounter.failsIf(x % 2 == 0);\nassertTrue(x % 2 == 1);"),
    "assumeNoRevertOther": (
        "uint256 x",
        "vm.assumeNoRevert(Vm.PotentialRevert(address(0), false, bytes('other')));\ncounter.failsIf(x % 2 == 0);",
    ),
    "assumeNoRevertThis": (
        "uint256 x",
        "vm.assumeNoRevert(Vm.PotentialRevert(address(0), false, abi.encodeWithSignature('Error(string)', 'text')));\n"
        "counter.failsIf(x % 2 == 0);",
    ),
    "bounded": ("uint256 x", "x = vm.bound(x, 10, 20);\nassertTrue(x >= 10 && x <= 20);"),
    "boundedFails": ("uint256 x", "x = vm.bound(x, 10, 20);\nassertTrue(x > 20);"),
    "ownBound": ("uint256 x", "x = 10 + x % 11;\nassertTrue(x >= 10 && x <= 20);"),
    "expects": ("uint256 x", "vm.expectRevert();\ncounter.failsIf(x == x);"),
    "expectsHalf": ("uint256 x", "vm.expectRevert();\ncounter.failsIf(x % 2 == 0);"),
    "skips": ("uint256 x", "x;\nvm.skip(true);"),
    "skipsHalf": ("uint256 x", "vm.skip(x % 2 == 0);"),
    "freshEachRun": ("uint256 x", "x;\nassertEq(counter.number(), 0);\ncounter.set(1);"),
    "freshTime": ("uint256 x", "x;\nassertEq(block.timestamp, 1);\nvm.warp(50);"),
    "freshPrank": ("uint256 x", "x;\nvm.assertEq(counter.who(), address(this));\nvm.startPrank(address(7));"),
    "addsUp": ("uint128 x, uint128 y", "assertEq(uint256(x) + y, uint256(y) + x);"),
    "overflows": ("uint256 x, uint256 y", "x + (y | (1 << 255)) + (1 << 255);"),
    "senderStays": ("uint256 x", "x;\nvm.assertEq(msg.sender, 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);"),
    "noteFailure": ("uint256 x", "if (x % 2 == 0) fail();"),
    "payable": ("uint256 x", "x;\nassertEq(address(this).balance, type(uint96).max);"),
    "dealt": ("uint96 x", "vm.deal(address(9), x);\nassertEq(address(9).balance, x);"),
    "notThisAddress": ("address x", "x;\nassertTrue(true);"),
    "needle": ("uint256 x", "assertTrue(x != 0xC0FFEE1234567890C0FFEE1234567890 || true);"),
    "smallRange": ("uint8 x", "assertTrue(x < 3);"),
    "signedRange": ("int8 x", "assertTrue(x >= -128);"),
    "emptyStruct": ("Pair memory x", "assertTrue(x.left == x.left);"),
    "structHalf": ("Pair memory x", "assertTrue(x.left % 2 == 0);"),
    "structs": ("Pair[] memory x", "assertTrue(x.length < 100000);"),
}
HELPERS = "struct Pair {\n    uint256 left;\n    address right;\n}\n"


def sampled(random: Random) -> Iterator[tuple[str, str]]:
    """A failure on about half of the inputs of a type."""
    places = [place for place in PLACES if place not in ("static", "delegated")]
    for number in range(SAMPLE):
        kind = random.choice(list(PARAMETERS))
        failure, place = random.choice(list(FAILURES)), random.choice(places)
        parameters, condition = PARAMETERS[kind]
        body = f"if ({condition}) {{\n{PLACES[place].format(failure=failure)}\n}}"
        name = f"testFuzz_{kind}_{failure}_{place}_{number}"
        yield name, function(name, body, parameters=parameters)


TABLE = """
function fixtureAmount() public pure returns (uint256[] memory) {
    uint256[] memory amounts = new uint256[](3);
    amounts[0] = 1;
    amounts[1] = 20;
    amounts[2] = 300;
    return amounts;
}

uint256[] public fixtureRate = [5, 6, 7];
uint256[] public fixtureKept = [777777777777777777777777777777777777];

function tableAllSmall(uint256 amount) public {
    assertTrue(amount < 1000);
}

function tableOneGreat(uint256 amount) public {
    assertTrue(amount < 300);
}

function tablePairs(uint256 amount, uint256 rate) public {
    assertTrue(amount * rate < 2101);
}

function tablePairsFail(uint256 amount, uint256 rate) public {
    assertTrue(amount * rate != 120);
}

function tableCrossed(uint256 amount, uint256 rate) public {
    assertTrue(amount * rate != 5 * 300);
}

function tableWithoutFixture(uint256 missing) public {
    assertTrue(missing == missing);
}

function testFuzz_fixtureIsUsed(uint256 kept) public {
    assertTrue(kept != 777777777777777777777777777777777777);
}

function testFuzz_fixtureOfOther(uint256 other) public {
    assertTrue(other != 777777777777777777777777777777777778);
}
"""


def contracts(random: Random) -> Iterator[TestContract]:
    for number, group in enumerate(in_groups(sampled(random), GROUP)):
        yield contract(f"Fuzzing{number}", FIELDS, SET_UP, *group.values(), base="Failures, Test")
    fixed = ((name, function(f"testFuzz_{name}", body, parameters=given)) for name, (given, body) in BODIES.items())
    for number, group in enumerate(in_groups(fixed, GROUP)):
        yield contract(f"Inputs{number}", FIELDS, HELPERS, SET_UP, *group.values())
    yield contract("Tables", TABLE)
