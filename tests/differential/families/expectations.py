"""expectRevert, expectEmit, expectCall and mocks: kept and broken, in each form."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.differential.families.writing import TestContract, contract, function, in_groups, set_up, tests

GROUP = 30
FIELDS = """Counter counter;
Counter second;
OtherCounter impostor;
Relay relay;
Failures failures;
event Set(uint256 indexed number, address indexed sender, uint256 old);
event Other(uint256 number);
event Plain();
"""
SET_UP = set_up(
    "counter = new Counter();\nsecond = new Counter();\nimpostor = new OtherCounter();\n"
    "relay = new Relay();\nfailures = new Failures();"
)

REVERTS: dict[str, str] = {
    "leftOpen": "vm.expectRevert();",
    "leftOpenAfterCall": "counter.set(1);\nvm.expectRevert();",
    "twoInARow": "vm.expectRevert();\nvm.expectRevert();\ncounter.fails();",
    "neverThenNothing": "vm.expectRevert(uint64(0));",
    "neverAndQuiet": "vm.expectRevert(uint64(0));\ncounter.set(1);",
    "neverAndFails": "vm.expectRevert(uint64(0));\ncounter.fails();",
    "neverThis": 'vm.expectRevert(bytes("other"), uint64(0));\ncounter.set(1);',
    "twiceKept": "vm.expectRevert(uint64(2));\ncounter.fails();\ncounter.fails();",
    "twiceOnce": "vm.expectRevert(uint64(2));\ncounter.fails();",
    "twiceThrice": "vm.expectRevert(uint64(2));\ncounter.fails();\ncounter.fails();\ncounter.fails();",
    "twiceBetween": "vm.expectRevert(uint64(2));\ncounter.fails();\ncounter.set(1);\ncounter.fails();",
    "twiceWithText": 'vm.expectRevert(bytes("text"), uint64(2));\ncounter.fails();\ncounter.fails();',
    "twiceWithWrongText": 'vm.expectRevert(bytes("other"), uint64(2));\ncounter.fails();\ncounter.fails();',
    "twiceBy": "vm.expectRevert(address(counter), uint64(2));\ncounter.fails();\ncounter.fails();",
    "twiceByOthers": "vm.expectRevert(address(counter), uint64(2));\ncounter.fails();\nsecond.fails();",
    "twiceBySelector": "vm.expectRevert(Custom.selector, uint64(2));\nfailures.customRevert();\nfailures.customRevert();",
    "neverKeepsResult": "counter.set(5);\nvm.expectRevert(uint64(0));\nassertEq(counter.number(), 5);",
    "neverDropsResult": "counter.set(5);\nvm.expectRevert(uint64(0));\nassertEq(counter.number(), 0);",
    "neverThisButOther": 'vm.expectRevert(bytes("other"), uint64(0));\ncounter.fails();',
    "neverByOther": "vm.expectRevert(address(second), uint64(0));\ncounter.fails();",
    "twiceAndOwn": 'vm.expectRevert(uint64(2));\ncounter.fails();\nrevert("text");',
    "ownAfterExpected": "vm.expectRevert();\ncounter.fails();\nrevert();",
    "thenSuccess": "vm.expectRevert();\ncounter.set(1);",
    "thenSuccessThenFailure": "vm.expectRevert();\ncounter.set(1);\ncounter.fails();",
    "viewsCountToo": "vm.expectRevert();\ncounter.number();\ncounter.fails();",
    "cheatBetween": "vm.expectRevert();\nvm.warp(5);\ncounter.fails();",
    "prankBetween": "vm.expectRevert();\nvm.prank(address(7));\ncounter.fails();",
    "prankBefore": "vm.prank(address(7));\nvm.expectRevert();\ncounter.fails();",
    "ofCheatcode": "vm.expectRevert();\nvm.assertTrue(false);",
    "ofCheatcodeText": 'vm.expectRevert(bytes("assertion failed"));\nvm.assertTrue(false);',
    "ofCreation": "vm.expectRevert();\nnew FailsInConstructor(address(counter), abi.encodeCall(Counter.fails, ()));",
    "ofCreationThatWorks": "vm.expectRevert();\nnew Counter();",
    "selectorOfCustomWith": "vm.expectRevert(CustomWith.selector);\nfailures.customWith();",
    "partialSelector": "vm.expectPartialRevert(CustomWith.selector);\nfailures.customWith();",
    "partialSelectorBy": "vm.expectPartialRevert(CustomWith.selector, address(failures));\nfailures.customWith();",
    "partialWrongBy": "vm.expectPartialRevert(CustomWith.selector, address(counter));\nfailures.customWith();",
    "partialOfText": "vm.expectPartialRevert(bytes4(keccak256('Error(string)')));\nfailures.textRevert();",
    "encodedText": "vm.expectRevert(abi.encodeWithSignature('Error(string)', 'text'));\ncounter.fails();",
    "emptyBytes": 'vm.expectRevert(bytes(""));\nfailures.bareRevert();',
    "emptyBytesAgainstText": 'vm.expectRevert(bytes(""));\nfailures.textRevert();',
    "resultIsZero": "vm.expectRevert();\nuint256 result = failures.divides();\nassertEq(result, 0);",
    "lowLevelLooksDone": (
        "vm.expectRevert();\n(bool done,) = address(counter).call(abi.encodeCall(Counter.fails, ()));\n"
        "assertTrue(done);"
    ),
    "tryTakesSuccess": "bool caught;\nvm.expectRevert();\ntry counter.fails() {} catch { caught = true; }\nassertTrue(!caught);",
    "inHelper": "this.expectsInside();\ncounter.fails();",
    "inHelperKept": "this.expectsAndFails();",
    "stateIsUndone": "vm.expectRevert();\nthis.setsAndFails();\nassertEq(counter.number(), 0);",
    "toNobody": 'vm.expectRevert();\naddress(0xdead).call("");',
    "transferToNobody": "vm.expectRevert();\npayable(address(0xdead)).transfer(1);",
    "sendsTooMuch": "vm.expectRevert();\npayable(address(0xdead)).transfer(type(uint256).max);",
    "noCodeThere": "vm.expectRevert();\nCounter(payable(address(0xdead))).set(1);",
    "relayedReverter": (
        "vm.expectRevert(address(counter));\nrelay.relay(address(counter), abi.encodeCall(Counter.fails, ()));"
    ),
    "relayedByRelay": (
        "vm.expectRevert(address(relay));\nrelay.relay(address(counter), abi.encodeCall(Counter.fails, ()));"
    ),
    "wrappedByRelay": (
        'vm.expectRevert(bytes("wrapped"), address(relay));\n'
        "relay.wrap(address(counter), abi.encodeCall(Counter.fails, ()));"
    ),
    "swallowedInside": "vm.expectRevert();\nrelay.swallow(address(counter), abi.encodeCall(Counter.fails, ()));",
}
REVERT_HELPERS = "\n".join(
    (
        function("expectsInside", "vm.expectRevert();"),
        function("expectsAndFails", "vm.expectRevert();\ncounter.fails();"),
        function("setsAndFails", "counter.set(9);\nrevert();"),
    )
)

SET = "emit Set(1, address(this), 0);"
EMITS: dict[str, str] = {
    "kept": f"vm.expectEmit();\n{SET}\ncounter.set(1);",
    "wrongTopic": "vm.expectEmit();\nemit Set(2, address(this), 0);\ncounter.set(1);",
    "wrongData": "vm.expectEmit();\nemit Set(1, address(this), 5);\ncounter.set(1);",
    "wrongDataUnchecked": "vm.expectEmit(true, true, true, false);\nemit Set(1, address(this), 5);\ncounter.set(1);",
    "wrongTopicUnchecked": "vm.expectEmit(false, true, true, true);\nemit Set(2, address(this), 0);\ncounter.set(1);",
    "wrongSecondTopic": "vm.expectEmit(true, true, false, true);\nemit Set(1, address(9), 0);\ncounter.set(1);",
    "byEmitter": f"vm.expectEmit(address(counter));\n{SET}\ncounter.set(1);",
    "byWrongEmitter": f"vm.expectEmit(address(second));\n{SET}\ncounter.set(1);",
    "byEmitterChecked": f"vm.expectEmit(true, true, true, true, address(counter));\n{SET}\ncounter.set(1);",
    "withoutModel": "vm.expectEmit();\ncounter.set(1);",
    "withoutCall": f"vm.expectEmit();\n{SET}",
    "alone": "vm.expectEmit();",
    "inConstructor": "vm.expectEmit(false, false, false, false);\nemit Plain();\nnew EmitsPlain();",
    "inConstructorThenCall": "vm.expectEmit();\nemit Plain();\nnew EmitsPlain();\ncounter.silent();",
    "leftOpenInside": "this.expectsPlain();\ncounter.plain();",
    "leftOpenInsideTwice": "this.expectsPlain();\nthis.emitsPlain();",
    "leftOpenInsideNever": "this.expectsPlain();",
    "inRevertedExpected": "vm.expectRevert();\nthis.expectsPlainAndFails();",
    "silentCall": f"vm.expectEmit();\n{SET}\ncounter.silent();",
    "silentThenRight": f"vm.expectEmit();\n{SET}\ncounter.silent();\ncounter.set(1);",
    "viewThenRight": f"vm.expectEmit();\n{SET}\ncounter.number();\ncounter.set(1);",
    "twoInOrder": (
        "vm.expectEmit();\nemit Set(1, address(this), 0);\nvm.expectEmit();\nemit Set(2, address(this), 1);\n"
        "counter.setTwice(1);"
    ),
    "twoOutOfOrder": (
        "vm.expectEmit();\nemit Set(2, address(this), 1);\nvm.expectEmit();\nemit Set(1, address(this), 0);\n"
        "counter.setTwice(1);"
    ),
    "secondOnly": "vm.expectEmit();\nemit Set(2, address(this), 1);\ncounter.setTwice(1);",
    "anonymousName": "vm.expectEmit();\nemit Plain();\ncounter.plain();",
    "otherEvent": "vm.expectEmit();\nemit Other(1);\ncounter.set(1);",
    "otherEventNothingChecked": "vm.expectEmit(false, false, false, false);\nemit Other(1);\ncounter.set(1);",
    "countKept": "vm.expectEmit(uint64(2));\nemit Plain();\ncounter.plain();\ncounter.plain();",
    "countInOneCall": (
        "vm.expectEmit(false, true, true, false);\nemit Set(1, address(this), 0);\ncounter.setTwice(1);"
    ),
    "countTooFew": "vm.expectEmit(uint64(2));\nemit Plain();\ncounter.plain();",
    "countZeroKept": "vm.expectEmit(uint64(0));\nemit Plain();\ncounter.silent();",
    "countZeroBroken": "vm.expectEmit(uint64(0));\nemit Plain();\ncounter.plain();",
    "countByEmitter": "vm.expectEmit(address(counter), uint64(1));\nemit Plain();\ncounter.plain();",
    "relayed": (
        "vm.expectEmit();\nemit Set(1, address(relay), 0);\n"
        "relay.relay(address(counter), abi.encodeCall(Counter.set, (1)));"
    ),
    "ofARevert": f"vm.expectEmit();\n{SET}\ntry this.setsThenFails() {{}} catch {{}}",
    "ownEmit": "vm.expectEmit();\nemit Plain();\nemit Plain();",
    "ownEmitInside": "vm.expectEmit();\nemit Plain();\nthis.emitsPlain();",
    "pranked": "vm.prank(address(7));\nvm.expectEmit();\nemit Set(1, address(7), 0);\ncounter.set(1);",
    "afterRevertExpected": "vm.expectRevert();\ncounter.fails();\nvm.expectEmit();\nemit Plain();\ncounter.plain();",
    "recorded": "vm.recordLogs();\ncounter.set(1);\ncounter.plain();\nassertEq(vm.getRecordedLogs().length, 2);",
    "recordedTwice": "vm.recordLogs();\ncounter.set(1);\nvm.getRecordedLogs();\nassertEq(vm.getRecordedLogs().length, 1);",
    "recordedLate": "counter.set(1);\nvm.recordLogs();\nassertEq(vm.getRecordedLogs().length, 0);",
}
EMIT_HELPERS = "\n".join(
    (
        function("setsThenFails", "counter.set(1);\nrevert();"),
        function("emitsPlain", "emit Plain();"),
        function("expectsPlain", "vm.expectEmit();\nemit Plain();"),
        function("expectsPlainAndFails", "vm.expectEmit();\nemit Plain();\nrevert();"),
    )
)

SET_ONE = "abi.encodeCall(Counter.set, (1))"
SELECTOR = "abi.encodeWithSelector(Counter.set.selector)"
CALLS: dict[str, str] = {
    "kept": f"vm.expectCall(address(counter), {SET_ONE});\ncounter.set(1);",
    "notMade": f"vm.expectCall(address(counter), {SET_ONE});",
    "otherArgument": f"vm.expectCall(address(counter), {SET_ONE});\ncounter.set(2);",
    "selectorOnly": f"vm.expectCall(address(counter), {SELECTOR});\ncounter.set(2);",
    "otherCallee": f"vm.expectCall(address(counter), {SET_ONE});\nsecond.set(1);",
    "moreIsFine": f"vm.expectCall(address(counter), {SET_ONE});\ncounter.set(1);\ncounter.set(1);",
    "expectedTwiceMadeOnce": (
        f"vm.expectCall(address(counter), {SET_ONE});\nvm.expectCall(address(counter), {SET_ONE});\ncounter.set(1);"
    ),
    "expectedTwiceMadeTwice": (
        f"vm.expectCall(address(counter), {SET_ONE});\nvm.expectCall(address(counter), {SET_ONE});\n"
        "counter.set(1);\ncounter.set(1);"
    ),
    "countKept": f"vm.expectCall(address(counter), {SET_ONE}, 2);\ncounter.set(1);\ncounter.set(1);",
    "countTooFew": f"vm.expectCall(address(counter), {SET_ONE}, 2);\ncounter.set(1);",
    "countTooMany": f"vm.expectCall(address(counter), {SET_ONE}, 1);\ncounter.set(1);\ncounter.set(1);",
    "countZeroKept": f"vm.expectCall(address(counter), {SET_ONE}, 0);\ncounter.set(2);",
    "countZeroBroken": f"vm.expectCall(address(counter), {SET_ONE}, 0);\ncounter.set(1);",
    "countSetTwice": (
        f"vm.expectCall(address(counter), {SET_ONE}, 1);\nvm.expectCall(address(counter), {SET_ONE}, 1);\n"
        "counter.set(1);"
    ),
    "mixedCounts": (
        f"vm.expectCall(address(counter), {SET_ONE});\nvm.expectCall(address(counter), {SET_ONE}, 1);\ncounter.set(1);"
    ),
    "valueKept": f"vm.expectCall(address(counter), 3, {SET_ONE});\ncounter.set{{value: 3}}(1);",
    "valueWrong": f"vm.expectCall(address(counter), 3, {SET_ONE});\ncounter.set{{value: 4}}(1);",
    "valueIgnored": f"vm.expectCall(address(counter), {SET_ONE});\ncounter.set{{value: 4}}(1);",
    "valueCount": (
        f"vm.expectCall(address(counter), 3, {SET_ONE}, 2);\ncounter.set{{value: 3}}(1);\ncounter.set{{value: 3}}(1);"
    ),
    "gasKept": f"vm.expectCall(address(counter), 0, 200000, {SET_ONE});\ncounter.set{{gas: 200000}}(1);",
    "gasWrong": f"vm.expectCall(address(counter), 0, 200000, {SET_ONE});\ncounter.set{{gas: 200001}}(1);",
    "gasWithValue": f"vm.expectCall(address(counter), 3, 200000, {SET_ONE});\ncounter.set{{value: 3, gas: 200000}}(1);",
    "gasAndStipend": f"vm.expectCall(address(counter), 3, 202300, {SET_ONE});\ncounter.set{{value: 3, gas: 200000}}(1);",
    "valueNotCompared": f"vm.expectCall(address(counter), 3, {SET_ONE});\nvm.expectCall(address(counter), 4, {SET_ONE});\ncounter.set{{value: 3}}(1);\ncounter.set{{value: 3}}(1);",
    "leastGasKept": f"vm.expectCallMinGas(address(counter), 0, 150000, {SET_ONE});\ncounter.set{{gas: 200000}}(1);",
    "leastGasTooLittle": (
        f"vm.expectCallMinGas(address(counter), 0, 250000, {SET_ONE});\ncounter.set{{gas: 200000}}(1);"
    ),
    "relayed": (f"vm.expectCall(address(counter), {SET_ONE});\nrelay.relay(address(counter), {SET_ONE});"),
    "static": ("vm.expectCall(address(counter), abi.encodeWithSignature('number()'));\ncounter.number();"),
    "delegated": (
        f"vm.expectCall(address(counter), {SET_ONE});\n(bool done,) = address(counter).delegatecall({SET_ONE});\ndone;"
    ),
    "reverted": (
        "vm.expectCall(address(counter), abi.encodeCall(Counter.fails, ()));\ntry counter.fails() {} catch {}"
    ),
    "revertedAndExpected": (
        "vm.expectCall(address(counter), abi.encodeCall(Counter.fails, ()));\nvm.expectRevert();\ncounter.fails();"
    ),
    "madeBefore": f"counter.set(1);\nvm.expectCall(address(counter), {SET_ONE});",
    "expectedInside": "this.expectsCall();\ncounter.set(1);",
    "expectedInsideNotMade": "this.expectsCall();",
    "expectedInsideAndReverted": "try this.expectsCallAndFails() {} catch {}\n",
    "emptyData": 'vm.expectCall(address(counter), "");\ncounter.number();',
    "toNobody": 'vm.expectCall(address(0xdead), "");\n(bool done,) = address(0xdead).call("");\ndone;',
    "transfer": 'vm.expectCall(address(0xdead), 1, "");\npayable(address(0xdead)).transfer(1);',
}
CALL_HELPERS = "\n".join(
    (
        function("expectsCall", f"vm.expectCall(address(counter), {SET_ONE});"),
        function("expectsCallAndFails", f"vm.expectCall(address(counter), {SET_ONE});\nrevert();"),
    )
)

NUMBER = "abi.encodeWithSignature('number()')"
MOCKS: dict[str, str] = {
    "mocked": f"vm.mockCall(address(counter), {NUMBER}, abi.encode(7));\nassertEq(counter.number(), 7);",
    "mockedOther": f"vm.mockCall(address(counter), {NUMBER}, abi.encode(7));\nassertEq(second.number(), 0);",
    "mockedTwice": (
        f"vm.mockCall(address(counter), {NUMBER}, abi.encode(7));\n"
        f"vm.mockCall(address(counter), {NUMBER}, abi.encode(8));\nassertEq(counter.number(), 8);"
    ),
    "cleared": (
        f"vm.mockCall(address(counter), {NUMBER}, abi.encode(7));\nvm.clearMockedCalls();\n"
        "assertEq(counter.number(), 0);"
    ),
    "longerWins": (
        f"vm.mockCall(address(counter), {SELECTOR}, hex'');\n"
        f"vm.mockCallRevert(address(counter), {SET_ONE}, bytes('no'));\ncounter.set(2);\n"
        "vm.expectRevert();\ncounter.set(1);"
    ),
    "reverts": f"vm.mockCallRevert(address(counter), {NUMBER}, bytes('no'));\ncounter.number();",
    "revertsAsExpected": (
        f"vm.mockCallRevert(address(counter), {NUMBER}, abi.encodeWithSignature('Error(string)', 'no'));\n"
        "vm.expectRevert(bytes('no'));\ncounter.number();"
    ),
    "revertsRaw": (
        f"vm.mockCallRevert(address(counter), {NUMBER}, bytes('no'));\nvm.expectRevert(bytes('no'));\ncounter.number();"
    ),
    "byValue": (
        f"vm.mockCallRevert(address(counter), {SELECTOR}, bytes('no'));\n"
        f"vm.mockCall(address(counter), 5, {SELECTOR}, hex'');\ncounter.set{{value: 5}}(1);"
    ),
    "valueDoesNotFit": (
        f"vm.mockCall(address(counter), 5, {SELECTOR}, hex'');\ncounter.set{{value: 4}}(1);\n"
        "assertEq(counter.number(), 1);"
    ),
    "nobody": f"vm.mockCall(address(0xdead), {NUMBER}, abi.encode(7));\nassertEq(Counter(payable(address(0xdead))).number(), 7);",
    "doesNotRun": f"vm.mockCall(address(counter), {SELECTOR}, hex'');\ncounter.set(3);\nassertEq(counter.number(), 0);",
    "noEvent": f"vm.mockCall(address(counter), {SELECTOR}, hex'');\nvm.expectEmit();\n{SET}\ncounter.set(1);",
    "stillExpected": (
        f"vm.mockCall(address(counter), {SELECTOR}, hex'');\nvm.expectCall(address(counter), {SET_ONE});\n"
        "counter.set(1);"
    ),
    "severalOutputs": (
        "bytes[] memory outputs = new bytes[](2);\noutputs[0] = abi.encode(1);\noutputs[1] = abi.encode(2);\n"
        f"vm.mockCalls(address(counter), {NUMBER}, outputs);\nassertEq(counter.number(), 1);\n"
        "assertEq(counter.number(), 2);\nassertEq(counter.number(), 2);"
    ),
    "functionOfAnother": (
        "vm.mockFunction(address(counter), address(impostor), abi.encodeWithSignature('number()'));\n"
        "assertEq(counter.number(), 99);"
    ),
    "inARevertedCall": "try this.mocksAndFails() {} catch {}\nassertEq(counter.number(), 0);",
    "revertKeepsMock": "try this.mocksAndFails() {} catch {}\nassertEq(counter.number(), 7);",
    "delegated": (
        f"vm.mockCall(address(counter), {NUMBER}, abi.encode(7));\n"
        f"(, bytes memory output) = address(counter).delegatecall({NUMBER});\n"
        "assertEq(abi.decode(output, (uint256)), 7);"
    ),
    "expectRevertOfMock": (
        f"vm.mockCallRevert(address(counter), {NUMBER}, bytes('no'));\nvm.expectRevert(address(counter));\n"
        "counter.number();"
    ),
    "mockedByPrefix": "vm.mockCall(address(counter), hex'', abi.encode(7));\nassertEq(counter.number(), 7);",
    "valueIsSent": (
        f"vm.mockCall(address(counter), {SELECTOR}, hex'');\ncounter.set{{value: 4}}(1);\n"
        "assertEq(address(counter).balance, 4);"
    ),
    "valueIsNotSent": (
        f"vm.mockCall(address(counter), {SELECTOR}, hex'');\ncounter.set{{value: 4}}(1);\n"
        "assertEq(address(counter).balance, 0);"
    ),
}
MOCK_HELPERS = function("mocksAndFails", f"vm.mockCall(address(counter), {NUMBER}, abi.encode(7));\nrevert();")


def contracts(_random: Random) -> Iterator[TestContract]:
    for name, bodies, helpers in (
        ("ExpectRevert", REVERTS, REVERT_HELPERS),
        ("ExpectEmit", EMITS, EMIT_HELPERS),
        ("ExpectCall", CALLS, CALL_HELPERS),
        ("Mock", MOCKS, MOCK_HELPERS),
    ):
        for number, group in enumerate(in_groups(bodies.items(), GROUP)):
            yield contract(f"{name}{number}", FIELDS, SET_UP, helpers, tests(group))
