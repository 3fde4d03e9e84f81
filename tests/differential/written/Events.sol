// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../src/Rare.sol";

abstract contract LogTest is RareTest {
    event One(uint256 indexed a, uint256 indexed b, uint256 indexed c, uint256 d);
    event Two(address indexed who, string indexed text, bytes data);
    event Three(uint256 d);
    event Hidden(uint256 indexed a, uint256 indexed b, uint256 indexed c, uint256 indexed d, uint256 e) anonymous;
    event Bare() anonymous;

    ExpectVm internal constant emits = ExpectVm(address(vm));
    Logger l;
    Logger m;

    function setUp() public virtual {
        l = new Logger();
        m = new Logger();
    }
}

interface ExpectVm {
    function expectEmit() external;
    function expectEmit(address emitter) external;
    function expectEmit(uint64 count) external;
    function expectEmit(address emitter, uint64 count) external;
    function expectEmit(bool t1, bool t2, bool t3, bool data) external;
    function expectEmit(bool t1, bool t2, bool t3, bool data, address emitter) external;
}

contract EmitMasks is LogTest {
    function test_all() public {
        emits.expectEmit();
        emit One(1, 2, 3, 4);
        l.one(1, 2, 3, 4);
    }

    function test_firstOff() public {
        emits.expectEmit(false, true, true, true);
        emit One(9, 2, 3, 4);
        l.one(1, 2, 3, 4);
    }

    function test_secondOff() public {
        emits.expectEmit(true, false, true, true);
        emit One(1, 9, 3, 4);
        l.one(1, 2, 3, 4);
    }

    function test_thirdOff() public {
        emits.expectEmit(true, true, false, true);
        emit One(1, 2, 9, 4);
        l.one(1, 2, 3, 4);
    }

    function test_dataOff() public {
        emits.expectEmit(true, true, true, false);
        emit One(1, 2, 3, 9);
        l.one(1, 2, 3, 4);
    }

    function test_firstOffSecondWrong() public {
        emits.expectEmit(false, true, true, true);
        emit One(9, 9, 3, 4);
        l.one(1, 2, 3, 4);
    }

    function test_allOff() public {
        emits.expectEmit(false, false, false, false);
        emit One(9, 9, 9, 9);
        l.one(1, 2, 3, 4);
    }

    function test_allOffOtherEvent() public {
        emits.expectEmit(false, false, false, false);
        emit One(9, 9, 9, 9);
        l.three(1);
    }

    function test_allOffOtherEventSameTopics() public {
        emits.expectEmit(false, false, false, false);
        emit Three(1);
        l.two(address(1), "a", "b");
    }

    function test_indexedString() public {
        emits.expectEmit();
        emit Two(address(1), "a", "b");
        l.two(address(1), "a", "b");
    }

    function test_indexedStringOther() public {
        emits.expectEmit();
        emit Two(address(1), "b", "b");
        l.two(address(1), "a", "b");
    }

    function test_emitter() public {
        emits.expectEmit(address(l));
        emit Three(1);
        l.three(1);
    }

    function test_emitterOther() public {
        emits.expectEmit(address(m));
        emit Three(1);
        l.three(1);
    }

    function test_emitterNested() public {
        emits.expectEmit(address(m));
        emit Three(1);
        l.nested(m, 1);
    }

    function test_emitterMask() public {
        emits.expectEmit(false, false, false, false, address(m));
        emit Three(8);
        l.nestedAndOwn(m, 1);
    }

    function test_emitterZero() public {
        emits.expectEmit(address(0));
        emit Three(1);
        l.three(1);
    }

    function test_second() public {
        emits.expectEmit();
        emit Three(2);
        l.nestedAndOwn(m, 1);
    }

    function test_inOrder() public {
        emits.expectEmit();
        emit Three(0);
        emits.expectEmit();
        emit Three(1);
        l.many(2);
    }

    function test_outOfOrder() public {
        emits.expectEmit();
        emit Three(1);
        emits.expectEmit();
        emit Three(0);
        l.many(2);
    }

    function test_withGap() public {
        emits.expectEmit();
        emit Three(0);
        emits.expectEmit();
        emit Three(3);
        l.many(5);
    }

    function test_twoCalls() public {
        emits.expectEmit();
        emit Three(0);
        emits.expectEmit();
        emit Three(0);
        l.many(1);
        l.many(1);
    }

    function test_secondCallTooLate() public {
        emits.expectEmit();
        emit Three(5);
        l.quiet();
        l.three(5);
    }

    function test_noModel() public {
        emits.expectEmit();
        l.three(5);
    }

    function test_noModelTwoLogs() public {
        emits.expectEmit();
        l.many(2);
    }

    function test_nothing() public {
        emits.expectEmit();
    }

    function test_modelOnly() public {
        emits.expectEmit();
        emit Three(5);
    }

    function test_modelTwice() public {
        emits.expectEmit();
        emit Three(5);
        emit Three(5);
    }

    function test_ownEvent() public {
        emits.expectEmit();
        emit Three(5);
        emit Three(5);
        l.quiet();
    }

    function test_reverted() public {
        emits.expectEmit();
        emit Three(5);
        l.swallows(m, 5);
    }

    function test_revertedWhole() public {
        emits.expectEmit();
        emit Three(5);
        vm.expectRevert();
        l.thenReverts(5);
    }

    function test_expectRevertFirst() public {
        vm.expectRevert();
        emits.expectEmit();
        emit Three(5);
        l.thenReverts(5);
    }

    function test_creationEmits() public {
        emits.expectEmit();
        emit Three(5);
        new EmitsAtBirth(5);
    }

    function test_viewCallBetween() public {
        emits.expectEmit();
        emit Three(5);
        l.quiet{gas: 50000}();
    }

    function test_staticCallBetween() public {
        emits.expectEmit();
        emit Three(5);
        vm.getBlockTimestamp();
        this.look();
        l.three(5);
    }

    function look() external pure returns (uint256) {
        return 1;
    }

    function test_lowLevel() public {
        emits.expectEmit();
        emit Three(5);
        (bool done,) = address(l).call(abi.encodeCall(Logger.three, (5)));
        assertTrue(done);
    }

    function test_delegate() public {
        emits.expectEmit(address(this));
        emit Three(5);
        (bool done,) = address(l).delegatecall(abi.encodeCall(Logger.three, (5)));
        assertTrue(done);
    }

    function test_delegateOther() public {
        emits.expectEmit(address(l));
        emit Three(5);
        (bool done,) = address(l).delegatecall(abi.encodeCall(Logger.three, (5)));
        assertTrue(done);
    }

    function test_mockedCall() public {
        vm.mockCall(address(l), abi.encodeCall(Logger.three, (5)), "");
        emits.expectEmit();
        emit Three(5);
        l.three(5);
    }

    function test_recordedToo() public {
        vm.recordLogs();
        emits.expectEmit();
        emit Three(5);
        l.three(5);
        assertEq(vm.getRecordedLogs().length, 2);
    }

    function test_cheatBetweenModelAndCall() public {
        emits.expectEmit();
        emit Three(5);
        vm.warp(6);
        l.three(5);
    }

    function test_prankBetween() public {
        emits.expectEmit();
        emit Three(5);
        vm.prank(address(4));
        l.three(5);
    }

    function test_valueCallOut() public {
        emits.expectEmit();
        emit Three(5);
        payable(address(0x5555)).transfer(1);
        l.three(5);
    }
}

contract EmitsAtBirth {
    event Three(uint256 d);

    constructor(uint256 d) {
        emit Three(d);
    }
}

contract EmitCounts is LogTest {
    function test_three() public {
        emits.expectEmit(uint64(3));
        emit Three(1);
        l.three(1);
        l.three(1);
        l.three(1);
    }

    function test_threeInOne() public {
        rare.expectEmit(true, true, true, false, 3);
        emit Three(1);
        l.many(3);
    }

    function test_threeOfFour() public {
        rare.expectEmit(true, true, true, false, 3);
        emit Three(1);
        l.many(4);
    }

    function test_threeOfTwo() public {
        rare.expectEmit(true, true, true, false, 3);
        emit Three(1);
        l.many(2);
    }

    function test_zero() public {
        emits.expectEmit(uint64(0));
        emit Three(1);
        l.quiet();
    }

    function test_zeroSeen() public {
        emits.expectEmit(uint64(0));
        emit Three(1);
        l.three(1);
    }

    function test_zeroOther() public {
        emits.expectEmit(uint64(0));
        emit Three(1);
        l.three(2);
    }

    function test_zeroEmitter() public {
        emits.expectEmit(address(m), uint64(0));
        emit Three(1);
        l.three(1);
    }

    function test_countEmitter() public {
        emits.expectEmit(address(m), uint64(1));
        emit Three(1);
        l.nestedAndOwn(m, 1);
    }

    function test_countEmitterMask() public {
        rare.expectEmit(true, true, true, false, address(m), 2);
        emit Three(1);
        l.nestedAndOwn(m, 1);
    }

    function test_oneSeenTwice() public {
        emits.expectEmit(uint64(1));
        emit Three(1);
        l.nestedTwice(m, 1);
    }

    function test_countAndPlain() public {
        rare.expectEmit(true, true, true, false, 2);
        emit Three(1);
        emits.expectEmit();
        emit Three(2);
        l.many(3);
    }
}

contract EmitAnonymous is LogTest {
    function test_same() public {
        rare.expectEmitAnonymous();
        emit Hidden(1, 2, 3, 4, 5);
        l.hidden(1, 2, 3, 4, 5);
    }

    function test_firstOther() public {
        rare.expectEmitAnonymous();
        emit Hidden(9, 2, 3, 4, 5);
        l.hidden(1, 2, 3, 4, 5);
    }

    function test_firstOff() public {
        rare.expectEmitAnonymous(false, true, true, true, true);
        emit Hidden(9, 2, 3, 4, 5);
        l.hidden(1, 2, 3, 4, 5);
    }

    function test_lastOff() public {
        rare.expectEmitAnonymous(true, true, true, false, true);
        emit Hidden(1, 2, 3, 9, 5);
        l.hidden(1, 2, 3, 4, 5);
    }

    function test_dataOff() public {
        rare.expectEmitAnonymous(true, true, true, true, false);
        emit Hidden(1, 2, 3, 4, 9);
        l.hidden(1, 2, 3, 4, 5);
    }

    function test_emitter() public {
        rare.expectEmitAnonymous(address(l));
        emit Hidden(1, 2, 3, 4, 5);
        l.hidden(1, 2, 3, 4, 5);
    }

    function test_emitterOther() public {
        rare.expectEmitAnonymous(true, true, true, true, true, address(m));
        emit Hidden(1, 2, 3, 4, 5);
        l.hidden(1, 2, 3, 4, 5);
    }

    function test_bare() public {
        rare.expectEmitAnonymous();
        emit Bare();
        l.bare();
    }

    function test_bareByExpectEmit() public {
        emits.expectEmit();
        emit Bare();
        l.bare();
    }

    function test_hiddenByExpectEmit() public {
        emits.expectEmit();
        emit Hidden(1, 2, 3, 4, 5);
        l.hidden(1, 2, 3, 4, 5);
    }

    function test_hiddenByExpectEmitFirst() public {
        emits.expectEmit(true, true, true, true);
        emit Hidden(9, 2, 3, 4, 5);
        l.hidden(1, 2, 3, 4, 5);
    }

    function test_namedByAnonymous() public {
        rare.expectEmitAnonymous(false, true, true, true, true);
        emit One(1, 2, 3, 4);
        l.one(1, 2, 3, 4);
    }

    function test_bareAfterNamed() public {
        rare.expectEmitAnonymous();
        emit Bare();
        l.three(1);
    }
}

contract Recorded is LogTest {
    function test_order() public {
        vm.recordLogs();
        l.nestedAndOwn(m, 1);
        MoreVm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 2);
        assertEq(logs[0].emitter, address(m));
        assertEq(logs[1].emitter, address(l));
    }

    function test_topics() public {
        vm.recordLogs();
        l.one(1, 2, 3, 4);
        MoreVm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs[0].topics.length, 4);
        assertEq(logs[0].topics[3], bytes32(uint256(3)));
        assertEq(logs[0].data, abi.encode(uint256(4)));
    }

    function test_bare() public {
        vm.recordLogs();
        l.bare();
        MoreVm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(logs.length, 1);
        assertEq(logs[0].topics.length, 0);
    }

    function test_taken() public {
        vm.recordLogs();
        l.three(1);
        vm.getRecordedLogs();
        l.three(2);
        assertEq(vm.getRecordedLogs().length, 1);
    }

    function test_reverted() public {
        vm.recordLogs();
        l.swallows(m, 1);
        assertEq(vm.getRecordedLogs().length, 1);
    }

    function test_notRecording() public {
        l.three(1);
        assertEq(vm.getRecordedLogs().length, 0);
    }

    function test_own() public {
        vm.recordLogs();
        emit Three(1);
        assertEq(vm.getRecordedLogs().length, 1);
    }

    function test_json() public {
        vm.recordLogs();
        l.three(1);
        assertGt(bytes(rare.getRecordedLogsJson()).length, 10);
        assertEq(vm.getRecordedLogs().length, 0);
    }
}
