"""Which functions are tests, when `setUp` runs, and which assertions a contract brings."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.differential.families.writing import TestContract, contract, function, set_up, tests

GOOD_AND_BAD = {"good": "assertTrue(true);", "bad": "assertTrue(false);"}
COUNTED = {"isSet": "assertEq(count, 1);", "isNotSet": "assertEq(count, 0);"}
COUNT = "uint256 count;\n"

FAIL_NAMES = "\n".join(
    (
        function("testFailReverts", "revert();"),
        function("testFailPasses", ""),
        function("testFail", "revert();"),
        function("testFailure_looksLike", ""),
        function("test_other", "assertTrue(false);"),
    )
)

NAMES = "\n".join(
    (
        function("test", "assertTrue(true);"),
        function("testing", "assertTrue(false);"),
        function("testX", "assertTrue(true);"),
        function("test_internal", "assertTrue(false);", modifiers="internal"),
        function("test_private", "assertTrue(false);", modifiers="private"),
        function("test_external", "assertTrue(true);", modifiers="external"),
        function("test_view", "vm.assertTrue(true);", modifiers="public view"),
        function("test_pure", "vm.assertTrue(false);", modifiers="public pure"),
        function("test_payable", "assertTrue(true);", modifiers="public payable"),
        function("test_returnsFalse", "return false;", modifiers="public returns (bool)"),
        function("test_returnsNumber", "return 0;", modifiers="public returns (uint256)"),
        function("Test_capital", "assertTrue(false);"),
        function("tes_short", "assertTrue(false);"),
        function("check_other", "assertTrue(false);"),
        function("echidna_other", "return false;", modifiers="public returns (bool)"),
        function("crytic_other", "return false;", modifiers="public returns (bool)"),
        function("property_other", "return false;", modifiers="public returns (bool)"),
        "uint256 public testVariable = 3;",
        "uint256 public testZero;",
        "bool public testFlag;",
        "mapping(uint256 => uint256) public testMapping;",
        "uint256[] public testList;",
        "uint256[2] public testFixedList;",
        "uint256 internal testHidden;",
        "uint256 public constant testConstant = 4;",
    )
)

OVERLOADS = "\n".join(
    (
        function("test_overloaded", "assertTrue(true);"),
        function("test_overloaded", "assertTrue(x % 2 == 0);", parameters="uint256 x"),
        function("test_overloaded", "assertTrue(x == x);", parameters="address x"),
    )
)


def _set_ups() -> Iterator[TestContract]:
    both = tests(COUNTED)
    yield contract("SetUpRuns", COUNT, set_up("count++;"), both)
    yield contract("SetUpAbsent", COUNT, both)
    yield contract("SetUpReverts", COUNT, set_up("count++;\nrevert('no');"), both)
    yield contract("SetUpAsserts", COUNT, set_up("assertEq(count, 1);"), both)
    yield contract("SetUpNotes", COUNT, set_up("count++;\nfail();"), both)
    yield contract("SetUpAssumes", COUNT, set_up("vm.assume(false);"), both)
    yield contract("SetUpSkips", COUNT, set_up("vm.skip(true);"), both)
    yield contract("SetUpExpects", COUNT, set_up("vm.expectRevert();"), both)
    yield contract("SetUpExpectsEmit", COUNT, "event Plain();", set_up("vm.expectEmit();\nemit Plain();"), both)
    yield contract("SetUpExpectsCall", COUNT, set_up("vm.expectCall(address(1), '');"), both)
    yield contract(
        "SetUpOverloaded", COUNT, set_up("count++;"), function("setUp", "count = x;", parameters="uint256 x"), both
    )
    yield contract("SetUpWithArgument", COUNT, function("setUp", "count = x;", parameters="uint256 x"), both)
    yield contract(
        "SetUpWithArgumentAndFallback",
        COUNT,
        function("setUp", "count = x;", parameters="uint256 x"),
        "fallback() external {\n    count = 1;\n}\n",
        both,
    )
    yield contract("SetUpCases", COUNT, function("setup", "count++;"), function("setUP", "count++;"), both)
    yield contract("SetUpLowerCase", COUNT, function("setup", "count++;"), both)
    yield contract("SetUpExternal", COUNT, function("setUp", "count++;", modifiers="external"), both)
    yield contract("SetUpInternal", COUNT, function("setUp", "count++;", modifiers="internal"), both)
    yield contract("SetUpPayable", COUNT, function("setUp", "count++;", modifiers="public payable"), both)
    yield contract(
        "SetUpReturns", COUNT, function("setUp", "count++;\nreturn 5;", modifiers="public returns (uint256)"), both
    )
    yield contract("SetUpTime", set_up("vm.warp(77);"), tests({"kept": "assertEq(vm.getBlockTimestamp(), 77);"}))
    yield contract("SetUpBlock", set_up("vm.roll(77);"), tests({"kept": "assertEq(vm.getBlockNumber(), 77);"}))
    yield contract("SetUpChain", set_up("vm.chainId(77);"), tests({"kept": "assertEq(block.chainid, 77);"}))
    yield contract("SetUpFee", set_up("vm.fee(77);"), tests({"kept": "assertEq(block.basefee, 77);"}))
    yield contract(
        "SetUpMock",
        "Counter counter;",
        set_up(
            "counter = new Counter();\nvm.mockCall(address(counter), abi.encodeWithSignature('number()'), abi.encode(7));"
        ),
        tests({"kept": "assertEq(counter.number(), 7);", "gone": "assertEq(counter.number(), 0);"}),
    )
    yield contract("ConstructorSets", COUNT, "constructor() {\n    count = 1;\n}\n", both)
    yield contract("ConstructorReverts", "constructor() {\n    revert('no');\n}\n", tests(GOOD_AND_BAD))
    yield contract("ConstructorNotes", "constructor() {\n    fail();\n}\n", tests(GOOD_AND_BAD))
    yield contract("ConstructorPayable", "constructor() payable {}\n", tests(GOOD_AND_BAD))


def _inherited() -> Iterator[TestContract]:
    parent = contract("ParentOfTests", COUNT, function("setUp", "count++;", modifiers="public virtual"), tests(COUNTED))
    middle = parent.text + "\n" + contract("InheritsAll", base="ParentOfTests").text
    yield TestContract("InheritsAll", middle)
    yield contract(
        "OverridesSetUp",
        function("setUp", "super.setUp();\ncount++;", modifiers="public override"),
        base="ParentOfTests",
    )
    abstract = contract("AbstractTests", tests(GOOD_AND_BAD)).text.replace("contract", "abstract contract", 1)
    yield TestContract("FromAbstract", abstract + "\n" + contract("FromAbstract", base="AbstractTests").text)
    yield contract(
        "WithoutBase",
        COUNT,
        set_up("count++;"),
        function("test_fails", "require(count == 0);"),
        function("test_works", "require(count == 1);"),
        base="Base",
    )
    yield contract(
        "OldAssertions", tests(GOOD_AND_BAD), function("test_goesOn", "assertTrue(false);\nrevert();"), base="OldTest"
    )
    yield contract(
        "OldInside",
        function("fails", "assertTrue(false);"),
        tests(
            {
                "throughItself": "this.fails();",
                "undone": "try this.failsAndReverts() {} catch {}",
                "expected": "vm.expectRevert();\nthis.fails();",
            }
        ),
        function("failsAndReverts", "assertTrue(false);\nrevert();"),
        base="OldTest",
    )
    yield contract("PrivateAssertion", tests(GOOD_AND_BAD), base="PrivateTest")
    yield contract(
        "FailedReverts",
        function("failed", "revert();", modifiers="public pure returns (bool)"),
        function("test_works", ""),
        base="Base",
    )
    yield contract(
        "FailedIsTrue",
        function("failed", "return true;", modifiers="public pure returns (bool)"),
        function("test_works", ""),
        function("testFuzz_works", "x;", parameters="uint256 x"),
        base="Base",
    )
    yield contract(
        "FailedIsNumber",
        function("failed", "return 2;", modifiers="public pure returns (uint256)"),
        function("test_works", ""),
        base="Base",
    )
    yield contract(
        "OldFuzz",
        function("testFuzz_half", "assertTrue(x % 2 == 0);", parameters="uint256 x"),
        function("testFuzz_all", "assertTrue(x == x);", parameters="uint256 x"),
        base="OldTest",
    )


BEFORE = """function beforeTestSetup(bytes4 selector) public pure returns (bytes[] memory calls) {
    if (selector == this.test_needsFirst.selector) {
        calls = new bytes[](1);
        calls[0] = abi.encodePacked(this.first.selector);
    }
}

function first() public {
    count = 1;
}

function test_needsFirst() public {
    assertEq(count, 1);
}

function test_needsNothing() public {
    assertEq(count, 0);
}
"""


BEFORE_ALL = """function beforeTestSetup(bytes4 selector) public returns (bytes[] memory calls) {
    count = 50;
    if (selector == this.test_reverts.selector || selector == this.testFuzz_reverts.selector) {
        calls = new bytes[](1);
        calls[0] = abi.encodeCall(this.fails, ());
    } else if (selector == this.test_skips.selector) {
        calls = new bytes[](1);
        calls[0] = abi.encodeCall(this.skips, ());
    } else {
        calls = new bytes[](2);
        calls[0] = abi.encodeCall(this.add, (5));
        calls[1] = abi.encodeCall(this.test_other, ());
    }
}

function fails() public pure {
    revert("no");
}

function skips() public {
    vm.skip(true);
}

function add(uint256 x) public {
    count += x;
}

function test_reverts() public {}

function test_skips() public {}

function test_other() public {
    count += 10;
    vm.warp(block.timestamp + 7);
}

function test_sees() public {
    assertEq(count, 15);
    assertEq(block.timestamp, 8);
}

function testFuzz_reverts(uint256 x) public {
    x;
}

function testFuzz_sees(uint256 x) public {
    x;
    assertEq(count, 15);
    count = 99;
}

function testFuzz_half(uint256 x) public {
    assertEq(x % 2 * count, 0);
}
"""
BEFORE_REVERTS = """function beforeTestSetup(bytes4) public pure returns (bytes[] memory) {
    revert("no");
}

function test_runs() public {
    assertEq(count, 0);
}
"""


def contracts(_random: Random) -> Iterator[TestContract]:
    yield contract("Names", NAMES)
    yield contract("FailNames", FAIL_NAMES)
    yield contract("Overloads", OVERLOADS)
    yield contract("BeforeTest", COUNT, BEFORE)
    yield contract("BeforeAll", COUNT, BEFORE_ALL)
    yield contract("BeforeReverts", COUNT, BEFORE_REVERTS)
    yield contract(
        "Isolated", COUNT, tests({"a": "assertEq(count, 0);\ncount = 1;", "b": "assertEq(count, 0);\ncount = 1;"})
    )
    yield from _set_ups()
    yield from _inherited()
