"""Every way to fail, in every place, under every expectation: a random sample of the product."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

from tests.differential.families.writing import TestContract, contract, in_groups, set_up, tests

SAMPLE = 170
GROUP = 34

# Functions of `Failures`, with what they revert with as an argument of `expectRevert`, if anything is.
FAILURES: dict[str, str] = {
    "nothing": "",
    "bareRevert": 'bytes("")',
    "textRevert": 'bytes("text")',
    "emptyText": 'bytes("")',
    "customRevert": "Custom.selector",
    "customWith": "abi.encodeWithSelector(CustomWith.selector, 7, address(failures))",
    "requireBare": 'bytes("")',
    "requireText": 'bytes("text")',
    "assertFails": "abi.encodeWithSignature('Panic(uint256)', 1)",
    "overflows": "abi.encodeWithSignature('Panic(uint256)', 0x11)",
    "divides": "abi.encodeWithSignature('Panic(uint256)', 0x12)",
    "outOfBounds": "abi.encodeWithSignature('Panic(uint256)', 0x32)",
    "badEnum": "abi.encodeWithSignature('Panic(uint256)', 0x21)",
    "popsEmpty": "abi.encodeWithSignature('Panic(uint256)', 0x31)",
    "invalidCode": 'bytes("")',
    "rawData": "bytes(hex'010203')",
    "vmAssertEq": 'bytes("assertion failed: 1 != 2")',
    "vmAssertEqText": 'bytes("text: 1 != 2")',
    "vmAssertTrue": 'bytes("assertion failed")',
    "vmAssertTrueText": 'bytes("text")',
    "vmAssertApprox": 'bytes("assertion failed: 10 !~= 20 (max delta: 5, real delta: 10)")',
    "misusedCheat": 'bytes("vm.prank: cannot overwrite a prank until it is applied at least once")',
    "notesFailure": "",
    "looksLikeAssertion": 'bytes("assertion failed: 1 != 2")',
    "assumesFalse": 'bytes("FOUNDRY::ASSUME")',
    "skips": 'bytes("FOUNDRY::SKIP")',
}

DATA = "abi.encodeWithSignature('{failure}()')"
# Where the failing function is called from. The test contract is a `Failures` itself.
PLACES: dict[str, str] = {
    "inside": "{failure}();",
    "ofThis": "this.{failure}();",
    "ofAnother": "failures.{failure}();",
    "relayed": f"relay.relay(address(failures), {DATA});",
    "wrapped": f"relay.wrap(address(failures), {DATA});",
    "swallowed": f"relay.swallow(address(failures), {DATA});",
    "caught": "try failures.{failure}() {{}} catch {{}}",
    "lowLevel": f"(bool done,) = address(failures).call({DATA});\ndone;",
    "required": f"(bool done,) = address(failures).call({DATA});\nrequire(done);",
    "static": f"(bool done,) = address(failures).staticcall({DATA});\ndone;",
    "delegated": f"(bool done,) = address(failures).delegatecall({DATA});\ndone;",
    "delegatedRequired": f"(bool done,) = address(failures).delegatecall({DATA});\nrequire(done);",
    "inConstructor": f"new FailsInConstructor(address(failures), {DATA});",
    "afterOthers": "counter.set(1);\nfailures.{failure}();\ncounter.set(2);",
    "lastInLoop": "for (uint256 i = 0; i < 3; i++) {{\n    if (i == 2) failures.{failure}();\n}}",
}

# What is expected first. The place follows, and with ONCE_MORE something else behind it.
WRAPPINGS: dict[str, str] = {
    "plainly": "",
    "plainlyAgain": "",
    "any": "vm.expectRevert();",
    "right": "vm.expectRevert({right});",
    "wrong": 'vm.expectRevert(bytes("wrong"));',
    "wrongSelector": "vm.expectRevert(OtherError.selector);",
    "byReverter": "vm.expectRevert(address(failures));",
    "byAnother": "vm.expectRevert(address(relay));",
    "partly": "vm.expectPartialRevert(CustomWith.selector);",
    "rightByReverter": "vm.expectRevert({right}, address(failures));",
    "never": "vm.expectRevert(uint64(0));",
    "twice": "vm.expectRevert(uint64(2));",
    "assumed": "vm.assumeNoRevert();",
}

FIELDS = "Failures failures;\nRelay relay;\nCounter counter;\nerror OtherError();\n"
SET_UP = set_up("failures = new Failures();\nrelay = new Relay();\ncounter = new Counter();")


def bodies(random: Random) -> Iterator[tuple[str, str]]:
    """Name and body of the tests: a sample of the product, and every failure and every place at least once."""
    chosen = random.sample(list(product(FAILURES, PLACES, WRAPPINGS)), SAMPLE)
    chosen += [("textRevert", "inConstructor", "assumed"), ("invalidCode", "ofAnother", "assumed")]
    chosen += [(failure, "inside", "plainly") for failure in FAILURES]
    chosen += [("textRevert", place, wrapping) for place in PLACES for wrapping in ("plainly", "right")]
    for failure, place, wrapping in dict.fromkeys(chosen):
        right = FAILURES[failure] or 'bytes("nothing")'
        lines = (WRAPPINGS[wrapping].format(right=right), PLACES[place].format(failure=failure))
        yield f"{failure}_{place}_{wrapping}", "\n".join(line for line in lines if line)


def contracts(random: Random) -> Iterator[TestContract]:
    for number, group in enumerate(in_groups(bodies(random), GROUP)):
        yield contract(f"Failing{number}", FIELDS, SET_UP, tests(group), base="Failures, Test")
